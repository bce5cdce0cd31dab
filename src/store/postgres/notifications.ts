import {setTimeout as sleep} from 'node:timers/promises';
import {topics} from '../../domain/feed.js';
import {Statements} from './session/database.js';
import type {DatabaseSession, SessionOptions} from './session/session.js';

const channel = 'tinbox';

/** Pause between two notifications of a node. Each one is a transaction and waits for other nodes' notifications. */
const pauseMs = 3;

/** Pause between two attempts to listen. */
const retryMs = 100;

/** Maximum length of a payload in characters. PostgreSQL accepts 8,000 bytes. */
const maxLength = 7900;

/** Receives the topics that another node published; undefined if notifications may have been lost. */
export type NotificationHandler = (changedTopics: readonly string[] | undefined) => void;

/**
 * Notifications between nodes: the topics that changed, without the changes. They may be lost, so they only make other nodes
 * look sooner. One session listens, another one sends.
 */
export class Notifications {
	readonly #open: (options: Omit<SessionOptions, 'connect'>) => DatabaseSession;
	readonly #sending: Statements;
	readonly #nodeId: string;
	readonly #handlers: NotificationHandler[] = [];
	readonly #unsent = new Set<string>();
	#listening: DatabaseSession | undefined;
	#retry: NodeJS.Timeout | undefined;
	#isClosed = false;
	#isSending = false;
	/** True if no other node is known. A node that starts to listen announces itself. */
	isAlone = false;

	constructor(open: (options: Omit<SessionOptions, 'connect'>) => DatabaseSession, nodeId: string) {
		this.#open = open;
		this.#sending = new Statements(open, 1);
		this.#nodeId = nodeId;
	}

	/** Starts to listen. After a lost session it starts again by itself. */
	async start(): Promise<void> {
		let isAwaited = true;
		const session = this.#open({
			onNotification: payload => this.#receive(payload),
			onClose: () => this.#restart(),
			isAwaited: () => isAwaited,
		});
		this.#listening = session;
		try {
			await session.sql`listen ${session.sql(channel)}`;
		} catch (error) {
			await session.end();
			throw error;
		}

		isAwaited = false;
		this.#callHandlers(undefined);
		this.publish([topics.everything]);
	}

	/** Sends topics to the other nodes soon, together with topics added in the meantime. */
	publish(changed: Iterable<string>): void {
		if (this.isAlone) {
			return;
		}

		for (const topic of changed) {
			this.#unsent.add(topic);
		}

		if (!this.#isSending) {
			this.#isSending = true;
			void this.#sendAll();
		}
	}

	onNotification(handler: NotificationHandler): void {
		this.#handlers.push(handler);
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#retry);
		await Promise.all([this.#listening?.end(), this.#sending.close()]);
	}

	#restart(): void {
		if (!this.#isClosed) {
			clearTimeout(this.#retry);
			this.#retry = setTimeout(() => void this.start().catch(() => {}), retryMs).unref();
		}
	}

	async #sendAll(): Promise<void> {
		while (this.#unsent.size > 0) {
			const payloads = payloadsOf(this.#nodeId, this.#unsent);
			this.#unsent.clear();
			// Other nodes find out about a lost notification by polling, so it need not be synced to disk.
			await this.#sending
				.run(
					sql => sql`
						select set_config('synchronous_commit', 'off', false), pg_notify(${channel}, payload)
						from unnest(${payloads}::text[]) as payload
					`,
				)
				.catch(() => {});
			await sleep(pauseMs, undefined, {ref: false});
		}

		this.#isSending = false;
	}

	#receive(payload: string): void {
		const [nodeId, ...changedTopics] = payload.split(',');
		if (nodeId !== this.#nodeId) {
			this.isAlone = false;
			this.#callHandlers(changedTopics);
		}
	}

	#callHandlers(changedTopics: readonly string[] | undefined): void {
		for (const handler of this.#handlers) {
			handler(changedTopics);
		}
	}
}

function payloadsOf(nodeId: string, changed: ReadonlySet<string>): readonly string[] {
	const payloads: string[] = [];
	let payload = nodeId;
	for (const topic of changed) {
		if (payload.length + topic.length >= maxLength) {
			payloads.push(payload);
			payload = nodeId;
		}

		payload += `,${topic}`;
	}

	return [...payloads, payload];
}
