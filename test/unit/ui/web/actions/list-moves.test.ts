import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {InboxBody} from '../../../../../src/contract/inboxes.js';
import type {MessageSummaryBody} from '../../../../../src/contract/messages.js';
import {sleep} from '../../../../../src/lib/time/sleep.js';
import {withInboxes} from '../../../../../src/ui/core/inboxes.js';
import {createStore} from '../../../../../src/ui/core/store.js';
import {withFeed} from '../../../../../src/ui/web/actions/feed.js';
import {loadPage} from '../../../../../src/ui/web/actions/loader.js';
import {
	followList,
	moveInList,
	openMessageIn,
	shownList,
	shownRows,
	updatedList,
	withView,
} from '../../../../../src/ui/web/actions/message-list.js';
import type {Web} from '../../../../../src/ui/web/context.js';
import {mailRoute, type Route} from '../../../../../src/ui/web/state/route.js';
import {initialState, type WebState} from '../../../../../src/ui/web/state/state.js';
import {received, summaryBody} from '../../tui/bodies.js';

beforeEach(() => vi.stubGlobal('document', {visibilityState: 'hidden'}));
afterEach(() => vi.unstubAllGlobals());

const idOf = (number: number) => String(number).padStart(6, '0');

/** Page that shows an inbox with `count` messages. The daemon answers when the test calls `answered`. */
function openInbox(count: number) {
	const mails: MessageSummaryBody[] = [];
	const answers: Array<() => void> = [];
	const add = () => {
		const row = summaryBody(idOf(mails.length + 1), {inbox_id: 'a'});
		mails.unshift(row);
		return received(row.id, row, mails.length);
	};
	while (mails.length < count) {
		add();
	}

	const {inboxes, ...state} = initialState(mailRoute('a'));
	const store = createStore<WebState>({
		...state,
		account: {status: 'in', email: 'ann@example.com'},
		feed: {status: 'live'},
		revision: 1,
		inboxesRevision: 1,
		inboxes: withInboxes(inboxes, [{id: 'a', email_address: 'a', name: null, message_count: count} as InboxBody]),
	});
	const summaries = async (_: string, {page = 1, before, limit}: {page?: number; before?: string; limit: number}) =>
		new Promise(resolve => {
			answers.push(() => {
				const start = before === undefined ? (page - 1) * limit : mails.findIndex(({id}) => id === before) + 1;
				resolve(mails.slice(start, start + limit));
			});
		});
	const web = {store, api: {messages: {summaries}}, go: (route: Route) => store.update({route})} as unknown as Web;
	followList(web);
	loadPage(web);
	return {
		web,
		answers,
		tell: (count: number) => store.update(state => withFeed(state, Array.from({length: count}, add))),
		scroll: (start: number) =>
			store.update(state => updatedList(state, list => withView(list, {start, end: start + 12}))),
		answered: async () => {
			await expect.poll(() => answers.length).toBe(1);
			answers.shift()?.();
		},
		isShown: () => {
			const {top, rows} = shownRows(store.get());
			const {view} = shownList(store.get());
			return top <= view.start && view.end <= top + rows.length;
		},
	};
}

test('rows in view are read while mail arrives faster than the daemon answers', async () => {
	const {answers, tell, scroll, answered, isShown} = openInbox(2000);
	await answered();
	await expect.poll(isShown).toBe(true);
	scroll(1000);
	let batches = 0;
	for (let asked = 0; !isShown() && batches < 60; batches++) {
		tell(20);
		await sleep(1);
		asked = answers.length === 0 ? batches : asked;
		if (batches - asked >= 3) {
			answers.shift()?.();
		}
	}

	expect(batches).toBeLessThan(20);
});

test('a step waits for the row of the open message and then opens its neighbour', async () => {
	const {web, answered, scroll} = openInbox(1002);
	const {store, go} = web;
	await answered();
	const open = (messageId: string) => go({screen: 'mail', inboxId: 'a', filter: {}, open: {inboxId: 'a', messageId}});
	open(idOf(1));
	scroll(990);
	// The view is on two pages, of which the first is there.
	await answered();
	await expect.poll(() => shownRows(store.get()).rows.length).toBe(50);
	moveInList(web, -1);
	expect(openMessageIn(store.get())?.messageId).toBe(idOf(1));
	await answered();
	await expect.poll(() => openMessageIn(store.get())?.messageId).toBe(idOf(2));
	moveInList(web, 1);
	expect(openMessageIn(store.get())?.messageId).toBe(idOf(1));
	expect(shownList(store.get()).step).toBeUndefined();
});
