import type {ServerResponse} from 'node:http';
import {setImmediate} from 'node:timers/promises';
import {FairQueue} from '../lib/queue/fair-queue.js';
import type {Piece} from './pieces.js';

/**
 * A part of an answer, made for the turn in which it is sent. Nothing of it is kept between turns: it must come out the same
 * when it is made again. Undefined when there is nothing of it.
 */
export type AnswerPart = () => Promise<readonly Piece[] | undefined>;

/** How many parts are in memory at once, of all users. */
const places = [1, 2, 3, 4];

/** How long a reader has for one turn, unless said otherwise. */
const defaultTurnMs = 2000;

/**
 * Sends answers that can be large. Users take turns, and each has one at a time: what is in memory depends neither on how
 * many answers were asked for nor on whether anybody reads them.
 */
export class LongAnswers {
	readonly #turns = new FairQueue(places, 1);
	readonly #turnMs: number;

	/** Whoever is not done after `turnMs` waits for the next turn, and holds nothing. */
	constructor(turnMs = defaultTurnMs) {
		this.#turnMs = turnMs;
	}

	/** Sends the parts one after the other and ends the answer. Rejects as a part does. */
	async send(owner: string, response: ServerResponse, parts: Iterable<AnswerPart>): Promise<void> {
		for (const part of parts) {
			let sent = {count: 0, total: Number.POSITIVE_INFINITY};
			while (sent.count < sent.total && !response.destroyed) {
				const before = sent;
				sent = await this.#turns.run(owner, async () => sendOn(response, part, before, this.#turnMs));
				await hasRoom(response);
			}
		}

		response.end();
	}
}

/** How many pieces of a part were sent, and how many there are. */
type Sent = {readonly count: number; readonly total: number};

/** Sends the next pieces, until that was the last one or the turn is over. */
async function sendOn(response: ServerResponse, part: AnswerPart, before: Sent, turnMs: number): Promise<Sent> {
	const pieces = response.destroyed ? [] : ((await part()) ?? []);
	const total = pieces.length;
	if (before.count > 0 && total !== before.total) {
		// Its mail was deleted, or not read to its end this time.
		response.destroy();
	}

	const end = performance.now() + turnMs;
	let {count} = before;
	for (const piece of pieces.slice(count)) {
		await hasRoom(response, end - performance.now());
		if (response.destroyed || response.writableNeedDrain || performance.now() > end) {
			break;
		}

		response.write(piece());
		count++;
		// A fast reader takes all at once: others are to be heard in between.
		await setImmediate();
	}

	return {count, total};
}

/** Resolves when the reader took what was written or left, or after `ms`. */
async function hasRoom(response: ServerResponse, ms?: number): Promise<void> {
	if (!response.writableNeedDrain || response.destroyed) {
		return;
	}

	await new Promise<void>(resolve => {
		const timer = ms === undefined ? undefined : setTimeout(done, ms);
		function done(): void {
			clearTimeout(timer);
			response.off('drain', done);
			response.off('close', done);
			resolve();
		}

		response.on('drain', done);
		response.on('close', done);
	});
}
