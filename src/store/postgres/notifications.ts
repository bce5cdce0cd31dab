import {setTimeout as sleep} from 'node:timers/promises';
import {topics} from '../../domain/feed.js';
import {Statements} from './session/database.js';
import type {DatabaseSession, SessionOptions} from './session/session.js';

const channel = 'tinbox';

/** Between two notices of a node: each is a transaction that waits for those of all nodes. */
const pauseMs = 3;

/** Between two attempts to listen. */
const retryMs = 100;

/** Characters of a notice; PostgreSQL takes 8,000 bytes. */
const maxLength = 7900;

/** Is told topics that another node told of; undefined when some may have been lost. */
export type NotificationHandler = (told: readonly string[] | undefined) => void;

/**
 * What the nodes tell each other: whom something concerns, and nothing of it. A notice may be lost, so nothing rests on them
 * but how soon a node looks. They have sessions of their own: one listens, one tells.
 */
export class Notifications {
	readonly #open: (options: Omit<SessionOptions, 'reach'>) => DatabaseSession;
	readonly #telling: Statements;
	readonly #nodeId: string;
	readonly #hears: NotificationHandler[] = [];
	readonly #untold = new Set<string>();
	#listening: DatabaseSession | undefined;
	#retry: NodeJS.Timeout | undefined;
	#isClosed = false;
	#isTelling = false;
	/** Whether there is nobody to tell, as far as is known; whoever begins to listen says so. */
	isAlone = false;

	constructor(open: (options: Omit<SessionOptions, 'reach'>) => DatabaseSession, nodeId: string) {
		this.#open = open;
		this.#telling = new Statements(open, 1);
		this.#nodeId = nodeId;
	}

	/** Listens, now and again whenever the session was lost. */
	async start(): Promise<void> {
		let isAsked = true;
		const session = this.#open({
			onNotice: payload => this.#take(payload),
			onClose: () => this.#startAgain(),
			isAsked: () => isAsked,
		});
		this.#listening = session;
		try {
			await session.sql`listen ${session.sql(channel)}`;
		} catch (error) {
			await session.end();
			throw error;
		}

		isAsked = false;
		this.#hand(undefined);
		this.tell([topics.everything]);
	}

	/** Has the other nodes told soon, with all that comes meanwhile. */
	tell(concerned: Iterable<string>): void {
		if (this.isAlone) {
			return;
		}

		for (const topic of concerned) {
			this.#untold.add(topic);
		}

		if (!this.#isTelling) {
			this.#isTelling = true;
			void this.#tellAll();
		}
	}

	hear(hear: NotificationHandler): void {
		this.#hears.push(hear);
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#retry);
		await Promise.all([this.#listening?.end(), this.#telling.close()]);
	}

	#startAgain(): void {
		if (!this.#isClosed) {
			clearTimeout(this.#retry);
			this.#retry = setTimeout(() => void this.start().catch(() => {}), retryMs).unref();
		}
	}

	async #tellAll(): Promise<void> {
		while (this.#untold.size > 0) {
			const payloads = payloadsOf(this.#nodeId, this.#untold);
			this.#untold.clear();
			// Those that are lost are found when the other nodes look by themselves: nothing has to be written for them.
			await this.#telling
				.run(
					sql => sql`
						select set_config('synchronous_commit', 'off', false), pg_notify(${channel}, told)
						from unnest(${payloads}::text[]) as told
					`,
				)
				.catch(() => {});
			await sleep(pauseMs, undefined, {ref: false});
		}

		this.#isTelling = false;
	}

	#take(payload: string): void {
		const [nodeId, ...told] = payload.split(',');
		if (nodeId !== this.#nodeId) {
			this.isAlone = false;
			this.#hand(told);
		}
	}

	#hand(told: readonly string[] | undefined): void {
		for (const hear of this.#hears) {
			hear(told);
		}
	}
}

function payloadsOf(nodeId: string, concerned: ReadonlySet<string>): readonly string[] {
	const payloads: string[] = [];
	let payload = nodeId;
	for (const topic of concerned) {
		if (payload.length + topic.length >= maxLength) {
			payloads.push(payload);
			payload = nodeId;
		}

		payload += `,${topic}`;
	}

	return [...payloads, payload];
}
