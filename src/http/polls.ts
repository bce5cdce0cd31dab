import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Context} from 'koa';
import type {Feed} from '../services/feed.js';
import {Poll} from './poll.js';

/** Runs a request through the application. */
type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * The requests that are held open until there is something to answer.
 *
 * There can be very many of them, so a held request keeps its connection and next to nothing else: the application is
 * done with it, and when something changed it is run through the application again, from the start. What counted at
 * its beginning is thereby checked anew, such as a key that was revoked in the meantime. When its time is over or the
 * server stops, it is answered with what there is; when its client leaves, it is forgotten.
 */
export class Polls {
	readonly #feed: Feed;
	readonly #handle: Handle;
	readonly #held = new Map<IncomingMessage, Poll>();
	#isStopping = false;

	constructor(feed: Feed, handle: Handle) {
		this.#feed = feed;
		this.#handle = handle;
	}

	/** Whether the request may be answered: while the server stops, only those that it holds. */
	admits(request: IncomingMessage): boolean {
		return !this.#isStopping || this.#held.has(request);
	}

	/**
	 * What is found in the inbox at once or, within `seconds` from the first look, after a change of it. Undefined when
	 * the request was parked instead, and needs no answer now.
	 */
	async find<Row>(
		ctx: Context,
		inboxId: string,
		seconds: number,
		look: () => Promise<readonly Row[]>,
	): Promise<readonly Row[] | undefined> {
		const poll = this.#held.get(ctx.req) ?? this.#hold(ctx, inboxId, seconds);
		const rows = await poll.look(look);
		if (!rows) {
			ctx.respond = false;
			// Koa watches a response through listeners as large as the rest of a connection. This event takes them off.
			ctx.res.emit('end');
		}

		return rows;
	}

	/** Answers all that are held, and takes no further ones. */
	stop(): void {
		this.#isStopping = true;
		for (const poll of this.#held.values()) {
			poll.end();
		}
	}

	#hold({req, res}: Context, inboxId: string, seconds: number): Poll {
		const poll = new Poll(inboxId, () => this.#handle(req, res));
		const timer = setTimeout(() => poll.end(), seconds * 1000);
		this.#held.set(req, poll);
		this.#feed.add(inboxId, poll);
		res.once('close', () => {
			clearTimeout(timer);
			this.#held.delete(req);
			this.#feed.remove(inboxId, poll);
		});
		return poll;
	}
}
