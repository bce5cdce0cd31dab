import {once} from 'node:events';
import {createRequire} from 'node:module';
import {Worker} from 'node:worker_threads';
import type {Fold} from './fold.js';

const workerFile = '#compact-worker';

/** Makes a snapshot in a thread of its own. */
export const foldInWorker: Fold = async (job, signal) => {
	const worker = new Worker(createRequire(import.meta.url).resolve(workerFile), {
		workerData: job,
		resourceLimits: {maxYoungGenerationSizeMb: 8},
	});
	try {
		const [bytes]: number[] = await once(worker, 'message', {signal});
		return bytes ?? 0;
	} finally {
		await worker.terminate();
	}
};
