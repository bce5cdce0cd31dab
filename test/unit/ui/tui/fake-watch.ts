import {setImmediate} from 'node:timers/promises';
import {onTestFinished} from 'vitest';
import type {StreamEvent} from '../../../../src/client/events.js';
import type {EventBody} from '../../../../src/contract/events.js';
import type {FaultBody, FaultHitBody} from '../../../../src/contract/faults.js';
import type {InboxBody} from '../../../../src/contract/inboxes.js';
import type {FullMessageBody} from '../../../../src/contract/messages.js';
import type {DeliveryBody, EndpointBody} from '../../../../src/contract/webhooks.js';
import type {Browsed} from '../../../../src/lib/io/browse.js';
import {press} from '../../../../src/ui/tui/keys/press.js';
import {follow, loadScreens} from '../../../../src/ui/tui/loader.js';
import {initialState} from '../../../../src/ui/tui/state/state.js';
import {createStateStore} from '../../../../src/ui/tui/state/update.js';
import type {Outside, Watch, WatchApi} from '../../../../src/ui/tui/watch.js';
import {endpointBody, inboxBody} from './bodies.js';

/** A daemon as an object: what it holds can be changed, and it notes what it is asked to do. */
export class FakeDaemon {
	inboxes: InboxBody[] = [];
	messages: FullMessageBody[] = [];
	endpoints: EndpointBody[] = [endpointBody('e1')];
	deliveries: DeliveryBody[] = [];
	faults: FaultBody[] = [];
	hits: FaultHitBody[] = [];
	readonly asked: string[] = [];
	readonly #held = new Map<string, Promise<void>>();
	/** Thrown by every call while it is set. */
	failure: Error | undefined;
	#tell: ((event: StreamEvent | Error) => void) | undefined;
	#told = 0;

	/** Answers one question only when the result is resolved. */
	hold(what: string): {resolve(): void} {
		let resolve = () => {};
		this.#held.set(
			what,
			new Promise(done => {
				resolve = done;
			}),
		);
		return {resolve};
	}

	tell(event: EventBody): void {
		this.#told++;
		this.#tell?.({id: String(this.#told), event});
	}

	/** Ends the connection of the live feed. */
	hangUp(reason: Error): void {
		this.#tell?.(reason);
	}

	readonly api: WatchApi = {
		inboxes: {
			create: async (body = {}) =>
				this.#answer(`create ${body.name ?? ''}`, () => {
					const inbox = inboxBody(`new${this.inboxes.length}`, {name: body.name ?? null});
					this.inboxes = [inbox, ...this.inboxes];
					return {...inbox, smtp: null};
				}),
			list: async ({page = 1, limit = 20} = {}) =>
				this.#answer(`inboxes ${page}`, () => {
					const inboxes = this.inboxes.slice((page - 1) * limit, page * limit);
					return {inboxes, total: this.inboxes.length, page, limit};
				}),
			delete: async id => this.#answer(`delete inbox ${id}`, () => undefined),
		},
		messages: {
			list: async (inboxId, {before, limit = 20} = {}) =>
				this.#answer(`messages ${inboxId} ${before ?? 'newest'}/${limit}`, () => {
					const own = this.messages.filter(message => message.inbox_id === inboxId);
					const start = before === undefined ? 0 : own.findIndex(({id}) => id === before) + 1;
					return own.slice(start, start + limit);
				}),
			get: async (_, id) => this.#answer(`message ${id}`, () => this.#message(id)),
			delete: async (_, id) => this.#answer(`delete message ${id}`, () => undefined),
			raw: async (_, id) => this.#answer(`raw ${id}`, () => Buffer.from(`Subject: ${id}\r\n\r\n\x1b[31mred`)),
			attachment: async (_, id, attachmentId) =>
				this.#answer(`attachment ${id} ${attachmentId}`, () => Buffer.from('bytes')),
			preview: async (_, id) =>
				this.#answer(`preview ${id}`, () => ({
					url: `http://127.0.0.1/v1/previews/${id}`,
					expires_at: '2026-01-01T00:00:00Z',
				})),
		},
		webhooks: {
			list: async () => this.#answer('endpoints', () => ({endpoints: this.endpoints})),
			deliveries: async id =>
				this.#answer(`deliveries ${id}`, () => ({
					deliveries: this.deliveries,
					pagination: {page: 1, limit: 100, total: this.deliveries.length, pages: 1},
				})),
			test: async id =>
				this.#answer(`test ${id}`, () => ({
					delivery: {...this.#delivery('d0'), status: 'failed', response_status: 500},
				})),
			redeliver: async (id, deliveryId) =>
				this.#answer(`redeliver ${id} ${deliveryId}`, () => ({delivery: this.#delivery(deliveryId)})),
		},
		faults: {
			list: async inboxId => this.#answer(`faults ${inboxId}`, () => this.faults),
			hits: async (inboxId, {fault} = {}) =>
				this.#answer(`hits ${inboxId} ${fault}`, () => {
					if (fault !== undefined && !this.faults.some(({id}) => id === fault)) {
						throw new Error(`There is no fault "${fault}".`);
					}

					const hits = this.hits.filter(({fault_id}) => fault === undefined || fault_id === fault);
					return {hits, total: hits.length, page: 1, limit: 100};
				}),
			delete: async (inboxId, id) => this.#answer(`delete fault ${inboxId} ${id}`, () => undefined),
		},
		events: {follow: (signal, lastEventId) => this.#follow(signal, lastEventId)},
	};

	async *#follow(signal: AbortSignal, lastEventId?: string): AsyncGenerator<StreamEvent> {
		if (this.failure) {
			throw this.failure;
		}

		const queue: Array<StreamEvent | Error> = [
			{id: String(this.#told), event: {type: 'ready', resumed: lastEventId === String(this.#told)}},
		];
		let wake = () => {};
		this.#tell = event => {
			queue.push(event);
			wake();
		};
		signal.addEventListener('abort', () => wake());
		while (!signal.aborted) {
			const next = queue.shift();
			if (next instanceof Error) {
				throw next;
			}

			if (next) {
				yield next;
			} else {
				await new Promise<void>(resolve => {
					wake = resolve;
				});
			}
		}
	}

	async #answer<T>(what: string, answer: () => T): Promise<T> {
		this.asked.push(what);
		await setImmediate();
		await this.#held.get(what);
		if (this.failure) {
			throw this.failure;
		}

		return answer();
	}

	#message(id: string): FullMessageBody {
		const message = this.messages.find(candidate => candidate.id === id);
		if (!message) {
			throw new Error(`There is no message "${id}".`);
		}

		return message;
	}

	#delivery(id: string): DeliveryBody {
		return this.deliveries.find(candidate => candidate.id === id) ?? {...({} as DeliveryBody), id};
	}
}

export type FakeOutside = {readonly done: string[]; readonly browser: {does: Browsed}; readonly outside: Outside};

/** Notes what would happen outside of the screens. */
export function fakeOutside(): FakeOutside {
	const done: string[] = [];
	const browser: {does: Browsed} = {does: 'opened'};
	const note = (what: string) => void done.push(what);
	return {
		done,
		browser,
		outside: {
			copy: async text => {
				note(`copy ${text}`);
				return 'a means';
			},
			browse: async url => {
				note(`browse ${url}`);
				return browser.does;
			},
			page: text => note(`page ${text}`),
			save: async (filename, bytes) => {
				note(`save ${filename} ${bytes}`);
				return '/home/ann/saved.pdf';
			},
			suspend: () => note('suspend'),
			repaint: () => note('repaint'),
			quit: () => note('quit'),
		},
	};
}

/** Terminal UI without a terminal, connected to a fake daemon. */
export function watchFake(daemon: FakeDaemon, size = {columns: 120, rows: 30}) {
	const about = {url: 'http://127.0.0.1:8025/v1', smtp: undefined, key: ''};
	const store = createStateStore(initialState(about, size));
	const {done, browser, outside} = fakeOutside();
	const watch: Watch = {store, api: daemon.api, outside};
	const leave = new AbortController();
	loadScreens(store, daemon.api, leave.signal);
	const following = follow(daemon.api, store, async () => about, leave.signal);
	onTestFinished(async () => {
		leave.abort();
		await following;
	});
	return {
		store,
		done,
		browser,
		/** Presses keys, one after the other, as if they came in one read. */
		type(...keys: readonly string[]) {
			for (const key of keys) {
				press(watch, {type: 'key', key});
			}
		},
		paste: (text: string) => press(watch, {type: 'paste', text}),
		notice: () => store.get().notice?.text,
	};
}
