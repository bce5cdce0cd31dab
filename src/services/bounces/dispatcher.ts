import {AppError, type ErrorCode} from '../../domain/errors.js';
import type {PendingBounce} from '../../domain/mail/bounce.js';
import type {Part} from '../../lib/lifecycle.js';
import {type Log, ThrottledLog} from '../../lib/log.js';
import type {Timer} from '../../lib/time/timer.js';
import type {Store} from '../../store/port.js';
import type {Bounces} from './bounces.js';

/** Longest sleep in milliseconds. It bounds the delay if another node dies, the clock is set, or the machine was suspended. */
const maxSleepMs = 30_000;

/** Pause after a failed write, in milliseconds. */
const afterFailureMs = 2000;

/** Maximum number of bounces sent at a time: of all users, and of one. */
const atOnce = {all: 16, ofOne: 4};

/** Temporary errors, after which the bounce is sent again. */
const passing: ReadonlySet<ErrorCode> = new Set(['storage_full', 'stopping', 'unavailable']);

type BounceDispatcherOptions = {
	readonly bounces: Bounces;
	/** Fires when bounces were stored. */
	readonly timer: Timer;
	readonly now: () => Date;
	readonly log: Log;
};

type BounceStores = Pick<Store, 'bounces' | 'messages'>;

/**
 * Sends automatic bounces when they are due, as stored, also after a restart. A bounce may be sent twice if the daemon is killed
 * meanwhile.
 */
export class BounceDispatcher implements Part {
	readonly name = 'bounce dispatcher';
	readonly #store: BounceStores;
	readonly #options: BounceDispatcherOptions;
	readonly #lines: ThrottledLog;
	#isStopping = false;
	#running: Promise<void> | undefined;

	constructor(store: BounceStores, options: BounceDispatcherOptions) {
		this.#store = store;
		this.#options = options;
		this.#lines = new ThrottledLog(options.log);
	}

	async start(): Promise<void> {
		this.#running = this.#run();
	}

	async stop(): Promise<void> {
		this.#isStopping = true;
		this.#options.timer.wake();
		await this.#running;
	}

	async #run(): Promise<void> {
		const {timer, log} = this.#options;
		while (!this.#isStopping) {
			try {
				await timer.sleep(await this.#round());
			} catch (error) {
				if (!this.#isStopping) {
					log.warn({err: error}, 'Sending bounces failed; retrying');
					await timer.sleep(afterFailureMs);
				}
			}
		}
	}

	/** Sends all due bounces, and returns the milliseconds until the next is due. */
	async #round(): Promise<number> {
		const now = this.#options.now();
		const at = now.toISOString();
		const {bounces} = this.#store;
		let due = await bounces.lease(at, atOnce);
		while (due.length > 0 && !this.#isStopping) {
			await allOf(due.map(bounce => this.#send(bounce)));
			due = await bounces.lease(at, atOnce);
		}

		const next = await bounces.nextDue(at);
		return next === undefined ? maxSleepMs : Math.min(Date.parse(next) - now.getTime(), maxSleepMs);
	}

	/** Sends a bounce and deletes it, also if it can never be sent. */
	async #send(bounce: PendingBounce): Promise<void> {
		const {bounces} = this.#store;
		try {
			await this.#deliver(bounce);
			await bounces.finish(bounce.id);
		} catch (error) {
			await bounces.release(bounce.id);
			throw error;
		}
	}

	/** Throws if it may succeed later. */
	async #deliver(bounce: PendingBounce): Promise<void> {
		const {bounces, log, now} = this.#options;
		const {messageId, kind, recipients} = bounce;
		const fields = {kind, message: messageId, recipients: recipients.join(' ')};
		const message = await this.#store.messages.get(messageId);
		try {
			if (message) {
				const {sender} = await bounces.send(bounce, message);
				this.#lines.info({...fields, sender}, 'Bounce sent', now().getTime());
			}
		} catch (error) {
			if (!(error instanceof AppError)) {
				log.error({...fields, err: error}, 'Bounce failed unexpectedly');
			} else if (passing.has(error.code)) {
				throw error;
			} else {
				this.#lines.info({...fields, reason: error.message}, 'Bounce not sent', now().getTime());
			}
		}
	}
}

/** Rejects with the first error after all have settled: a bounce under way must not be sent again. */
async function allOf(works: ReadonlyArray<Promise<void>>): Promise<void> {
	await Promise.allSettled(works);
	await Promise.all(works);
}
