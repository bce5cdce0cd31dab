import {followAlways, type StreamEvent} from '../../../client/events.js';
import type {EventBody} from '../../../contract/events.js';
import {causeOf} from '../../../lib/errors.js';
import {readAnew, withFeed, withLiveFeed} from '../state/events.js';
import type {WebStore} from '../state/store.js';
import type {Web} from '../web.js';
import {isLoggedOut} from './attempt.js';
import {takeTurns} from './turns.js';

/** Events within this time change the page together. */
const batchMs = 100;

/** How long a new tab waits for the one that leads. */
const patienceMs = 3000;

/** Follows the live feed for as long as somebody is logged in. */
export function followAccount(web: Web): void {
	let followed: string | undefined;
	let leaving = new AbortController();
	const look = () => {
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
	look();
	web.store.subscribe(look);
}

/** What the feed told behind the event with that id; or why it tells nothing for now. */
type News = {readonly after: string | undefined; readonly next: StreamEvent} | {readonly lost: string};

/**
 * A browser keeps few connections to one host for all its tabs: one tab of an account follows the feed, and passes on to the
 * others what it tells. The next one to do so takes up behind what it heard last. Who missed something reads everything again.
 */
function followAs(email: string, {store, api}: Web, signal: AbortSignal): void {
	const name = `tinbox feed of ${email}`;
	const tabs = navigator.locks && new BroadcastChannel(name);
	const changes = gathered(store, signal);
	let cursor: string | undefined;
	let turn: AbortSignal | undefined;
	const hear = (news: News) => {
		if ('lost' in news) {
			store.update({feed: {status: 'lost', reason: news.lost}});
			return;
		}

		const {id, event} = news.next;
		const isMissing = news.after !== cursor || (event.type === 'ready' && !event.resumed);
		cursor = id;
		if (event.type !== 'ready' && !isMissing) {
			changes.add(event);
			return;
		}

		changes.show();
		store.update(withLiveFeed);
		if (isMissing) {
			store.update(readAnew);
		}
	};
	const tell = (news: News) => {
		tabs?.postMessage(news);
		hear(news);
	};
	const feed = {
		async *follow(signal: AbortSignal) {
			for await (const next of api.events.follow(signal, cursor)) {
				tell({after: cursor, next});
				yield next;
			}
		},
	};
	const onLost = (reason: unknown) => {
		if (!isLoggedOut(reason)) {
			tell({lost: causeOf(reason)});
		}
	};
	const lead = async (own: AbortSignal) => {
		turn = own;
		for await (const _ of followAlways(feed, own, onLost)) {
			// It was told already.
		}
	};
	tabs?.addEventListener('message', ({data}: MessageEvent<News | 'where?'>) => {
		const isLeading = turn?.aborted === false;
		if (isLeading && data === 'where?' && cursor !== undefined && store.get().feed.status === 'live') {
			tabs.postMessage({after: cursor, next: {id: cursor, event: {type: 'ready', resumed: true}}} satisfies News);
		} else if (!isLeading && data !== 'where?') {
			hear(data);
		}
	});
	tabs?.postMessage('where?');
	signal.addEventListener('abort', () => tabs?.close());
	const takeOver = takeTurns(name, signal, lead);
	setTimeout(() => {
		if (store.get().feed.status === 'connecting' && document.visibilityState === 'visible') {
			takeOver();
		}
	}, patienceMs);
}

/** Events that change the page together. */
function gathered(store: WebStore, signal: AbortSignal) {
	const batch: EventBody[] = [];
	let timer: ReturnType<typeof setTimeout> | undefined;
	const show = () => {
		clearTimeout(timer);
		timer = undefined;
		const events = batch.splice(0);
		// Nobody sees what was meant for who is logged out by now.
		if (events.length > 0 && !signal.aborted) {
			store.update(state => withFeed(state, events));
		}
	};
	return {
		add(event: EventBody) {
			batch.push(event);
			timer ??= setTimeout(show, batchMs);
		},
		/** Changes it now. */
		show,
	};
}
