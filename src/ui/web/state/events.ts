import type {EventBody} from '../../../contract/events.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import {withInboxEvents, withInboxes, withUnseen} from '../../core/inboxes.js';
import {withFaultEvents} from './faults.js';
import {withKeptEvents, withoutFailures} from './message.js';
import {withMailEvents} from './open-list.js';
import {withoutDone} from './removals.js';
import type {WebState} from './state.js';
import {withDeliveryEvents} from './webhooks.js';

/** The most events that are kept while the inboxes are read. */
const maxTold = 20_000;

/** Takes in what the live feed told, in order and all at once. */
export function withFeed(state: WebState, events: readonly EventBody[]): Partial<WebState> {
	const {inboxesRevision, revision, toldMeanwhile} = state;
	return {
		inboxes: withInboxEvents(state.inboxes, events),
		toldMeanwhile: inboxesRevision === revision ? [] : [...toldMeanwhile, ...events].slice(-maxTold),
		unseen: withUnseen(state.unseen, events),
		message: withKeptEvents(state.message, events),
		list: withMailEvents(state, events),
		webhooks: withDeliveryEvents(state.webhooks, events),
		faults: withFaultEvents(state.faults, events),
		removals: withoutDone(state.removals, events),
	};
}

/** The inboxes as they were read, and what the feed told since: each event says how things are behind it. */
export function withReadInboxes({inboxes, toldMeanwhile}: WebState, all: readonly InboxBody[]): Partial<WebState> {
	return {inboxes: withInboxEvents(withInboxes(inboxes, all), toldMeanwhile), toldMeanwhile: []};
}

/** The feed tells what changes. What failed before was mostly the connection, and is tried again. */
export function withLiveFeed({feed, notice, message}: WebState): Partial<WebState> {
	return feed.status === 'live'
		? {}
		: {
				feed: {status: 'live'},
				notice: notice?.tone === 'error' ? undefined : notice,
				message: withoutFailures(message),
			};
}

/** Everything is to be read again. */
export function readAnew({revision}: WebState): Partial<WebState> {
	return {revision: revision + 1};
}
