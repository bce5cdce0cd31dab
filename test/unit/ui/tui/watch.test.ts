import {describe, expect, test, vi} from 'vitest';
import {selectedInbox} from '../../../../src/ui/core/inboxes.js';
import {selectedRow} from '../../../../src/ui/core/list.js';
import {helpLines} from '../../../../src/ui/tui/keys/bindings.js';
import {deleted, deliveryBody, faultBody, hitBody, inboxBody, messageBody, received} from './bodies.js';
import {FakeDaemon, watchFake} from './fake-watch.js';

/** Two inboxes, the first with three messages; the newest message is open. */
async function openWatch() {
	const daemon = new FakeDaemon();
	daemon.inboxes = [inboxBody('in1', {message_count: 3}), inboxBody('in2')];
	daemon.messages = ['c', 'b', 'a'].map(id =>
		messageBody(id, {
			codes: [`code-${id}`],
			links: [{url: `https://example.com/${id}`, text: 'Confirm'}],
			attachments: [
				{id: '1', filename: 'one.pdf', content_type: 'application/pdf', size: 1, content_id: null, disposition: null},
				{id: '2', filename: 'two.pdf', content_type: 'application/pdf', size: 1, content_id: null, disposition: null},
			],
		}),
	);
	daemon.deliveries = [deliveryBody('d1'), deliveryBody('d2')];
	const watch = watchFake(daemon);
	await vi.waitFor(() => expect(watch.store.get().preview.message?.id).toBe('c'));
	return {daemon, ...watch};
}

describe('the loader', () => {
	test('sends its first request after the live feed is connected, so that no event is missed', async () => {
		const {daemon, store} = await openWatch();
		expect(store.get().feed).toEqual({status: 'live'});
		expect(daemon.requests.slice(0, 3)).toEqual(['inboxes 1', 'messages in1 newest/100', 'message c']);
	});

	test('requests only the pages that are needed', async () => {
		const daemon = new FakeDaemon();
		daemon.inboxes = [inboxBody('in1', {message_count: 500})];
		daemon.messages = Array.from({length: 500}, (_, index) => messageBody(`m${index}`));
		const {store, type} = watchFake(daemon);
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('m0'));
		expect(store.get().messages.all).toHaveLength(100);
		type('l', 'G');
		await vi.waitFor(() => expect(selectedRow(store.get().messages.shown)?.id).toBe('m499'));
		expect(store.get().messages.all.map(({id}) => id)).toEqual(daemon.messages.map(({id}) => id));
	});

	test('requests a message only after the selection rests on it', async () => {
		const {daemon, store, type} = await openWatch();
		type('l', 'j', 'j');
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('a'));
		expect(daemon.requests).not.toContain('message b');
	});

	test('reports a failed request and repeats it after the next connection', async () => {
		const {daemon, store, type, notice} = await openWatch();
		daemon.failure = new Error('The disk is broken.');
		type('l', 'j');
		await vi.waitFor(() => expect(notice()).toBe('The disk is broken.'));
		daemon.failure = undefined;
		daemon.publish({type: 'ready', resumed: false});
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('b'));
	});

	test('repeats a failed request if the user returns to the message', async () => {
		const {daemon, store, type, notice} = await openWatch();
		daemon.failure = new Error('The disk is broken.');
		type('l', 'j');
		await vi.waitFor(() => expect(notice()).toBe('The disk is broken.'));
		daemon.failure = undefined;
		type('j');
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('a'));
		type('k');
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('b'));
	});

	test('lists ten thousand messages of a burst with few requests', async () => {
		const {daemon, store} = await openWatch();
		const before = daemon.requests.length;
		for (let index = 0; index < 10_000; index++) {
			daemon.publish(received(`n${index}`, {}, index + 4));
		}

		await vi.waitFor(() => expect(store.get().messages.all).toHaveLength(10_003));
		expect(store.get().inboxes.all[0]?.message_count).toBe(10_003);
		expect(daemon.requests.length - before).toBeLessThan(20);
	});
});

describe('the live feed', () => {
	test('reconnects after a connection loss and loads missed changes', async () => {
		const {daemon, store} = await openWatch();
		daemon.failure = new Error('Nothing answers.');
		daemon.disconnect(new Error('The daemon has stopped.'));
		await vi.waitFor(() => expect(store.get().feed).toEqual({status: 'lost', reason: 'Nothing answers.'}));
		daemon.messages = [messageBody('d'), ...daemon.messages.slice(1)];
		daemon.publish(received('d'));
		daemon.failure = undefined;
		await vi.waitFor(() => expect(store.get().feed.status).toBe('live'), 5000);
		await vi.waitFor(() => expect(store.get().messages.all.map(({id}) => id)).toEqual(['d', 'b', 'a']));
	});

	test('sends no requests after a reconnection without missed events', async () => {
		const {daemon, store} = await openWatch();
		const before = daemon.requests.length;
		daemon.disconnect(new Error('A moment.'));
		await vi.waitFor(() => expect(store.get().feed.status).toBe('lost'));
		await vi.waitFor(() => expect(store.get().feed.status).toBe('live'), 5000);
		expect(daemon.requests).toHaveLength(before);
	});
});

test('an error disappears when the connection is restored', async () => {
	const {daemon, store, type, notice} = await openWatch();
	daemon.failure = new Error('Nothing answers.');
	daemon.disconnect(new Error('The daemon has stopped.'));
	type('l', 'j');
	await vi.waitFor(() => expect(notice()).toBe('Nothing answers.'));
	daemon.failure = undefined;
	await vi.waitFor(() => expect(store.get().feed.status).toBe('live'), 5000);
	expect(notice()).toBeUndefined();
});

test('a slow message shows a loading state until its request succeeds or fails', async () => {
	const {daemon, store, type} = await openWatch();
	const response = daemon.hold('message b');
	type('l', 'j');
	await vi.waitFor(() => expect(store.get().preview.isSlow).toBe(true), 5000);
	response.resolve();
	await vi.waitFor(() => expect(store.get().preview).toMatchObject({isSlow: false, message: {id: 'b'}}), 5000);
	const failing = daemon.hold('message a');
	type('j');
	await vi.waitFor(() => expect(store.get().preview.isSlow).toBe(true), 5000);
	daemon.failure = new Error('The disk is broken.');
	failing.resolve();
	await vi.waitFor(() => expect(store.get()).toMatchObject({preview: {isSlow: false}, notice: {tone: 'error'}}), 5000);
});

describe('key bindings:', () => {
	test('n asks for a name and creates an inbox', async () => {
		const {daemon, store, type, notice} = await openWatch();
		type('n', ...'log', 'x', 'backspace', ...'in', 'enter');
		await vi.waitFor(() => expect(selectedInbox(store.get().inboxes)?.name).toBe('login'));
		expect(daemon.requests).toContain('create login');
		expect(notice()).toBe('Created new2@tinbox.test. Press y to copy the address.');
	});

	test('escape closes any dialog without an effect', async () => {
		const {daemon, store, type} = await openWatch();
		const before = daemon.requests.length;
		for (const key of ['n', 'd', '/', '?', 'y']) {
			type(key);
			expect(store.get().dialog, key).toBeDefined();
			type('escape');
			expect(store.get().dialog, key).toBeUndefined();
		}

		expect(daemon.requests).toHaveLength(before);
	});

	test('d deletes an inbox or a message only after a confirmation', async () => {
		const {daemon, store, type} = await openWatch();
		type('d', 'n');
		expect(daemon.requests.filter(request => request.startsWith('delete'))).toEqual([]);
		type('d');
		expect(store.get().dialog).toMatchObject({text: 'Delete in1@tinbox.test and its 3 messages?'});
		type('y');
		type('l', 'd', 'y');
		await vi.waitFor(() =>
			expect(daemon.requests.filter(request => request.startsWith('delete'))).toEqual([
				'delete inbox in1',
				'delete message c',
			]),
		);
		daemon.publish(deleted('c'));
		await vi.waitFor(() => expect(store.get().messages.all).toHaveLength(2));
	});

	test('/ filters while the user types or pastes', async () => {
		const {store, type, paste} = await openWatch();
		const shown = () => store.get().messages.shown.rows.map(({id}) => id);
		type('l', '/', ...'ject');
		expect(shown()).toEqual(['c', 'b', 'a']);
		paste(' b\x1b[31m\n');
		expect(store.get().messages.filter).toBe('ject b ');
		type('backspace', 'enter');
		expect(shown()).toEqual(['b']);
		type('escape');
		expect(shown()).toEqual(['c', 'b', 'a']);
	});

	test('enter accepts a filter and keeps the selected row, and escape cancels it', async () => {
		const {daemon, store, type} = await openWatch();
		const selected = () => selectedRow(store.get().messages.shown)?.id;
		type('l', '/', ...'ject b', 'enter');
		daemon.publish(received('d', {subject: 'Subject b too'}, 4));
		await vi.waitFor(() => expect(store.get().messages.shown.rows.map(({id}) => id)).toEqual(['d', 'b']));
		expect(selected()).toBe('b');
		type('escape');
		expect(selected()).toBe('b');
		type('/', ...'ject a');
		expect(selected()).toBe('a');
		type('escape');
		expect([selected(), store.get().messages.filter]).toEqual(['b', '']);
	});

	test('/ filters the inboxes, and u selects those with new mail', async () => {
		const {daemon, store, type} = await openWatch();
		type('/', ...'in2', 'enter');
		expect(selectedRow(store.get().inboxes.shown)?.id).toBe('in2');
		type('escape', 'k');
		daemon.publish(received('new', {inbox_id: 'in2'}));
		await vi.waitFor(() => expect(store.get().unseen.size).toBe(1));
		type('u');
		expect(selectedRow(store.get().inboxes.shown)?.id).toBe('in2');
	});

	test('/ searches the open message, n and N move between matches, and escape ends the search', async () => {
		const {daemon, store, type} = await openWatch();
		daemon.messages = [messageBody('d', {text: 'one\ntwo\nthree\ntwo'}), ...daemon.messages];
		daemon.publish(received('d', {}, 4));
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('d'));
		type('l', 'l', '/', ...'two');
		expect(store.get().preview.match).toBe(1);
		type('enter', 'n');
		expect(store.get().preview.match).toBe(3);
		type('N');
		expect(store.get().preview.match).toBe(1);
		type('escape');
		expect(store.get()).toMatchObject({preview: {search: ''}, focus: {mail: 'preview'}});
		type('/', ...'three', 'escape');
		expect(store.get().preview).toMatchObject({search: '', match: undefined, top: 0});
	});

	test('k selects the row for all inboxes, whose messages offer the address of their inbox to copy', async () => {
		const {daemon, store, type, effects} = await openWatch();
		daemon.messages = [messageBody('z', {inbox_id: 'in2', received_at: '2026-01-02T00:00:00Z'}), ...daemon.messages];
		daemon.publish({type: 'inbox.changed', inbox: inboxBody('in2', {message_count: 1})});
		type('k');
		await vi.waitFor(() => expect(store.get().messages.shown.rows.map(({id}) => id)).toEqual(['z', 'c', 'b', 'a']));
		expect(daemon.requests.slice(-3)).toContain('messages in2 newest/20');
		type('y', 'd');
		expect(store.get().dialog).toBeUndefined();
		type('l', 'y', 'a');
		expect(effects).toEqual(['copy in2@tinbox.test']);
	});

	test('a paste into the filter is truncated to the maximum length of a search', async () => {
		const {store, type, paste} = await openWatch();
		type('l', '/');
		paste('q'.repeat(200_000));
		expect(store.get().messages.filter).toBe('q'.repeat(1000));
		expect(store.get().messages.shown.rows).toEqual([]);
	});

	test('keys of one read act one after the other', async () => {
		const {store, type} = await openWatch();
		type('l', '/', 'q', 'q', 'enter', 'w', 'w', '?');
		expect(store.get()).toMatchObject({messages: {filter: 'qq'}, screen: 'mail', dialog: {type: 'help'}});
	});

	test('the help scrolls by lines and pages, and any other key closes it', async () => {
		const {store, type} = watchFake(new FakeDaemon(), {columns: 60, rows: 15});
		const top = () => {
			const {dialog} = store.get();
			return dialog?.type === 'help' ? dialog.top : undefined;
		};
		type('?', 'j', 'j', 'k');
		expect(top()).toBe(1);
		type(' ');
		expect(top()).toBe(13);
		type('G', 'ctrl+u');
		expect(top()).toBe(helpLines.length - 24);
		type('g');
		expect(top()).toBe(0);
		type('x');
		expect(top()).toBe(undefined);
	});

	test.each([
		[['y', 'a'], 'copy in1@tinbox.test'],
		[['y', 'i'], 'copy in1'],
		[['l', 'y', 'c'], 'copy code-c'],
		[['l', 'y', 'l'], 'copy https://example.com/c'],
		[['l', 'y', 'a'], 'copy in1@tinbox.test'],
		[['l', 'y', 'i'], 'copy c'],
		[['5', 'j', 'y'], 'copy https://example.com/c'],
		[['5', 'enter'], 'copy code-c'],
		[['5', 'j', 'enter'], 'browse https://example.com/c'],
		[['q'], 'quit'],
		[['ctrl+c'], 'quit'],
		[['ctrl+z'], 'suspend'],
		[['ctrl+l'], 'repaint'],
	])('%j has the effect %j', async (keys, effect) => {
		const {type, effects} = await openWatch();
		type(...keys);
		expect(effects).toEqual([effect]);
	});

	test.each([
		[['l', 'o'], 'browse http://127.0.0.1/v1/previews/c'],
		[['l', 'e'], 'page Subject: c\n\n␛[31mred'],
		[['4', 's'], 'save one.pdf bytes'],
		[['4', 'j', 's'], 'save two.pdf bytes'],
		[['l', 's'], 'save one.pdf bytes'],
		[['l', 'S'], 'save c.eml Subject: c\r\n\r\n\x1b[31mred'],
	])('%j sends a request and has the effect %j', async (keys, effect) => {
		const {type, effects} = await openWatch();
		type(...keys);
		await vi.waitFor(() => expect(effects).toEqual([effect]));
	});

	test('o shows the URL and reports a missing browser, and y then offers the URL', async () => {
		const {daemon, store, type, effects, notice, browser} = await openWatch();
		browser.result = 'failed';
		type('l', 'o');
		const url = 'http://127.0.0.1/v1/previews/c';
		await vi.waitFor(() => expect(notice()).toBe(`Could not start a browser. Press y to copy the link: ${url}`));
		effects.length = 0;
		type('y', 'p');
		expect(effects).toEqual([`copy ${url}`]);
		browser.result = 'opened';
		type('o');
		await vi.waitFor(() => expect(notice()).toBe(`Opened ${url}`));
		type('j');
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('b'));
		type('y');
		expect(store.get().dialog).not.toMatchObject({items: expect.arrayContaining([{key: 'p'}])});
		expect(daemon.requests).toContain('preview c');
	});

	test('a saved file is reported with its path', async () => {
		const {type, notice} = await openWatch();
		type('l', 'S');
		await vi.waitFor(() => expect(notice()).toBe('Saved /home/ann/saved.pdf'));
	});

	test('y copies text without control characters', async () => {
		const daemon = new FakeDaemon();
		daemon.inboxes = [inboxBody('in1', {message_count: 1})];
		daemon.messages = [
			messageBody('a', {codes: [], links: [{url: 'https://a.example/\x1b[201~\x9bm\rls\n', text: ''}]}),
		];
		const {store, type, effects} = watchFake(daemon);
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('a'));
		type('l', 'y', 'l');
		expect(effects).toEqual(['copy https://a.example/ ls ']);
	});

	test('numbers and brackets switch the tabs of the open message', async () => {
		const {store, type} = await openWatch();
		const tabs = ['2', ']', ']', '[', '6', ']', '['].map(key => {
			type(key);
			return store.get().preview.tab;
		});
		expect(tabs).toEqual(['html', 'headers', 'attachments', 'headers', 'source', 'text', 'source']);
		await vi.waitFor(() => expect(store.get().preview.lines).toEqual(['Subject: c', '', '␛[31mred']));
	});

	test('w shows the webhooks, r redelivers, and t sends a test', async () => {
		const {daemon, store, type, notice} = await openWatch();
		type('w');
		await vi.waitFor(() => expect(store.get().webhooks.records.rows).toHaveLength(2));
		type('l', 'j', 'r');
		await vi.waitFor(() => expect(notice()).toBe('Redelivered. Response 200.'));
		expect(daemon.requests).toContain('redeliver e1 d2');
		type('t');
		await vi.waitFor(() => expect(notice()).toBe('Test failed. Response 500.'));
		type('w');
		expect(store.get().screen).toBe('mail');
	});

	test('F shows faults and hits of the inbox, d deletes a fault after a confirmation, and y copies', async () => {
		const {daemon, store, type, notice, effects} = await openWatch();
		daemon.faults = [faultBody('f1'), faultBody('f2', {name: null})];
		daemon.hits = [hitBody('h2', {fault_id: null, name: null}), hitBody('h1')];
		const hits = () => store.get().faults.records.rows.map(({id}) => id);
		type('F');
		await vi.waitFor(() => expect(hits()).toEqual(['h2', 'h1']));
		type('d');
		expect(store.get().dialog).toBeUndefined();
		type('j');
		await vi.waitFor(() => expect(hits()).toEqual(['h1']));
		type('d', 'n', 'd', 'y');
		await vi.waitFor(() => expect(notice()).toBe('Deleted the fault.'));
		expect(daemon.requests.filter(request => request.startsWith('delete'))).toEqual(['delete fault in1 f1']);
		daemon.faults = [faultBody('f2', {name: null})];
		daemon.publish({type: 'faults.changed', inbox_id: 'in1'});
		await vi.waitFor(() => expect(store.get().faults.list.rows).toHaveLength(2));
		expect(selectedRow(store.get().faults.list)?.id).toBe('f2');
		await vi.waitFor(() => expect(hits()).toEqual([]));
		expect(notice()).toBe('Deleted the fault.');
		daemon.hits = [hitBody('h3', {fault_id: 'f2'})];
		daemon.publish({type: 'fault.hit', hit: hitBody('h3', {fault_id: 'f2'})});
		await vi.waitFor(() => expect(hits()).toEqual(['h3']));
		type('y', 'r');
		await vi.waitFor(() => expect(effects).toContain('copy 451 4.7.1 Greylisted, try again later'));
		type('F');
		expect(store.get().screen).toBe('mail');
	});

	test('F shows faults whose match counts are refreshed', async () => {
		const {daemon, store, type} = await openWatch();
		daemon.faults = [faultBody('f1')];
		type('F');
		await vi.waitFor(() => expect(store.get().faults.list.rows).toHaveLength(2));
		daemon.faults = [faultBody('f1', {seen: 9})];
		await vi.waitFor(() => expect(store.get().faults.list.rows[1]).toMatchObject({seen: 9}), 10_000);
	});

	test('a failed command shows an error and changes nothing else', async () => {
		const {daemon, store, type, notice} = await openWatch();
		daemon.failure = new Error('The disk is full.');
		type('n', 'x', 'enter');
		await vi.waitFor(() => expect(notice()).toBe('The disk is full.'));
		expect(store.get().inboxes.all).toHaveLength(2);
		type('s');
		await vi.waitFor(() => expect(notice()).toBe('Could not save the attachment: The disk is full.'));
	});

	test('a notice disappears with the next key', async () => {
		const {type, notice} = await openWatch();
		type('y', 'a');
		await vi.waitFor(() => expect(notice()).toBe('Copied in1@tinbox.test (a means)'));
		type('j');
		expect(notice()).toBeUndefined();
	});
});
