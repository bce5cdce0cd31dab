import {ApiError} from '../../../client/errors.js';
import {followAlways, type StreamEvent} from '../../../client/events.js';
import type {EventBody} from '../../../contract/events.js';
import type {OwnWebSessionBody} from '../../../contract/keys.js';
import {causeOf} from '../../../lib/errors.js';
import {sleep} from '../../../lib/time/sleep.js';
import {appKey} from '../api.js';
import type {Web} from '../context.js';
import {readAnew, withFeed, withLiveFeed} from '../state/events.js';
import {loggedOut, type WebStore} from '../state/state.js';
import {isLoggedOut} from './notices.js';

/** Waits between attempts while the daemon is away. */
const retryMs = 1000;

/** Finds out who is logged in, by the link that the page was opened with (`#enter=…`) if there is one. */
export async function findAccount(web: Web): Promise<void> {
	const {store, api} = web;
	const link = takeLink();
	for (;;) {
		try {
			const session = link === undefined ? await api.session.get() : await entered(web, link);
			store.update(state => (session ? {account: {status: 'in', email: session.email}} : loggedOut(state)));
			return;
		} catch (error) {
			store.update({feed: {status: 'lost', reason: causeOf(error)}});
			await sleep(retryMs);
		}
	}
}

/** Who logs in on one tab is logged in on all. */
export function shareAccount(web: Web): void {
	appKey.onKept(() => {
		if (web.store.get().account.status === 'out') {
			void findAccount(web);
		}
	});
}

/** Logs out who has no session any more. */
export async function checkAccount({store, api}: Web): Promise<void> {
	if (store.get().account.status === 'in' && (await api.session.get()) === undefined) {
		store.update(state => loggedOut(state, 'Your session has ended. Log in again to continue.'));
	}
}

/** A link that was used already does no harm to who is logged in. */
async function entered({store, api}: Web, link: string): Promise<OwnWebSessionBody | undefined> {
	try {
		return await api.session.enter(link);
	} catch (error) {
		if (!(error instanceof ApiError)) {
			throw error;
		}

		const session = await api.session.get();
		if (session === undefined) {
			store.update(state => loggedOut(state, error.detail));
		}

		return session;
	}
}

/** Nobody finds it in the history of the browser. */
function takeLink(): string | undefined {
	const link = new URLSearchParams(location.hash.slice(1)).get('enter') ?? undefined;
	if (link !== undefined) {
		history.replaceState(null, '', location.pathname + location.search);
	}

	return link;
}

/** Logs in by an API key or a token. Rejects with why not. */
export async function logIn({store, api}: Web, secret: string): Promise<void> {
	const {email} = await api.session.logIn(secret);
	store.update({account: {status: 'in', email}, feed: {status: 'connecting'}, notice: undefined});
}

export async function logOut({store, api}: Web): Promise<void> {
	await api.session.logOut();
	store.update(state => loggedOut(state));
}

/**
 * Has one of all tabs that ask for the same name lead at a time, until the signal aborts: one in view where there is one, for a
 * browser leaves little time to others. When it is closed, another one leads. Where tabs cannot agree, each one in view leads.
 * What it gives has this tab lead at once, for one that leads but does not move.
 */
function takeTurns(name: string, signal: AbortSignal, lead: (turn: AbortSignal) => Promise<void>): () => void {
	const {locks} = navigator;
	let turn: AbortSignal | undefined;
	/** Resolves when the turn is over, or will never come: to whether there may be another one. */
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
	const leadInView = async (inView: AbortSignal) => {
		takeOver();
		if (!inView.aborted) {
			await new Promise(resolve => inView.addEventListener('abort', resolve));
		}
	};
	let leaving = new AbortController();
	const look = () => {
		leaving.abort();
		leaving = new AbortController();
		const inView = AbortSignal.any([signal, leaving.signal]);
		if (document.visibilityState === 'visible') {
			locks
				? locks.request(`${name}, in view`, {signal: inView}, async () => leadInView(inView)).catch(() => {})
				: lead(inView);
		}
	};
	if (locks) {
		void queue();
	}

	look();
	document.addEventListener('visibilitychange', look, {signal});
	return takeOver;
}

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
