import {on} from 'node:events';
import type {Readable} from 'node:stream';
import type {Worker} from 'node:worker_threads';
import {piecesOf} from './pieces.js';
import type {Order, Report} from './tasks.js';

/** Why a task has no output: its thread took too long, ran out of memory, or met something unexpected. */
export class TaskFailure extends Error {}

export type Terms = {
	readonly deadlineMs: number;
	/** What the task reads. */
	readonly source?: Readable;
	/** Sees each piece of the source on its way. */
	readonly watch?: (piece: Uint8Array) => void;
	/** What the input holds that is given away instead of copied. */
	readonly transfer?: readonly ArrayBuffer[];
};

/** Has a worker perform one task, handing it the source as it asks. Fails with `TaskFailure`, or as the source does. */
export async function exchange(worker: Worker, order: Order, terms: Terms): Promise<unknown> {
	const {deadlineMs, source, transfer = []} = terms;
	const deadline = AbortSignal.timeout(deadlineMs);
	const tooLong = () => new TaskFailure(`it took longer than ${deadlineMs / 1000} s`);
	deadline.addEventListener('abort', () => source?.destroy(tooLong()));
	try {
		worker.postMessage(order, transfer);
		return await outcome(worker, deadline, terms);
	} catch (error) {
		throw source?.errored ?? (deadline.aborted ? tooLong() : new TaskFailure(messageOf(error)));
	}
}

async function outcome(worker: Worker, deadline: AbortSignal, {source, watch}: Terms): Promise<unknown> {
	const pieces = source && piecesOf(source);
	for await (const [message] of on(worker, 'message', {signal: deadline, close: ['exit']})) {
		const report = message as Report;
		if (report.kind === 'done') {
			return report.output;
		}

		if (report.kind === 'failed') {
			throw new TaskFailure(report.reason);
		}

		const next = await pieces?.next();
		const piece = next?.done === false ? next.value : undefined;
		if (piece) {
			watch?.(piece);
		}

		worker.postMessage({kind: 'source', piece} satisfies Order, piece ? [piece.buffer] : []);
	}

	throw new TaskFailure('its thread ended');
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
