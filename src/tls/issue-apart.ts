import {once} from 'node:events';
import {createRequire} from 'node:module';
import {Worker} from 'node:worker_threads';
import type {Issued, Order} from './issue.js';

/** Carries an order out. */
export type Issue = (order: Order) => Promise<Issued>;

/** Issues in a thread of its own: to load the library alone takes longer than this one may be held. */
export async function issueApart(order: Order, signal: AbortSignal): Promise<Issued> {
	const file = createRequire(import.meta.url).resolve('#issue-worker');
	const worker = new Worker(file, {workerData: order, execArgv: []});
	try {
		const [issued] = await once(worker, 'message', {signal});
		return issued;
	} finally {
		await worker.terminate();
	}
}
