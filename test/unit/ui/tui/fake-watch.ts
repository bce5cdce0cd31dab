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

/** In-memory daemon API. Tests change its data and read the received requests. */
export class FakeDaemon {
	inboxes: InboxBody[] = [];
	messages: FullMessageBody[] = [];
	endpoints: EndpointBody[] = [endpointBody('e1')];
	deliveries: DeliveryBody[] = [];
	faults: FaultBody[] = [];
	hits: FaultHitBody[] = [];
	readonly requests: string[] = [];
	readonly #pending = new Map<string, Promise<void>>();
	/** Thrown by every call while it is set. */
	failure: Error | undefined;
	#push: ((event: StreamEvent | Error) => void) | undefined;
	#lastEventId = 0;

	/** Delays the response to this request until the result is resolved. */
	hold(request: string): {resolve(): void} {
		let resolve = () => {};
		this.#pending.set(
			request,
			new Promise(done => {
				resolve = done;
			}),
		);
		return {resolve};
	}

	publish(event: EventBody): void {
		this.#lastEventId++;
		this.#push?.({id: String(this.#lastEventId), event});
	}

	/** Ends the connection of the live feed. */
	disconnect(reason: Error): void {
		this.#push?.(reason);
	}

	readonly api: WatchApi = {
		inboxes: {
			create: async (body = {}) =>
				this.#respond(`create ${body.name ?? ''}`, () => {
					const inbox = inboxBody(`new${this.inboxes.length}`, {name: body.name ?? null});
					this.inboxes = [inbox, ...this.inboxes];
					return {...inbox, smtp: null};
				}),
			list: async ({page = 1, limit = 20} = {}) =>
				this.#respond(`inboxes ${page}`, () => {
					const inboxes = this.inboxes.slice((page - 1) * limit, page * limit);
					return {inboxes, total: this.inboxes.length, page, limit};
				}),
			delete: async id => this.#respond(`delete inbox ${id}`, () => undefined),
		},
		messages: {
			list: async (inboxId, {before, limit = 20} = {}) =>
				this.#respond(`messages ${inboxId} ${before ?? 'newest'}/${limit}`, () => {
					const inInbox = this.messages.filter(message => message.inbox_id === inboxId);
					const start = before === undefined ? 0 : inInbox.findIndex(({id}) => id === before) + 1;
					return inInbox.slice(start, start + limit);
				}),
			get: async (_, id) => this.#respond(`message ${id}`, () => this.#message(id)),
			delete: async (_, id) => this.#respond(`delete message ${id}`, () => undefined),
			raw: async (_, id) => this.#respond(`raw ${id}`, () => Buffer.from(`Subject: ${id}\r\n\r\n\x1b[31mred`)),
			attachment: async (_, id, attachmentId) =>
				this.#respond(`attachment ${id} ${attachmentId}`, () => Buffer.from('bytes')),
			preview: async (_, id) =>
				this.#respond(`preview ${id}`, () => ({
					url: `http://127.0.0.1/v1/previews/${id}`,
					expires_at: '2026-01-01T00:00:00Z',
				})),
		},
		webhooks: {
			list: async () => this.#respond('endpoints', () => ({endpoints: this.endpoints})),
			deliveries: async id =>
				this.#respond(`deliveries ${id}`, () => ({
					deliveries: this.deliveries,
					pagination: {page: 1, limit: 100, total: this.deliveries.length, pages: 1},
				})),
			test: async id =>
				this.#respond(`test ${id}`, () => ({
					delivery: {...this.#delivery('d0'), status: 'failed', response_status: 500},
				})),
			redeliver: async (id, deliveryId) =>
				this.#respond(`redeliver ${id} ${deliveryId}`, () => ({delivery: this.#delivery(deliveryId)})),
		},
		faults: {
			list: async inboxId => this.#respond(`faults ${inboxId}`, () => this.faults),
			hits: async (inboxId, {fault} = {}) =>
				this.#respond(`hits ${inboxId} ${fault}`, () => {
					if (fault !== undefined && !this.faults.some(({id}) => id === fault)) {
						throw new Error(`There is no fault "${fault}".`);
					}

					const hits = this.hits.filter(({fault_id}) => fault === undefined || fault_id === fault);
					return {hits, total: hits.length, page: 1, limit: 100};
				}),
			delete: async (inboxId, id) => this.#respond(`delete fault ${inboxId} ${id}`, () => undefined),
		},
		events: {follow: (signal, lastEventId) => this.#follow(signal, lastEventId)},
	};

	async *#follow(signal: AbortSignal, lastEventId?: string): AsyncGenerator<StreamEvent> {
		if (this.failure) {
			throw this.failure;
		}

		const queue: Array<StreamEvent | Error> = [
			{id: String(this.#lastEventId), event: {type: 'ready', resumed: lastEventId === String(this.#lastEventId)}},
		];
		let wake = () => {};
		this.#push = event => {
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

	async #respond<T>(request: string, response: () => T): Promise<T> {
		this.requests.push(request);
		await setImmediate();
		await this.#pending.get(request);
		if (this.failure) {
			throw this.failure;
		}

		return response();
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

export type FakeOutside = {readonly effects: string[]; readonly browser: {result: Browsed}; readonly outside: Outside};

/** Records effects outside of the UI, such as the clipboard and the browser. */
export function fakeOutside(): FakeOutside {
	const effects: string[] = [];
	const browser: {result: Browsed} = {result: 'opened'};
	const record = (effect: string) => void effects.push(effect);
	return {
		effects,
		browser,
		outside: {
			copy: async text => {
				record(`copy ${text}`);
				return 'a means';
			},
			browse: async url => {
				record(`browse ${url}`);
				return browser.result;
			},
			page: text => record(`page ${text}`),
			save: async (filename, bytes) => {
				record(`save ${filename} ${bytes}`);
				return '/home/ann/saved.pdf';
			},
			suspend: () => record('suspend'),
			repaint: () => record('repaint'),
			quit: () => record('quit'),
		},
	};
}

/** Terminal UI without a terminal, connected to a fake daemon. */
export function watchFake(daemon: FakeDaemon, size = {columns: 120, rows: 30}) {
	const connection = {url: 'http://127.0.0.1:8025/v1', smtp: undefined, key: ''};
	const store = createStateStore(initialState(connection, size));
	const {effects, browser, outside} = fakeOutside();
	const watch: Watch = {store, api: daemon.api, outside};
	const controller = new AbortController();
	loadScreens(store, daemon.api, controller.signal);
	const following = follow(daemon.api, store, async () => connection, controller.signal);
	onTestFinished(async () => {
		controller.abort();
		await following;
	});
	return {
		store,
		effects,
		browser,
		/** Presses keys one after the other, as if received in one read. */
		type(...keys: readonly string[]) {
			for (const key of keys) {
				press(watch, {type: 'key', key});
			}
		},
		paste: (text: string) => press(watch, {type: 'paste', text}),
		notice: () => store.get().notice?.text,
	};
}
