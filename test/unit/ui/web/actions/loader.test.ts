import {expect, test} from 'vitest';
import {UnreachableError} from '../../../../../src/client/errors.js';
import type {InboxBody} from '../../../../../src/contract/inboxes.js';
import {sleep} from '../../../../../src/lib/time/sleep.js';
import {withInboxes} from '../../../../../src/ui/core/inboxes.js';
import {createStore} from '../../../../../src/ui/core/store.js';
import {loadPage} from '../../../../../src/ui/web/actions/loader.js';
import type {Web} from '../../../../../src/ui/web/context.js';
import {mailRoute} from '../../../../../src/ui/web/state/route.js';
import {initialState, loggedOut, type WebState} from '../../../../../src/ui/web/state/state.js';
import {inboxBody} from '../../tui/bodies.js';

/** A page with one inbox, whose messages cannot be read at first, nor while the feed is lost. */
function openInbox(retryMs?: number) {
	const inbox = {id: 'a', email_address: 'a', name: null, message_count: 1} as InboxBody;
	const {inboxes, ...state} = initialState(mailRoute('a'));
	const store = createStore<WebState>({
		...state,
		account: {status: 'in', email: 'ann@example.com'},
		feed: {status: 'live'},
		revision: 1,
		inboxesRevision: 1,
		inboxes: withInboxes(inboxes, [inbox]),
	});
	let asked = 0;
	const summaries = async () => {
		asked++;
		if (store.get().feed.status === 'lost' || asked === 1) {
			throw new UnreachableError('http://127.0.0.1', 'cannot be reached');
		}

		return [{id: 'm', inbox_id: 'a'}];
	};
	loadPage({store, api: {messages: {summaries}}, go() {}} as unknown as Web, retryMs);
	return {store, asked: () => asked, rows: () => store.get().list.rows.map(({id}) => id)};
}

test('a read that failed without the daemon is repeated when the feed is live again, not before', async () => {
	const {store, asked, rows} = openInbox();
	await expect.poll(() => store.get().notice?.tone).toBe('error');
	store.update({feed: {status: 'lost', reason: 'It is away.'}});
	store.update({dialog: {type: 'help'}});
	expect(asked()).toBe(1);
	store.update({feed: {status: 'live'}});
	await expect.poll(rows).toEqual(['m']);
	expect(asked()).toBe(2);
});

test('a read that failed although the feed is live is repeated after a delay', async () => {
	const {store, asked, rows} = openInbox(10);
	await expect.poll(() => store.get().notice?.tone).toBe('error');
	await expect.poll(rows).toEqual(['m']);
	expect(asked()).toBe(2);
});

type Answer = {readonly resolve: (inboxes: readonly InboxBody[]) => void; readonly reject: (error: Error) => void};

/** A page whose reads of the inboxes wait for an answer. */
function openPage() {
	const answers: Answer[] = [];
	const list = async () =>
		new Promise((resolve, reject) => {
			answers.push({resolve: inboxes => resolve({inboxes}), reject});
		});
	const store = createStore<WebState>(initialState({screen: 'inboxes'}));
	const api = {inboxes: {list}, messages: {}, webhooks: {}, faults: {}} as unknown as Web['api'];
	loadPage({store, api, go: () => {}});
	const logIn = (email: string) => store.update({account: {status: 'in', email}, feed: {status: 'live'}, revision: 1});
	return {store, answers, logIn, names: () => store.get().inboxes.all.map(({id}) => id)};
}

test('an answer for the previous account is dropped', async () => {
	const {store, answers, logIn, names} = openPage();
	logIn('ann@example.com');
	await expect.poll(() => answers.length).toBe(1);
	store.update(state => loggedOut(state));
	logIn('bob@example.com');
	await expect.poll(() => answers.length).toBe(2);
	answers[0]?.resolve([inboxBody('of ann')]);
	await sleep(1);
	expect(names()).toEqual([]);
	answers[1]?.resolve([inboxBody('of bob')]);
	await expect.poll(names).toEqual(['of bob']);
});
