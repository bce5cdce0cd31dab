import type {EventBody} from '../../../contract/events.js';
import {allMail, withInboxEvents, withUnseen} from '../../core/inboxes.js';
import {selectedRow, withStaleList} from '../../core/list.js';
import {createStore, type Store, type Update as UpdateOf} from '../../core/store.js';
import {faultLines, selectedFault} from './faults.js';
import {readingWidth} from './layout.js';
import {startReading, withMessageEvents, withShownMessages} from './messages.js';
import {deliveryLines, previewLines} from './reading.js';
import {noRecords, type WatchState} from './state.js';

export type Update = UpdateOf<WatchState>;

export type StateStore = Store<WatchState>;

/** Creates the store of the terminal UI. */
export function createStateStore(initial: WatchState): StateStore {
	return createStore(initial, withDerivedParts);
}

/** Computes the parts that follow from others: messages in the list, open message, wrapped lines. */
export function withDerivedParts(state: WatchState, before: WatchState): WatchState {
	const next = withShownMessages(withSelectedInbox(state), before);
	return withHitLines(withDeliveryLines(withPreviewLines(closePreview(next), before), before), before);
}

/** Applies events of the live feed, in order. */
export function withEvents(state: WatchState, events: readonly EventBody[]): Partial<WatchState> {
	const {webhooks, faults} = state;
	const hasDeliveries = events.some(
		event => event.type === 'delivery.changed' && event.endpoint_id === webhooks.list.selected,
	);
	const hasFaults = events.some(
		event =>
			(event.type === 'fault.hit' && event.hit.inbox_id === faults.inboxId) ||
			(event.type === 'faults.changed' && event.inbox_id === faults.inboxId),
	);
	return {
		inboxes: withInboxEvents(state.inboxes, events),
		messages: withMessageEvents(state.messages, events),
		webhooks: {...webhooks, recordsRevision: webhooks.recordsRevision + (hasDeliveries ? 1 : 0)},
		faults: hasFaults ? withStaleList({...faults, recordsRevision: faults.recordsRevision + 1}) : faults,
		unseen: withUnseen(state.unseen, events),
	};
}

function withSelectedInbox(state: WatchState): WatchState {
	const {messages, faults} = state;
	const inboxId = selectedRow(state.inboxes.shown)?.id;
	const faultInboxId = inboxId === allMail.id ? null : inboxId;
	return inboxId === messages.inboxId && faultInboxId === faults.inboxId
		? state
		: {
				...state,
				messages: inboxId === messages.inboxId ? messages : startReading(messages, inboxId),
				faults: {...noRecords, inboxId: faultInboxId},
			};
}

function closePreview(state: WatchState): WatchState {
	const {preview} = state;
	const selected = selectedRow(state.messages.shown)?.id;
	if (preview.message === undefined || preview.message.id === selected) {
		return state;
	}

	const closed = {message: undefined, source: undefined, top: 0, item: 0, match: undefined, page: undefined};
	return {...state, preview: {...preview, ...closed}};
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
	const delivery = selectedRow(state.webhooks.records);
	const width = readingWidth(state);
	return delivery === selectedRow(before.webhooks.records) && width === readingWidth(before)
		? state
		: {...state, webhooks: {...state.webhooks, lines: deliveryLines(delivery, width), top: 0}};
}

function withHitLines(state: WatchState, before: WatchState): WatchState {
	const {faults} = state;
	const hit = selectedRow(faults.records);
	const fault = selectedFault(faults);
	const width = readingWidth(state);
	const isSame = hit?.id === selectedRow(before.faults.records)?.id && width === readingWidth(before);
	return isSame && fault === selectedFault(before.faults)
		? state
		: {...state, faults: {...faults, lines: faultLines(fault, hit, width), top: isSame ? faults.top : 0}};
}
