import type {Readable} from 'node:stream';
import type {Worker} from 'node:worker_threads';
import {reasonOf} from '../lib/reason-of.js';
import {type Piece, piecesOf} from './pieces.js';
import type {Report, TaskOrder} from './tasks.js';

/** A worker, and what it says from its start to its end. */
export type Thread = {readonly worker: Worker; readonly reports: AsyncIterator<Report[]>};

/** Why a task has no output: its thread took too long, ran out of memory, or met something unexpected. */
export class TaskFailure extends Error {}

export type Terms = {
	readonly deadlineMs: number;
	/** What the task reads. */
	readonly source?: Readable;
	/** Sees each piece of the source on its way. */
	readonly watch?: (bytes: Uint8Array) => void;
	/** What the input holds that is given away instead of copied. */
	readonly transfer?: readonly ArrayBuffer[];
};

/**
 * Has a thread perform one task, handing it the source as it asks; a short one goes with the order. Fails with
 * `TaskFailure`, or as the source does. A thread that takes too long is ended.
 */
export async function exchange(thread: Thread, order: TaskOrder, terms: Terms): Promise<unknown> {
	const {deadlineMs, source} = terms;
	let isLate = false;
	const deadline = setTimeout(() => {
		isLate = true;
		source?.destroy();
		void thread.worker.terminate();
	}, deadlineMs);
	try {
		return await outcome(thread, order, terms);
	} catch (error) {
		const reason = isLate ? `it took longer than ${deadlineMs / 1000} s` : reasonOf(error);
		throw source?.errored ?? new TaskFailure(reason);
	} finally {
		clearTimeout(deadline);
	}
}

async function outcome({worker, reports}: Thread, order: TaskOrder, terms: Terms): Promise<unknown> {
	const {source, watch, transfer = []} = terms;
	const pieces = source && piecesOf(source, watch);
	const nextPiece = async (): Promise<Piece | undefined> => (await pieces?.next())?.value;
	const first = await nextPiece();
	worker.postMessage({...order, piece: first}, first ? [first.bytes.buffer, ...transfer] : transfer);
	for (let said = await reports.next(); !said.done; said = await reports.next()) {
		const [report] = said.value;
		if (report?.kind === 'done') {
			return report.output;
		}

		if (report?.kind === 'failed') {
			throw new TaskFailure(report.reason);
		}

		const piece = await nextPiece();
		worker.postMessage({kind: 'source', piece}, piece ? [piece.bytes.buffer] : []);
	}

	throw new TaskFailure('its thread ended');
}
