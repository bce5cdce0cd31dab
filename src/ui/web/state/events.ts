import type {EventBody} from '../../../contract/events.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import {withInboxEvents, withInboxes, withUnseen} from '../../core/inboxes.js';
import {withFaultEvents} from './faults.js';
import {withKeptEvents, withoutFailures} from './message.js';
import {withMailEvents} from './message-list.js';
import {withoutDeleted} from './removals.js';
import type {WebState} from './state.js';
import {withDeliveryEvents} from './webhooks.js';

/** Maximum number of events that are kept while the inboxes are being read. */
const maxInboxEvents = 20_000;

/** Applies events of the live feed, in order. */
export function withFeed(state: WebState, events: readonly EventBody[]): Partial<WebState> {
	const {inboxesRevision, revision, inboxEvents} = state;
	return {
		inboxes: withInboxEvents(state.inboxes, events),
		inboxEvents: inboxesRevision === revision ? [] : [...inboxEvents, ...events].slice(-maxInboxEvents),
		unseen: withUnseen(state.unseen, events),
		message: withKeptEvents(state.message, events),
		list: withMailEvents(state, events),
		webhooks: withDeliveryEvents(state.webhooks, events),
		faults: withFaultEvents(state.faults, events),
		removals: withoutDeleted(state.removals, events),
	};
}

/** Applies the list of inboxes, and the events that it may lack: each event holds the new value, so repeating one is harmless. */
export function withReadInboxes({inboxes, inboxEvents}: WebState, all: readonly InboxBody[]): Partial<WebState> {
	return {inboxes: withInboxEvents(withInboxes(inboxes, all), inboxEvents), inboxEvents: []};
}

/** Marks the feed as live and drops failures: they were probably caused by the connection. */
export function withLiveFeed({feed, notice, message}: WebState): Partial<WebState> {
	return feed.status === 'live'
		? {}
		: {
				feed: {status: 'live'},
				notice: notice?.tone === 'error' ? undefined : notice,
				message: withoutFailures(message),
			};
}

/** Requests that everything is read again. */
export function readAnew({revision}: WebState): Partial<WebState> {
	return {revision: revision + 1};
}
