import {followAlways, type StreamEvent} from '../../../client/events.js';
import type {EventBody} from '../../../contract/events.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import {causeOf} from '../../../lib/errors.js';
import {createEventBatch} from '../../core/feed.js';
import {withInboxEvents, withInboxes, withUnseen} from '../../core/inboxes.js';
import type {Web} from '../context.js';
import {withoutDeleted} from '../state/removals.js';
import type {WebState} from '../state/state.js';
import {withFaultEvents} from './faults.js';
import {withMailEvents} from './message-list.js';
import {isLoggedOut} from './notices.js';
import {withCachedEvents, withoutFailures} from './open-message.js';
import {withDeliveryEvents} from './webhooks.js';

/** Time after which a new tab takes over from a leading tab that does not respond. */
const takeoverMs = 3000;

/** Follows the live feed while a user is logged in. */
export function followFeed(web: Web): void {
	let followed: string | undefined;
	let leaving = new AbortController();
	const update = () => {
		const {account} = web.store.get();
		const email = account.status === 'in' ? account.email : undefined;
		if (email !== followed) {
			followed = email;
			leaving.abort();
			leaving = new AbortController();
			if (email !== undefined) {
				followAs(email, web, leaving.signal);
			}
		}
	};
	update();
	web.store.subscribe(update);
}

/** Event with the id of its predecessor, or the reason why the feed is lost. */
type FeedMessage = {readonly after: string | undefined; readonly next: StreamEvent} | {readonly lost: string};

/**
 * Browsers limit the connections to a host for all tabs together. So one tab of an account leads: it follows the feed and sends
 * the events to the other tabs. Its successor resumes from the last event. A tab that missed an event reads everything again.
 */
function followAs(email: string, {store, api}: Web, signal: AbortSignal): void {
	const name = `tinbox feed of ${email}`;
	const tabs = navigator.locks && new BroadcastChannel(name);
	const batch = createEventBatch(events => {
		// Events of an account must not reach the state of another.
		if (!signal.aborted) {
			store.update(state => withFeed(state, events));
		}
	});
	let cursor: string | undefined;
	let turn: AbortSignal | undefined;
	const receive = (message: FeedMessage) => {
		if ('lost' in message) {
			store.update({feed: {status: 'lost', reason: message.lost}});
			return;
		}

		const {id, event} = message.next;
		const isMissing = message.after !== cursor || (event.type === 'ready' && !event.resumed);
		cursor = id;
		if (event.type !== 'ready' && !isMissing) {
			batch.add(event);
			return;
		}

		batch.flush();
		store.update(withLiveFeed);
		if (isMissing) {
			store.update(readAnew);
		}
	};
	const publish = (message: FeedMessage) => {
		tabs?.postMessage(message);
		receive(message);
	};
	const feed = {
		async *follow(signal: AbortSignal) {
			for await (const next of api.events.follow(signal, cursor)) {
				publish({after: cursor, next});
				yield next;
			}
		},
	};
	const onLost = (reason: unknown) => {
		if (!isLoggedOut(reason)) {
			publish({lost: causeOf(reason)});
		}
	};
	const lead = async (own: AbortSignal) => {
		turn = own;
		for await (const _ of followAlways(feed, own, onLost)) {
			// `feed` has published the event.
		}
	};
	tabs?.addEventListener('message', ({data}: MessageEvent<FeedMessage | 'where?'>) => {
		const isLeading = turn?.aborted === false;
		if (isLeading && data === 'where?' && cursor !== undefined && store.get().feed.status === 'live') {
			const ready = {id: cursor, event: {type: 'ready', resumed: true}} as const;
			tabs.postMessage({after: cursor, next: ready} satisfies FeedMessage);
		} else if (!isLeading && data !== 'where?') {
			receive(data);
		}
	});
	tabs?.postMessage('where?');
	signal.addEventListener('abort', () => tabs?.close());
	const takeOver = takeTurns(name, signal, lead);
	setTimeout(() => {
		if (store.get().feed.status === 'connecting' && document.visibilityState === 'visible') {
			takeOver();
		}
	}, takeoverMs);
}

/**
 * Lets one of all tabs with the same name run `lead` at a time, until the signal aborts. Visible tabs come first, because browsers
 * throttle hidden ones. Without the Web Locks API, each visible tab leads. Returns a function that makes this tab lead at once,
 * for use if the leading tab is frozen.
 */
function takeTurns(name: string, signal: AbortSignal, lead: (turn: AbortSignal) => Promise<void>): () => void {
	const {locks} = navigator;
	let turn: AbortSignal | undefined;
	/** Resolves at the end of the turn, or if there is none: true if this tab may lead again. */
	const leadOnce = async (options: LockOptions): Promise<boolean> => {
		const stolen = new AbortController();
		let own: AbortSignal | undefined;
		const run = async () => {
			own = AbortSignal.any([signal, stolen.signal]);
			turn = own;
			await lead(own);
		};
		await locks.request(name, options, run).catch(() => {});
		stolen.abort();
		return own !== undefined && !signal.aborted;
	};
	const queue = async () => {
		while (await leadOnce({signal})) {}
	};
	const takeOver = () => {
		if (locks && !signal.aborted && turn?.aborted !== false) {
			void leadOnce({steal: true});
		}
	};
	const leadWhileVisible = async (visible: AbortSignal) => {
		takeOver();
		if (!visible.aborted) {
			await new Promise(resolve => visible.addEventListener('abort', resolve));
		}
	};
	let hidden = new AbortController();
	const onVisibility = () => {
		hidden.abort();
		hidden = new AbortController();
		const visible = AbortSignal.any([signal, hidden.signal]);
		if (document.visibilityState === 'visible') {
			locks
				? locks.request(`${name}, in view`, {signal: visible}, async () => leadWhileVisible(visible)).catch(() => {})
				: lead(visible);
		}
	};
	if (locks) {
		void queue();
	}

	onVisibility();
	document.addEventListener('visibilitychange', onVisibility, {signal});
	return takeOver;
}

/** Maximum number of events that are kept while the inboxes are being read. */
const maxInboxEvents = 20_000;

/** Applies events of the live feed, in order. */
export function withFeed(state: WebState, events: readonly EventBody[]): Partial<WebState> {
	const {inboxesRevision, revision, inboxEvents} = state;
	return {
		inboxes: withInboxEvents(state.inboxes, events),
		inboxEvents: inboxesRevision === revision ? [] : [...inboxEvents, ...events].slice(-maxInboxEvents),
		unseen: withUnseen(state.unseen, events),
		message: withCachedEvents(state.message, events),
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
function withLiveFeed({feed, notice, message}: WebState): Partial<WebState> {
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
