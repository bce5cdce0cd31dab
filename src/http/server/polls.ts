import type {ServerResponse} from 'node:http';
import {isUnavailable} from '../../domain/errors.js';
import type {Log} from '../../lib/log.js';
import {Notifier, type Waiter} from '../../lib/queue/notifier.js';
import type {Feed} from '../../services/live/feed.js';
import type {Services} from '../services.js';
import type {HttpConnections} from './connections.js';
import {sendProblem} from './problems.js';

/** Answers if there is something to answer, or if it is the last time; resolves to whether it did. */
export type TryAnswer = (isLast: boolean) => Promise<boolean>;

export type PollOptions = {
	/** Whose it is. */
	readonly userId: string;
	/** What is worth another attempt when it changes, as topics of the feed. */
	readonly topics: readonly string[];
	/** After this long comes the last attempt. */
	readonly seconds: number;
	readonly attempt: TryAnswer;
};

/** How often it is looked whether what was away is back. */
const backEveryMs = 250;

/** Of the bells of polls that could not look. */
const back = 'back';

type PollServices = Pick<Services, 'feed' | 'isAvailable' | 'observer'> & {
	readonly quotas: Pick<Services['quotas'], 'polls'>;
};

/**
 * The requests that are held open until there is something to answer. There can be very many of them, so a held request
 * keeps its connection and next to nothing else: the application is done with it, and its attempts answer without Koa.
 */
export class Polls {
	readonly #services: PollServices;
	readonly #connections: Pick<HttpConnections, 'holdForNews'>;
	readonly #log: Log;
	readonly #open = new Set<Poll>();
	/** Those that look again when the store is back. */
	readonly #stranded = new Notifier();
	#backTimer: NodeJS.Timeout | undefined;
	#isStopping = false;

	constructor(services: PollServices, connections: Pick<HttpConnections, 'holdForNews'>, log: Log) {
		this.#services = services;
		this.#connections = connections;
		this.#log = log;
	}

	/** Whether new requests are to be refused. */
	get isStopping(): boolean {
		return this.#isStopping;
	}

	/**
	 * Resolves once the request was answered or is held, and rejects with what the first attempt does. A held request is
	 * answered after a change, when its time is over or the server stops; it is forgotten when its client leaves. It stays
	 * open while the store is away, and looks again when that is back.
	 */
	async hold(response: ServerResponse, {userId, topics, seconds, attempt}: PollOptions): Promise<void> {
		if (seconds === 0 || this.#isStopping) {
			await attempt(true);
			return;
		}

		if (!this.#connections.holdForNews(response, this.#services.quotas.polls, userId)) {
			return;
		}

		const poll = new Poll(this.#services.feed, topics, attempt, {
			fail: error => sendProblem(response, error, this.#log),
			strand: bell => this.#strand(bell),
			tell: seconds => this.#services.observer.wakeUp(seconds),
		});
		const timer = setTimeout(() => poll.end(), seconds * 1000);
		this.#open.add(poll);
		response.once('close', () => {
			clearTimeout(timer);
			this.#open.delete(poll);
			poll.close();
		});
		await poll.look();
		// Koa watches a response through listeners as large as the rest of a connection. This event takes them off.
		response.emit('end');
	}

	/** Answers all that are held with what there is, and holds no further ones. */
	stop(): void {
		this.#isStopping = true;
		clearTimeout(this.#backTimer);
		for (const poll of this.#open) {
			poll.end();
		}
	}

	#strand(waiter: Waiter): () => void {
		this.#backTimer ??= setTimeout(() => this.#lookAgain(), backEveryMs).unref();
		return this.#stranded.add([back], waiter);
	}

	#lookAgain(): void {
		this.#backTimer = undefined;
		if (this.#services.isAvailable()) {
			this.#stranded.notify(back);
		} else if (this.#stranded.count(back) > 0) {
			this.#backTimer = setTimeout(() => this.#lookAgain(), backEveryMs).unref();
		}
	}
}

/** What becomes of a poll that has looked. */
type AfterLook = {
	/** It failed. */
	fail(error: unknown): void;
	/** Rings once the store is back; the result takes the bell off. */
	strand(waiter: Waiter): () => void;
	/** It was answered, so many seconds after there was something new. */
	tell(seconds: number): void;
};

/** A request that is held open. */
class Poll implements Waiter {
	readonly #feed: Feed;
	readonly #topics: readonly string[];
	readonly #attempt: TryAnswer;
	readonly #afterLook: AfterLook;
	#stopListening = () => {};
	#isLooking = false;
	#hasNews = false;
	/** Since when there is news that was not looked at. */
	#newsSince: number | undefined;
	#isOver = false;
	#isDone = false;

	constructor(feed: Feed, topics: readonly string[], attempt: TryAnswer, afterLook: AfterLook) {
		this.#feed = feed;
		this.#topics = topics;
		this.#attempt = attempt;
		this.#afterLook = afterLook;
	}

	/** Attempts an answer until it succeeds or there is nothing new to look at. Listens first, so that nothing is missed. */
	async look(): Promise<void> {
		this.#isLooking = true;
		do {
			const since = this.#isOver ? undefined : this.#newsSince;
			this.#hasNews = false;
			this.#newsSince = undefined;
			this.#stopListening();
			this.#stopListening = this.#feed.listen(this.#topics, this);
			if (await this.#attempt(this.#isOver)) {
				this.close();
				if (since !== undefined) {
					this.#afterLook.tell((performance.now() - since) / 1000);
				}
			}
		} while (this.#hasNews && !this.#isDone);
		this.#isLooking = false;
	}

	wake(since: number): void {
		this.#hasNews = true;
		this.#newsSince ??= since;
		if (!this.#isLooking && !this.#isDone) {
			this.look().catch(error => this.#takeFailure(error));
		}
	}

	/** The next attempt is the last. */
	end(): void {
		this.#isOver = true;
		this.wake(performance.now());
	}

	#takeFailure(error: unknown): void {
		this.#isLooking = false;
		if (isUnavailable(error) && !this.#isOver && !this.#isDone) {
			const [stopListening, takeOff] = [this.#stopListening, this.#afterLook.strand(this)];
			this.#stopListening = () => {
				stopListening();
				takeOff();
			};
		} else {
			this.close();
			this.#afterLook.fail(error);
		}
	}

	/** There is nothing more to wait for. */
	close(): void {
		this.#isDone = true;
		this.#stopListening();
	}
}
