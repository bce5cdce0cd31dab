import {ApiError} from '../../../client/errors.js';
import type {OwnWebSessionBody} from '../../../contract/keys.js';
import {causeOf} from '../../../lib/errors.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {sleep} from '../../../lib/time/sleep.js';
import {appKey} from '../api.js';
import type {Web} from '../context.js';
import {loggedOut} from '../state/state.js';

/** Delay between attempts while the daemon does not respond. */
const retryMs = 1000;

/** Finds the account of the session. If the page was opened with a login link (`#enter=…`), logs in with it first. */
export async function findAccount(web: Web): Promise<void> {
	const {store, api} = web;
	const link = takeLink();
	for (;;) {
		try {
			const session = link === undefined ? await api.session.get() : await logInByLink(web, link);
			const {account} = store.get();
			if (session && account.status === 'in' && account.email !== session.email) {
				// Another tab changed the account.
				location.reload();
			} else {
				store.update(state => (session ? {account: {status: 'in', email: session.email}} : loggedOut(state)));
			}

			return;
		} catch (error) {
			store.update({feed: {status: 'lost', reason: causeOf(error)}});
			await sleep(retryMs);
		}
	}
}

/** Logs this tab in when the user logs in on another tab. */
export function followLogin(web: Web): void {
	appKey.onChange(() => void findAccount(web));
}

/** Shows the login page if the session has ended. */
export async function checkAccount({store, api}: Web): Promise<void> {
	if (store.get().account.status === 'in' && (await api.session.get()) === undefined) {
		store.update(state => loggedOut(state, 'Your session has ended. Log in again to continue.'));
	}
}

/** Logs in by a link. A used link does not end an existing session, and another account needs a confirmation. */
async function logInByLink({store, api}: Web, link: string): Promise<OwnWebSessionBody | undefined> {
	const session = await api.session.get();
	try {
		const entered = await api.session.enter(link, session?.email);
		if ('expires_at' in entered) {
			return entered;
		}

		const [other, own] = [entered, session].map(account => sanitizeLine(account?.email ?? ''));
		store.update({
			dialog: {
				type: 'question',
				text: `This link logs in as ${other}. You are logged in as ${own}. Change the account?`,
				yes: 'Change account',
				onYes: async () => {
					await api.session.enter(link);
					location.reload();
				},
			},
		});
		return session;
	} catch (error) {
		if (!(error instanceof ApiError)) {
			throw error;
		}

		if (session === undefined) {
			store.update(state => loggedOut(state, error.detail));
		}

		return session;
	}
}

/** Returns the login link in the URL and removes it from the browser's history. */
function takeLink(): string | undefined {
	const link = new URLSearchParams(location.hash.slice(1)).get('enter') ?? undefined;
	if (link !== undefined) {
		history.replaceState(null, '', location.pathname + location.search);
	}

	return link;
}

/** Logs in by an API key or a token. Rejects if it is not accepted. */
export async function logIn({store, api}: Web, secret: string): Promise<void> {
	const {email} = await api.session.logIn(secret);
	store.update({account: {status: 'in', email}, feed: {status: 'connecting'}, notice: undefined});
}

export async function logOut({store, api}: Web): Promise<void> {
	await api.session.logOut();
	store.update(state => loggedOut(state));
}
