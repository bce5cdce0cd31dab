import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {InboxBody} from '../../../../../src/contract/inboxes.js';
import type {MessageSummaryBody} from '../../../../../src/contract/messages.js';
import {sleep} from '../../../../../src/lib/time/sleep.js';
import {withInboxes} from '../../../../../src/ui/core/inboxes.js';
import {createStore} from '../../../../../src/ui/core/store.js';
import {withFeed} from '../../../../../src/ui/web/actions/feed.js';
import {loadPage} from '../../../../../src/ui/web/actions/loader.js';
import {
	moveInList,
	openMessageIn,
	shownList,
	shownRows,
	updatedList,
	watchList,
	withView,
} from '../../../../../src/ui/web/actions/message-list.js';
import type {Web} from '../../../../../src/ui/web/context.js';
import {mailRoute, type Route} from '../../../../../src/ui/web/state/route.js';
import {initialState, type WebState} from '../../../../../src/ui/web/state/state.js';
import {received, summaryBody} from '../../tui/bodies.js';

beforeEach(() => vi.stubGlobal('document', {visibilityState: 'hidden'}));
afterEach(() => vi.unstubAllGlobals());

const idOf = (number: number) => String(number).padStart(6, '0');

/** A page that shows an inbox with `count` messages. Requests stay pending until the test calls `respond`. */
function openInbox(count: number) {
	const messages: MessageSummaryBody[] = [];
	const responses: Array<() => void> = [];
	const add = () => {
		const row = summaryBody(idOf(messages.length + 1), {inbox_id: 'a'});
		messages.unshift(row);
		return received(row.id, row, messages.length);
	};
	while (messages.length < count) {
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
			responses.push(() => {
				const start = before === undefined ? (page - 1) * limit : messages.findIndex(({id}) => id === before) + 1;
				resolve(messages.slice(start, start + limit));
			});
		});
	const web = {store, api: {messages: {summaries}}, go: (route: Route) => store.update({route})} as unknown as Web;
	watchList(web);
	loadPage(web);
	return {
		web,
		responses,
		publish: (count: number) => store.update(state => withFeed(state, Array.from({length: count}, add))),
		scroll: (start: number) =>
			store.update(state => updatedList(state, list => withView(list, {start, end: start + 12}))),
		respond: async () => {
			await expect.poll(() => responses.length).toBe(1);
			responses.shift()?.();
		},
		isShown: () => {
			const {top, rows} = shownRows(store.get());
			const {view} = shownList(store.get());
			return top <= view.start && view.end <= top + rows.length;
		},
	};
}

test('rows in view are loaded while messages arrive faster than responses', async () => {
	const {responses, publish, scroll, respond, isShown} = openInbox(2000);
	await respond();
	await expect.poll(isShown).toBe(true);
	scroll(1000);
	let batches = 0;
	for (let requestedAt = 0; !isShown() && batches < 60; batches++) {
		publish(20);
		await sleep(1);
		requestedAt = responses.length === 0 ? batches : requestedAt;
		if (batches - requestedAt >= 3) {
			responses.shift()?.();
		}
	}

	expect(batches).toBeLessThan(20);
});

test('a step to the next message waits for the row of the open message', async () => {
	const {web, respond, scroll} = openInbox(1002);
	const {store, go} = web;
	await respond();
	const open = (messageId: string) => go({screen: 'mail', inboxId: 'a', filter: {}, open: {inboxId: 'a', messageId}});
	open(idOf(1));
	scroll(990);
	// The view spans two pages; only the first is loaded.
	await respond();
	await expect.poll(() => shownRows(store.get()).rows.length).toBe(50);
	moveInList(web, -1);
	expect(openMessageIn(store.get())?.messageId).toBe(idOf(1));
	await respond();
	await expect.poll(() => openMessageIn(store.get())?.messageId).toBe(idOf(2));
	moveInList(web, 1);
	expect(openMessageIn(store.get())?.messageId).toBe(idOf(1));
	expect(shownList(store.get()).step).toBeUndefined();
});
