import type {ServerResponse} from 'node:http';
import {isUnavailable} from '../../domain/errors.js';
import type {Log} from '../../lib/log.js';
import {Notifier, type Waiter} from '../../lib/queue/notifier.js';
import type {Feed} from '../../services/live/feed.js';
import type {Services} from '../services.js';
import type {HttpConnections} from './connections.js';
import {sendProblem} from './problems.js';

/** Responds if there is a result, or if `isLast`; resolves to true if it did. */
export type TryAnswer = (isLast: boolean) => Promise<boolean>;

type PollOptions = {
	readonly userId: string;
	/** Topics of the feed that trigger another attempt. */
	readonly topics: readonly string[];
	/** Timeout, after which the last attempt is made. */
	readonly seconds: number;
	readonly attempt: TryAnswer;
};

/** Interval of checks whether the store is available again. */
const checkStoreEveryMs = 250;

/** Topic of polls that wait for the store. */
const storeTopic = 'store';

type PollServices = Pick<Services, 'feed' | 'isAvailable' | 'observer'> & {
	readonly quotas: Pick<Services['quotas'], 'polls'>;
};

/**
 * Open long polls. There can be very many, so a poll keeps little more than its connection: Koa is done with the request, and
 * attempts respond without it.
 */
export class Polls {
	readonly #services: PollServices;
	readonly #connections: Pick<HttpConnections, 'holdForNews'>;
	readonly #log: Log;
	readonly #open = new Set<Poll>();
	/** Polls that wait for the store. */
	readonly #awaitingStore = new Notifier();
	#storeTimer: NodeJS.Timeout | undefined;
	#isStopping = false;

	constructor(services: PollServices, connections: Pick<HttpConnections, 'holdForNews'>, log: Log) {
		this.#services = services;
		this.#connections = connections;
		this.#log = log;
	}

	/** True while the server stops and rejects new requests. */
	get isStopping(): boolean {
		return this.#isStopping;
	}

	/**
	 * Makes the first attempt, and holds the request open if there is no result. An open request is answered after a change, at
	 * its timeout, or when the server stops; it is dropped when its client disconnects. While the store is unavailable it stays
	 * open.
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
			awaitStore: waiter => this.#awaitStore(waiter),
			answered: seconds => this.#services.observer.wakeUp(seconds),
		});
		const timer = setTimeout(() => poll.end(), seconds * 1000);
		this.#open.add(poll);
		response.once('close', () => {
			clearTimeout(timer);
			this.#open.delete(poll);
			poll.close();
		});
		await poll.run();
		// Removes the listeners of Koa, which take as much memory as the rest of a connection.
		response.emit('end');
	}

	/** Answers all open requests, and holds no further ones. */
	stop(): void {
		this.#isStopping = true;
		clearTimeout(this.#storeTimer);
		for (const poll of this.#open) {
			poll.end();
		}
	}

	#awaitStore(waiter: Waiter): () => void {
		this.#storeTimer ??= setTimeout(() => this.#checkStore(), checkStoreEveryMs).unref();
		return this.#awaitingStore.add([storeTopic], waiter);
	}

	#checkStore(): void {
		this.#storeTimer = undefined;
		if (this.#services.isAvailable()) {
			this.#awaitingStore.notify(storeTopic);
		} else if (this.#awaitingStore.count(storeTopic) > 0) {
			this.#storeTimer = setTimeout(() => this.#checkStore(), checkStoreEveryMs).unref();
		}
	}
}

/** Outcomes of an attempt. */
type PollEvents = {
	fail(error: unknown): void;
	/** Wakes the poll when the store is available again. The result cancels this. */
	awaitStore(waiter: Waiter): () => void;
	/** The request was answered this many seconds after the change. */
	answered(seconds: number): void;
};

/** One open request. */
class Poll implements Waiter {
	readonly #feed: Feed;
	readonly #topics: readonly string[];
	readonly #attempt: TryAnswer;
	readonly #events: PollEvents;
	#stopListening = () => {};
	#isRunning = false;
	#hasChanged = false;
	/** Time of the first change since the last attempt. */
	#changedAt: number | undefined;
	#isLastAttempt = false;
	#isClosed = false;

	constructor(feed: Feed, topics: readonly string[], attempt: TryAnswer, events: PollEvents) {
		this.#feed = feed;
		this.#topics = topics;
		this.#attempt = attempt;
		this.#events = events;
	}

	/** Makes attempts until one succeeds or nothing has changed. Subscribes first, so that no change is missed. */
	async run(): Promise<void> {
		this.#isRunning = true;
		do {
			const since = this.#isLastAttempt ? undefined : this.#changedAt;
			this.#hasChanged = false;
			this.#changedAt = undefined;
			this.#stopListening();
			this.#stopListening = this.#feed.listen(this.#topics, this);
			if (await this.#attempt(this.#isLastAttempt)) {
				this.close();
				if (since !== undefined) {
					this.#events.answered((performance.now() - since) / 1000);
				}
			}
		} while (this.#hasChanged && !this.#isClosed);
		this.#isRunning = false;
	}

	wake(since: number): void {
		this.#hasChanged = true;
		this.#changedAt ??= since;
		if (!this.#isRunning && !this.#isClosed) {
			this.run().catch(error => this.#handleFailure(error));
		}
	}

	/** Makes the last attempt. */
	end(): void {
		this.#isLastAttempt = true;
		this.wake(performance.now());
	}

	#handleFailure(error: unknown): void {
		this.#isRunning = false;
		if (isUnavailable(error) && !this.#isLastAttempt && !this.#isClosed) {
			const [stopListening, stopAwaiting] = [this.#stopListening, this.#events.awaitStore(this)];
			this.#stopListening = () => {
				stopListening();
				stopAwaiting();
			};
		} else {
			this.close();
			this.#events.fail(error);
		}
	}

	close(): void {
		this.#isClosed = true;
		this.#stopListening();
	}
}
