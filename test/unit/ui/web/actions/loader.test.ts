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

/** A page with one inbox. Its first request for messages and all requests during a lost feed fail. */
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
	let requestCount = 0;
	const summaries = async () => {
		requestCount++;
		if (store.get().feed.status === 'lost' || requestCount === 1) {
			throw new UnreachableError('http://127.0.0.1', 'cannot be reached');
		}

		return [{id: 'm', inbox_id: 'a'}];
	};
	loadPage({store, api: {messages: {summaries}}, go() {}} as unknown as Web, retryMs);
	return {store, requestCount: () => requestCount, rows: () => store.get().list.rows.map(({id}) => id)};
}

test('a failed request is repeated only after the lost feed is live again', async () => {
	const {store, requestCount, rows} = openInbox();
	await expect.poll(() => store.get().notice?.tone).toBe('error');
	store.update({feed: {status: 'lost', reason: 'It is away.'}});
	store.update({dialog: {type: 'help'}});
	expect(requestCount()).toBe(1);
	store.update({feed: {status: 'live'}});
	await expect.poll(rows).toEqual(['m']);
	expect(requestCount()).toBe(2);
});

test('a failed request is repeated after a delay while the feed is live', async () => {
	const {store, requestCount, rows} = openInbox(10);
	await expect.poll(() => store.get().notice?.tone).toBe('error');
	await expect.poll(rows).toEqual(['m']);
	expect(requestCount()).toBe(2);
});

type PendingResponse = {
	readonly resolve: (inboxes: readonly InboxBody[]) => void;
	readonly reject: (error: Error) => void;
};

/** A page whose requests for inboxes stay pending until a test resolves them. */
function openPage() {
	const responses: PendingResponse[] = [];
	const list = async () =>
		new Promise((resolve, reject) => {
			responses.push({resolve: inboxes => resolve({inboxes}), reject});
		});
	const store = createStore<WebState>(initialState({screen: 'inboxes'}));
	const api = {inboxes: {list}, messages: {}, webhooks: {}, faults: {}} as unknown as Web['api'];
	loadPage({store, api, go: () => {}});
	const logIn = (email: string) => store.update({account: {status: 'in', email}, feed: {status: 'live'}, revision: 1});
	return {store, responses, logIn, names: () => store.get().inboxes.all.map(({id}) => id)};
}

test('a response for the previous account is dropped', async () => {
	const {store, responses, logIn, names} = openPage();
	logIn('ann@example.com');
	await expect.poll(() => responses.length).toBe(1);
	store.update(state => loggedOut(state));
	logIn('bob@example.com');
	await expect.poll(() => responses.length).toBe(2);
	responses[0]?.resolve([inboxBody('of ann')]);
	await sleep(1);
	expect(names()).toEqual([]);
	responses[1]?.resolve([inboxBody('of bob')]);
	await expect.poll(names).toEqual(['of bob']);
});
