import {setTimeout as sleep} from 'node:timers/promises';
import {followAlways} from '../../client/events.js';
import {takeRows} from '../../client/pages.js';
import type {EventBody} from '../../contract/events.js';
import type {MessageBody} from '../../contract/messages.js';
import {causeOf} from '../../lib/errors.js';
import {withInboxes} from '../core/inboxes.js';
import {selectedRow, withRows} from '../core/list.js';
import {selectedFault, withFaults, withHits, withStaleFaults} from './state/faults.js';
import {pagesWanted, restart, withPage} from './state/messages.js';
import {withStaleEndpoints} from './state/move.js';
import type {About, MessageRow, WatchState} from './state/state.js';
import {type StateStore, type Update, withEvents} from './state/update.js';
import type {WatchApi} from './watch.js';

/** How long a message stays selected before it is read, so that passing by costs nothing. */
const restMs = 50;

/** How long a person waits before it is said that something is being read. */
const slowMs = 300;

/** How often endpoints or faults are read again while they are shown, because no event announces every change. */
const refreshMs = 2000;

/** Bytes of a source that are shown; the pager shows all of them. */
const maxSource = 256 * 1024;

/** What a state lacks, under a name of its own, and how to read it. */
type Lack = {
	readonly name: string;
	readonly restMs?: number;
	read(): Promise<Update>;
	/** Shows, or no longer, that it takes long. */
	readonly slow?: (isSlow: boolean) => Update;
};

/**
 * Reads from the daemon whatever the state lacks, one request of a kind at a time, until the signal aborts. An
 * answer that is no longer wanted is dropped. A failure is shown, and tried again when something else is wanted.
 */
export function keepLoaded(store: StateStore, api: WatchApi, signal: AbortSignal): void {
	const finds = [inboxes, messages, message, source, endpoints, deliveries, faults, hits];
	const looks = finds.map(find => keeper(store, () => find(store.get(), api)));
	const lookForAll = () => looks.forEach(look => void look());
	lookForAll();
	store.subscribe(lookForAll, signal);

	const timer = setInterval(() => {
		const state = store.get();
		if (state.screen === 'webhooks' && state.webhooks.endpointsRead === endpointsRequest(state)) {
			store.update({webhooks: withStaleEndpoints(state.webhooks)});
		} else if (state.screen === 'faults' && state.faults.faultsRead === faultsRequest(state)) {
			store.update({faults: withStaleFaults(state.faults)});
		}
	}, refreshMs);
	signal.addEventListener('abort', () => clearInterval(timer));
}

/** What looks for what is lacking of one kind, and reads it unless it does so already. */
function keeper(store: StateStore, find: () => Lack | undefined): () => Promise<void> {
	let reading = false;
	let failed: string | undefined;
	const lacking = (name: string) => {
		const lack = find();
		return lack?.name === name ? lack : undefined;
	};
	const showSlow = (name: string, isSlow: boolean) => {
		const update = lacking(name)?.slow?.(isSlow);
		if (update) {
			store.update(update);
		}
	};
	const look = async () => {
		const {name, restMs = 0} = find() ?? {};
		failed = name === failed ? failed : undefined;
		if (reading || name === undefined || failed !== undefined) {
			return;
		}

		reading = true;
		const timer = setTimeout(() => showSlow(name, true), slowMs);
		try {
			await sleep(restMs);
			const update = await lacking(name)?.read();
			if (update && lacking(name)) {
				store.update(update);
			}
		} catch (error) {
			failed = name;
			if (lacking(name)) {
				store.update({notice: {text: causeOf(error), tone: 'error'}});
			}
		}

		clearTimeout(timer);
		showSlow(name, false);
		reading = false;
		look();
	};
	return look;
}

function inboxes({inboxesRevision, revision}: WatchState, api: WatchApi): Lack | undefined {
	const read = async (): Promise<Update> => {
		const rows = await takeRows(async page => (await api.inboxes.list(page)).inboxes, Infinity);
		return state => ({inboxes: withInboxes(state.inboxes, rows), inboxesRevision: revision});
	};
	return inboxesRevision === revision ? undefined : {name: `${revision}`, read};
}

function messages(state: WatchState, api: WatchApi): Lack | undefined {
	const wanted = pagesWanted(state);
	const read = async (): Promise<Update> => {
		const pages = await Promise.all(
			wanted.map(async request => {
				const {inboxId, page, limit} = request;
				return {request, rows: (await api.messages.list(inboxId, {page, limit})).map(rowOf)};
			}),
		);
		return state => pages.reduce((next, {request, rows}) => withPage(next, request, rows), state);
	};
	const ids = wanted.map(({inboxId}) => inboxId);
	return ids.length > 0 ? {name: `${ids} ${state.revision}`, read} : undefined;
}

/** Without the bodies, of which a long list would hold megabytes. */
function rowOf(message: MessageBody): MessageRow {
	const {id, inbox_id, from, from_name, to, subject, size, received_at, codes, recipients} = message;
	const named = [...recipients.to, ...recipients.cc].flatMap(({name, address}) => [name ?? '', address]);
	const also = [...codes, ...named.filter(text => text !== '' && text !== to)].join('\n');
	return {id, inbox_id, from, from_name, to, subject, size, received_at, also};
}

function message({messages: {shown}, preview, revision}: WatchState, api: WatchApi): Lack | undefined {
	const row = selectedRow(shown);
	if (row === undefined || row.id === preview.message?.id) {
		return undefined;
	}

	const read = async (): Promise<Update> => {
		const message = await api.messages.get(row.inbox_id, row.id);
		return ({preview}) => ({preview: {...preview, message, isSlow: false}});
	};
	const slow =
		(isSlow: boolean): Update =>
		({preview}) => ({preview: {...preview, isSlow}});
	return {name: `${row.id} ${revision}`, restMs, read, slow};
}

function source({preview: {tab, message: open, source: known}, revision}: WatchState, api: WatchApi): Lack | undefined {
	if (tab !== 'source' || known !== undefined || open === undefined) {
		return undefined;
	}

	const read = async (): Promise<Update> => {
		const bytes = await api.messages.raw(open.inbox_id, open.id);
		return ({preview}) => ({preview: {...preview, source: bytes.toString('utf8', 0, maxSource)}});
	};
	return {name: `${open.id} ${revision}`, read};
}

function endpointsRequest({revision, webhooks}: WatchState): string {
	return `${webhooks.endpointsRevision} ${revision}`;
}

function endpoints(state: WatchState, api: WatchApi): Lack | undefined {
	const request = endpointsRequest(state);
	const read = async (): Promise<Update> => {
		const {endpoints: rows} = await api.webhooks.list();
		return ({webhooks}) => ({
			webhooks: {...webhooks, endpoints: withRows(webhooks.endpoints, rows), endpointsRead: request},
		});
	};
	return state.screen === 'webhooks' && request !== state.webhooks.endpointsRead ? {name: request, read} : undefined;
}

function deliveries({screen, revision, webhooks}: WatchState, api: WatchApi): Lack | undefined {
	const endpointId = selectedRow(webhooks.endpoints)?.id;
	const request = `${endpointId} ${webhooks.deliveriesRevision} ${revision}`;
	if (screen !== 'webhooks' || endpointId === undefined || request === webhooks.deliveriesRead) {
		return undefined;
	}

	const read = async (): Promise<Update> => {
		const {deliveries: rows, pagination} = await api.webhooks.deliveries(endpointId, {page: 1, limit: 100});
		const {total} = pagination;
		return ({webhooks}) => ({
			webhooks: {...webhooks, deliveries: withRows(webhooks.deliveries, rows), total, deliveriesRead: request},
		});
	};
	return {name: request, read};
}

function faultsRequest({revision, faults: {inboxId, faultsRevision}}: WatchState): string {
	return `${inboxId} ${faultsRevision} ${revision}`;
}

function faults(state: WatchState, api: WatchApi): Lack | undefined {
	const {inboxId, faultsRead} = state.faults;
	const request = faultsRequest(state);
	if (state.screen !== 'faults' || inboxId === undefined || request === faultsRead) {
		return undefined;
	}

	const read = async (): Promise<Update> => {
		const rows = await api.faults.list(inboxId);
		return ({faults}) => ({faults: {...withFaults(faults, rows), faultsRead: request}});
	};
	return {name: request, read};
}

/** Read when it is known which faults there are: the selected one may be gone. */
function hits(state: WatchState, api: WatchApi): Lack | undefined {
	const {screen, revision, faults} = state;
	const {inboxId, hitsRevision, hitsRead, faultsRead} = faults;
	const fault = selectedFault(faults)?.id;
	const request = `${inboxId} ${fault} ${hitsRevision} ${revision}`;
	const isKnown = faultsRead === faultsRequest(state);
	if (screen !== 'faults' || inboxId === undefined || request === hitsRead || !isKnown) {
		return undefined;
	}

	const read = async (): Promise<Update> => {
		const list = await api.faults.hits(inboxId, {fault, page: 1, limit: 100});
		return ({faults, focus}) => ({faults: {...withHits(faults, list, focus.faults === 'hit'), hitsRead: request}});
	};
	return {name: request, read};
}

/** Events within this time change the screen together. */
const batchMs = 100;

/**
 * Follows the live feed until the signal aborts, through every loss of the connection. Where the feed cannot resume
 * without a gap, everything is read again.
 */
export async function follow(
	api: WatchApi,
	store: StateStore,
	about: () => Promise<About>,
	signal: AbortSignal,
): Promise<void> {
	const batch: EventBody[] = [];
	let timer: NodeJS.Timeout | undefined;
	const flush = () => {
		clearTimeout(timer);
		timer = undefined;
		if (batch.length > 0) {
			const events = batch.splice(0);
			store.update(state => withEvents(state, events));
		}
	};
	const onLost = (reason: unknown) => store.update({feed: {status: 'lost', reason: causeOf(reason)}});
	for await (const event of followAlways(api.events, signal, onLost)) {
		if (event.type === 'ready') {
			flush();
			const known = await about();
			// What failed was mostly the connection, and is tried again.
			store.update(({notice}) => ({
				feed: {status: 'live'},
				about: known,
				notice: notice?.tone === 'error' ? undefined : notice,
			}));
			if (!event.resumed) {
				store.update(restart);
			}
		} else {
			batch.push(event);
			timer ??= setTimeout(flush, batchMs);
		}
	}

	clearTimeout(timer);
}
