import type {EventBody} from '../../../contract/events.js';
import {allMail, withInboxEvents, withUnseen} from '../../core/inboxes.js';
import {selectedRow} from '../../core/list.js';
import {faultLines, noFaultPanes, selectedFault, withStaleFaults} from './faults.js';
import {readingWidth} from './layout.js';
import {isShown, restart, startReading, withMessageEvents, withShownMessages} from './messages.js';
import {deliveryLines, previewLines} from './reading.js';
import type {WatchState} from './state.js';

/** The parts of the state that become others, or a pure function that finds them. */
export type Update = Partial<WatchState> | ((state: WatchState) => Partial<WatchState>);

/** The state after an update, with what follows from it: which messages are shown, which is open, how it is laid out. */
export function updated(state: WatchState, update: Update): WatchState {
	const parts = typeof update === 'function' ? update(state) : update;
	const next = withShownMessages(withSelectedInbox({...state, ...parts}), state);
	return withHitLines(withDeliveryLines(withPreviewLines(closePreview(next), state), state), state);
}

function withSelectedInbox(state: WatchState): WatchState {
	const {messages, faults} = state;
	const inboxId = selectedRow(state.inboxes.shown)?.id;
	const ofFaults = inboxId === allMail.id ? null : inboxId;
	return inboxId === messages.inboxId && ofFaults === faults.inboxId
		? state
		: {
				...state,
				messages: inboxId === messages.inboxId ? messages : startReading(messages, inboxId),
				faults: {...noFaultPanes, inboxId: ofFaults},
			};
}

function closePreview(state: WatchState): WatchState {
	const {preview} = state;
	const selected = selectedRow(state.messages.shown)?.id;
	return preview.message === undefined || preview.message.id === selected
		? state
		: {
				...state,
				preview: {
					...preview,
					message: undefined,
					source: undefined,
					top: 0,
					item: 0,
					match: undefined,
					page: undefined,
				},
			};
}

function withPreviewLines(state: WatchState, before: WatchState): WatchState {
	const {preview} = state;
	const width = readingWidth(state);
	const isSame =
		preview.message === before.preview.message &&
		preview.source === before.preview.source &&
		preview.tab === before.preview.tab &&
		width === readingWidth(before);
	return isSame ? state : {...state, preview: {...preview, lines: previewLines(preview, width), match: undefined}};
}

function withDeliveryLines(state: WatchState, before: WatchState): WatchState {
	const delivery = selectedRow(state.webhooks.deliveries);
	const width = readingWidth(state);
	return delivery === selectedRow(before.webhooks.deliveries) && width === readingWidth(before)
		? state
		: {...state, webhooks: {...state.webhooks, lines: deliveryLines(delivery, width), top: 0}};
}

function withHitLines(state: WatchState, before: WatchState): WatchState {
	const {faults} = state;
	const hit = selectedRow(faults.hits);
	const fault = selectedFault(faults);
	const width = readingWidth(state);
	const isSame = hit?.id === selectedRow(before.faults.hits)?.id && width === readingWidth(before);
	return isSame && fault === selectedFault(before.faults)
		? state
		: {...state, faults: {...faults, lines: faultLines(fault, hit, width), top: isSame ? faults.top : 0}};
}

/** Takes in what the live feed told, in order and all at once. */
export function withEvents(state: WatchState, events: readonly EventBody[]): Partial<WatchState> {
	const {webhooks, faults} = state;
	const tellsOfDeliveries = events.some(
		event => event.type === 'delivery.changed' && event.endpoint_id === webhooks.endpoints.selected,
	);
	const tellsOfFaults = faults.inboxId !== undefined && events.some(event => inboxOfFaults(event) === faults.inboxId);
	const next = {
		inboxes: withInboxEvents(state.inboxes, events),
		messages: withMessageEvents(state.messages, events),
		webhooks: {...webhooks, deliveriesRevision: webhooks.deliveriesRevision + (tellsOfDeliveries ? 1 : 0)},
		faults: tellsOfFaults ? withStaleFaults({...faults, hitsRevision: faults.hitsRevision + 1}) : faults,
		unseen: withUnseen(state.unseen, events),
	};
	const isEmptied = events.some(event => event.type === 'messages.deleted' && isShown(next.messages, event.inbox_id));
	return isEmptied ? {...next, ...restart({...state, ...next})} : next;
}

/** Whose faults it tells of: those of an inbox, or (null) of the daemon; undefined when of none. */
function inboxOfFaults(event: EventBody): string | null | undefined {
	switch (event.type) {
		case 'fault.hit':
			return event.hit.inbox_id;
		case 'faults.changed':
			return event.inbox_id;
		default:
			return undefined;
	}
}

export type StateStore = ReturnType<typeof createStateStore>;

/** Keeps the state, changes it, and calls its listeners after every change. */
export function createStateStore(initial: WatchState) {
	let state = initial;
	const listeners = new Set<() => void>();
	return {
		get: () => state,
		update(update: Update) {
			state = updated(state, update);
			for (const listener of listeners) {
				listener();
			}
		},
		/** Adds a listener, until the signal aborts. */
		subscribe(listener: () => void, signal: AbortSignal) {
			listeners.add(listener);
			signal.addEventListener('abort', () => listeners.delete(listener));
		},
	};
}
