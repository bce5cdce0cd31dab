import {ApiError} from '../../../client/errors.js';
import type {OwnWebSessionBody} from '../../../contract/keys.js';
import {causeOf} from '../../../lib/errors.js';
import {sleep} from '../../../lib/sleep.js';
import {appKey} from '../api/app-key.js';
import {loggedOut} from '../state/state.js';
import type {Web} from '../web.js';

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
