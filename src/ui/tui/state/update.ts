import {allMail} from '../../core/inboxes.js';
import {selectedRow} from '../../core/list.js';
import {faultLines, noFaultPanes, selectedFault} from './faults.js';
import {readingWidth} from './layout.js';
import {startReading, withShownMessages} from './messages.js';
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
