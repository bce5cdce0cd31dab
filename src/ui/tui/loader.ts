import {followAlways} from '../../client/events.js';
import {takeRows} from '../../client/pages.js';
import type {MessageBody} from '../../contract/messages.js';
import {causeOf} from '../../lib/errors.js';
import {createEventBatch} from '../core/feed.js';
import {withInboxes} from '../core/inboxes.js';
import {selectedRow, withRows, withStaleList} from '../core/list.js';
import {type MissingData, startLoader} from '../core/loader.js';
import type {MessageRow} from '../core/message-list.js';
import {selectedFault, withFaults, withHits} from './state/faults.js';
import {messageReads, restart, withMessages} from './state/messages.js';
import type {About, WatchState} from './state/state.js';
import {type StateStore, type Update, withEvents} from './state/update.js';
import type {WatchApi} from './watch.js';

/** Delay before a selected message is read, so that moving through the list reads only the last one. */
const restMs = 50;

/** Interval in which endpoints or faults are read again while they are shown, because not every change has an event. */
const refreshMs = 2000;

/** Maximum size of a source that is shown, in bytes. The pager shows all of it. */
const maxSource = 256 * 1024;

type Missing = MissingData<WatchState> | undefined;

/** Reads what the screens show from the daemon, until the signal aborts. */
export function loadScreens(store: StateStore, api: WatchApi, signal: AbortSignal): void {
	const finders = [
		missingInboxes,
		missingMessages,
		missingMessage,
		missingSource,
		missingEndpoints,
		missingDeliveries,
		missingFaults,
		missingHits,
	];
	const bound = finders.map(find => (state: WatchState) => find(state, api));
	startLoader(store, bound, {signal});

	const timer = setInterval(() => {
		const state = store.get();
		if (state.screen === 'webhooks' && state.webhooks.listRead === endpointsRequest(state)) {
			store.update({webhooks: withStaleList(state.webhooks)});
		} else if (state.screen === 'faults' && state.faults.listRead === faultsRequest(state)) {
			store.update({faults: withStaleList(state.faults)});
		}
	}, refreshMs);
	signal.addEventListener('abort', () => clearInterval(timer));
}

/**
 * Follows the live feed until the signal aborts, through every loss of the connection. If the feed cannot resume without a gap,
 * everything is read again.
 */
export async function follow(
	api: WatchApi,
	store: StateStore,
	about: () => Promise<About>,
	signal: AbortSignal,
): Promise<void> {
	const batch = createEventBatch(events => store.update(state => withEvents(state, events)));
	const onLost = (reason: unknown) => store.update({feed: {status: 'lost', reason: causeOf(reason)}});
	for await (const event of followAlways(api.events, signal, onLost)) {
		if (event.type === 'ready') {
			batch.flush();
			const current = await about();
			// An error was probably caused by the connection.
			store.update(({notice}) => ({
				feed: {status: 'live'},
				about: current,
				notice: notice?.tone === 'error' ? undefined : notice,
			}));
			if (!event.resumed) {
				store.update(restart);
			}
		} else {
			batch.add(event);
		}
	}

	batch.discard();
}

function missingInboxes({inboxesRevision, revision}: WatchState, api: WatchApi): Missing {
	const read = async (): Promise<Update> => {
		const rows = await takeRows(async page => (await api.inboxes.list(page)).inboxes, Infinity);
		return state => ({inboxes: withInboxes(state.inboxes, rows), inboxesRevision: revision});
	};
	return inboxesRevision === revision ? undefined : {name: `${revision}`, read};
}

function missingMessages(state: WatchState, api: WatchApi): Missing {
	const requests = messageReads(state);
	const read = async (): Promise<Update> => {
		const answers = await Promise.all(
			requests.map(async request => {
				const {limit} = request.read;
				const before = 'before' in request.read ? request.read.before : undefined;
				return {request, rows: (await api.messages.list(request.inboxId, {before, limit})).map(rowOf)};
			}),
		);
		return state => answers.reduce((next, {request, rows}) => withMessages(next, request, rows), state);
	};
	const ids = requests.map(({inboxId}) => inboxId);
	return ids.length > 0 ? {name: `${ids} ${state.revision}`, read} : undefined;
}

/** Row without bodies, which would take megabytes in a long list. */
function rowOf(message: MessageBody): MessageRow {
	const {id, inbox_id, from, from_name, to, subject, size, received_at, codes, recipients} = message;
	const named = [...recipients.to, ...recipients.cc].flatMap(({name, address}) => [name ?? '', address]);
	const also = [...codes, ...named.filter(text => text !== '' && text !== to)].join('\n');
	return {id, inbox_id, from, from_name, to, subject, size, received_at, also};
}

function missingMessage({messages: {shown}, preview, revision}: WatchState, api: WatchApi): Missing {
	const row = selectedRow(shown);
	if (row === undefined || row.id === preview.message?.id) {
		return undefined;
	}

	return {
		name: `${row.id} ${revision}`,
		delayMs: restMs,
		async read(signal) {
			const message = await api.messages.get(row.inbox_id, row.id, {}, signal);
			return ({preview}) => ({preview: {...preview, message, isSlow: false}});
		},
		slow:
			isSlow =>
			({preview}) => ({preview: {...preview, isSlow}}),
	};
}

function missingSource({preview: {tab, message: open, source}, revision}: WatchState, api: WatchApi): Missing {
	if (tab !== 'source' || source !== undefined || open === undefined) {
		return undefined;
	}

	const read = async (): Promise<Update> => {
		const bytes = await api.messages.raw(open.inbox_id, open.id);
		return ({preview}) => ({preview: {...preview, source: bytes.toString('utf8', 0, maxSource)}});
	};
	return {name: `${open.id} ${revision}`, read};
}

function endpointsRequest({revision, webhooks}: WatchState): string {
	return `${webhooks.listRevision} ${revision}`;
}

function missingEndpoints(state: WatchState, api: WatchApi): Missing {
	const name = endpointsRequest(state);
	const read = async (): Promise<Update> => {
		const {endpoints: rows} = await api.webhooks.list();
		return ({webhooks}) => ({webhooks: {...webhooks, list: withRows(webhooks.list, rows), listRead: name}});
	};
	return state.screen === 'webhooks' && name !== state.webhooks.listRead ? {name, read} : undefined;
}

function missingDeliveries({screen, revision, webhooks}: WatchState, api: WatchApi): Missing {
	const endpointId = selectedRow(webhooks.list)?.id;
	const name = `${endpointId} ${webhooks.recordsRevision} ${revision}`;
	if (screen !== 'webhooks' || endpointId === undefined || name === webhooks.recordsRead) {
		return undefined;
	}

	const read = async (): Promise<Update> => {
		const {deliveries: rows, pagination} = await api.webhooks.deliveries(endpointId, {page: 1, limit: 100});
		const {total} = pagination;
		return ({webhooks}) => ({
			webhooks: {...webhooks, records: withRows(webhooks.records, rows), total, recordsRead: name},
		});
	};
	return {name, read};
}

function faultsRequest({revision, faults: {inboxId, listRevision}}: WatchState): string {
	return `${inboxId} ${listRevision} ${revision}`;
}

function missingFaults(state: WatchState, api: WatchApi): Missing {
	const {inboxId, listRead} = state.faults;
	const name = faultsRequest(state);
	if (state.screen !== 'faults' || inboxId === undefined || name === listRead) {
		return undefined;
	}

	const read = async (): Promise<Update> => {
		const rows = await api.faults.list(inboxId);
		return ({faults}) => ({faults: {...withFaults(faults, rows), listRead: name}});
	};
	return {name, read};
}

/** The faults come first, because the selected one may be deleted. */
function missingHits(state: WatchState, api: WatchApi): Missing {
	const {screen, revision, faults} = state;
	const {inboxId, recordsRevision, recordsRead, listRead} = faults;
	const fault = selectedFault(faults)?.id;
	const name = `${inboxId} ${fault} ${recordsRevision} ${revision}`;
	const areFaultsRead = listRead === faultsRequest(state);
	if (screen !== 'faults' || inboxId === undefined || name === recordsRead || !areFaultsRead) {
		return undefined;
	}

	const read = async (): Promise<Update> => {
		const list = await api.faults.hits(inboxId, {fault, page: 1, limit: 100});
		return ({faults, focus}) => ({faults: {...withHits(faults, list, focus.faults === 'hit'), recordsRead: name}});
	};
	return {name, read};
}
