import {describe, expect, test, vi} from 'vitest';
import {selectedInbox} from '../../../../src/ui/core/inboxes.js';
import {selectedRow} from '../../../../src/ui/core/list.js';
import {helpLines} from '../../../../src/ui/tui/keys/bindings.js';
import {deleted, deliveryBody, faultBody, hitBody, inboxBody, messageBody, received} from './bodies.js';
import {FakeDaemon, watchFake} from './fake-watch.js';

/** Two inboxes, of which the first holds three messages; the newest of them is open. */
async function opened() {
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

describe('reading', () => {
	test('reading starts after the live feed is connected, so that no event is missed', async () => {
		const {daemon, store} = await opened();
		expect(store.get().feed).toEqual({status: 'live'});
		expect(daemon.asked.slice(0, 3)).toEqual(['inboxes 1', 'messages in1 newest/100', 'message c']);
	});

	test('pages are read only as far as needed', async () => {
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

	test('a message is read only when the selection rests on it', async () => {
		const {daemon, store, type} = await opened();
		type('l', 'j', 'j');
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('a'));
		expect(daemon.asked).not.toContain('message b');
	});

	test('a failed read is shown and repeated after the next connection', async () => {
		const {daemon, store, type, notice} = await opened();
		daemon.failure = new Error('The disk is broken.');
		type('l', 'j');
		await vi.waitFor(() => expect(notice()).toBe('The disk is broken.'));
		daemon.failure = undefined;
		daemon.tell({type: 'ready', resumed: false});
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('b'));
	});

	test('a failed read is repeated when the user returns to the message', async () => {
		const {daemon, store, type, notice} = await opened();
		daemon.failure = new Error('The disk is broken.');
		type('l', 'j');
		await vi.waitFor(() => expect(notice()).toBe('The disk is broken.'));
		daemon.failure = undefined;
		type('j');
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('a'));
		type('k');
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('b'));
	});

	test('ten thousand fast arrivals are all listed and cause few requests', async () => {
		const {daemon, store} = await opened();
		const before = daemon.asked.length;
		for (let index = 0; index < 10_000; index++) {
			daemon.tell(received(`n${index}`, {}, index + 4));
		}

		await vi.waitFor(() => expect(store.get().messages.all).toHaveLength(10_003));
		expect(store.get().inboxes.all[0]?.message_count).toBe(10_003);
		expect(daemon.asked.length - before).toBeLessThan(20);
	});
});

describe('the connection', () => {
	test('a lost connection is shown and restored, and missed changes are read', async () => {
		const {daemon, store} = await opened();
		daemon.failure = new Error('Nothing answers.');
		daemon.hangUp(new Error('The daemon has stopped.'));
		await vi.waitFor(() => expect(store.get().feed).toEqual({status: 'lost', reason: 'Nothing answers.'}));
		daemon.messages = [messageBody('d'), ...daemon.messages.slice(1)];
		daemon.tell(received('d'));
		daemon.failure = undefined;
		await vi.waitFor(() => expect(store.get().feed.status).toBe('live'), 5000);
		await vi.waitFor(() => expect(store.get().messages.all.map(({id}) => id)).toEqual(['d', 'b', 'a']));
	});

	test('after a reconnection without missed events nothing is read again', async () => {
		const {daemon, store} = await opened();
		const before = daemon.asked.length;
		daemon.hangUp(new Error('A moment.'));
		await vi.waitFor(() => expect(store.get().feed.status).toBe('lost'));
		await vi.waitFor(() => expect(store.get().feed.status).toBe('live'), 5000);
		expect(daemon.asked).toHaveLength(before);
	});
});

test('an error disappears when the connection is restored', async () => {
	const {daemon, store, type, notice} = await opened();
	daemon.failure = new Error('Nothing answers.');
	daemon.hangUp(new Error('The daemon has stopped.'));
	type('l', 'j');
	await vi.waitFor(() => expect(notice()).toBe('Nothing answers.'));
	daemon.failure = undefined;
	await vi.waitFor(() => expect(store.get().feed.status).toBe('live'), 5000);
	expect(notice()).toBeUndefined();
});

test('a slow message shows a loading state until it was read or failed', async () => {
	const {daemon, store, type} = await opened();
	const answers = daemon.hold('message b');
	type('l', 'j');
	await vi.waitFor(() => expect(store.get().preview.isSlow).toBe(true), 5000);
	answers.resolve();
	await vi.waitFor(() => expect(store.get().preview).toMatchObject({isSlow: false, message: {id: 'b'}}), 5000);
	const failing = daemon.hold('message a');
	type('j');
	await vi.waitFor(() => expect(store.get().preview.isSlow).toBe(true), 5000);
	daemon.failure = new Error('The disk is broken.');
	failing.resolve();
	await vi.waitFor(() => expect(store.get()).toMatchObject({preview: {isSlow: false}, notice: {tone: 'error'}}), 5000);
});

describe('keys', () => {
	test('n asks for a name and creates an inbox', async () => {
		const {daemon, store, type, notice} = await opened();
		type('n', ...'log', 'x', 'backspace', ...'in', 'enter');
		await vi.waitFor(() => expect(selectedInbox(store.get().inboxes)?.name).toBe('login'));
		expect(daemon.asked).toContain('create login');
		expect(notice()).toBe('Created new2@tinbox.test. Press y to copy the address.');
	});

	test('escape closes any dialog without an effect', async () => {
		const {daemon, store, type} = await opened();
		const before = daemon.asked.length;
		for (const key of ['n', 'd', '/', '?', 'y']) {
			type(key);
			expect(store.get().dialog, key).toBeDefined();
			type('escape');
			expect(store.get().dialog, key).toBeUndefined();
		}

		expect(daemon.asked).toHaveLength(before);
	});

	test('d deletes an inbox or a message only after a confirmation', async () => {
		const {daemon, store, type} = await opened();
		type('d', 'n');
		expect(daemon.asked.filter(what => what.startsWith('delete'))).toEqual([]);
		type('d');
		expect(store.get().dialog).toMatchObject({text: 'Delete in1@tinbox.test and its 3 messages?'});
		type('y');
		type('l', 'd', 'y');
		await vi.waitFor(() =>
			expect(daemon.asked.filter(what => what.startsWith('delete'))).toEqual(['delete inbox in1', 'delete message c']),
		);
		daemon.tell(deleted('c'));
		await vi.waitFor(() => expect(store.get().messages.all).toHaveLength(2));
	});

	test('/ filters while the user types or pastes', async () => {
		const {store, type, paste} = await opened();
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

	test('an accepted filter keeps the selected row, and a cancelled one changes nothing', async () => {
		const {daemon, store, type} = await opened();
		const selected = () => selectedRow(store.get().messages.shown)?.id;
		type('l', '/', ...'ject b', 'enter');
		daemon.tell(received('d', {subject: 'Subject b too'}, 4));
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
		const {daemon, store, type} = await opened();
		type('/', ...'in2', 'enter');
		expect(selectedRow(store.get().inboxes.shown)?.id).toBe('in2');
		type('escape', 'k');
		daemon.tell(received('new', {inbox_id: 'in2'}));
		await vi.waitFor(() => expect(store.get().unseen.size).toBe(1));
		type('u');
		expect(selectedRow(store.get().inboxes.shown)?.id).toBe('in2');
	});

	test('/ searches the open message, n and N move between matches, and escape ends the search', async () => {
		const {daemon, store, type} = await opened();
		daemon.messages = [messageBody('d', {text: 'one\ntwo\nthree\ntwo'}), ...daemon.messages];
		daemon.tell(received('d', {}, 4));
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

	test('the row for all inboxes lists every message with the address of its inbox to copy', async () => {
		const {daemon, store, type, done} = await opened();
		daemon.messages = [messageBody('z', {inbox_id: 'in2', received_at: '2026-01-02T00:00:00Z'}), ...daemon.messages];
		daemon.tell({type: 'inbox.changed', inbox: inboxBody('in2', {message_count: 1})});
		type('k');
		await vi.waitFor(() => expect(store.get().messages.shown.rows.map(({id}) => id)).toEqual(['z', 'c', 'b', 'a']));
		expect(daemon.asked.slice(-3)).toContain('messages in2 newest/20');
		type('y', 'd');
		expect(store.get().dialog).toBeUndefined();
		type('l', 'y', 'a');
		expect(done).toEqual(['copy in2@tinbox.test']);
	});

	test('pasted text is limited to the maximum length of a search', async () => {
		const {store, type, paste} = await opened();
		type('l', '/');
		paste('q'.repeat(200_000));
		expect(store.get().messages.filter).toBe('q'.repeat(1000));
		expect(store.get().messages.shown.rows).toEqual([]);
	});

	test('keys of one read act one after the other', async () => {
		const {store, type} = await opened();
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
	])('%j does %j', async (keys, what) => {
		const {type, done} = await opened();
		type(...keys);
		expect(done).toEqual([what]);
	});

	test.each([
		[['l', 'o'], 'browse http://127.0.0.1/v1/previews/c'],
		[['l', 'e'], 'page Subject: c\n\n␛[31mred'],
		[['4', 's'], 'save one.pdf bytes'],
		[['4', 'j', 's'], 'save two.pdf bytes'],
		[['l', 's'], 'save one.pdf bytes'],
		[['l', 'S'], 'save c.eml Subject: c\r\n\r\n\x1b[31mred'],
	])('%j asks the daemon and does %j', async (keys, what) => {
		const {type, done} = await opened();
		type(...keys);
		await vi.waitFor(() => expect(done).toEqual([what]));
	});

	test('o shows the URL and reports a missing browser, and y then offers the URL', async () => {
		const {daemon, store, type, done, notice, browser} = await opened();
		browser.does = 'failed';
		type('l', 'o');
		const url = 'http://127.0.0.1/v1/previews/c';
		await vi.waitFor(() => expect(notice()).toBe(`Could not start a browser. Press y to copy the link: ${url}`));
		done.length = 0;
		type('y', 'p');
		expect(done).toEqual([`copy ${url}`]);
		browser.does = 'opened';
		type('o');
		await vi.waitFor(() => expect(notice()).toBe(`Opened ${url}`));
		type('j');
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('b'));
		type('y');
		expect(store.get().dialog).not.toMatchObject({items: expect.arrayContaining([{key: 'p'}])});
		expect(daemon.asked).toContain('preview c');
	});

	test('a saved file is reported with its path', async () => {
		const {type, notice} = await opened();
		type('l', 'S');
		await vi.waitFor(() => expect(notice()).toBe('Saved /home/ann/saved.pdf'));
	});

	test('y copies text without control characters', async () => {
		const daemon = new FakeDaemon();
		daemon.inboxes = [inboxBody('in1', {message_count: 1})];
		daemon.messages = [
			messageBody('a', {codes: [], links: [{url: 'https://a.example/\x1b[201~\x9bm\rls\n', text: ''}]}),
		];
		const {store, type, done} = watchFake(daemon);
		await vi.waitFor(() => expect(store.get().preview.message?.id).toBe('a'));
		type('l', 'y', 'l');
		expect(done).toEqual(['copy https://a.example/ ls ']);
	});

	test('numbers and brackets switch the tabs of the open message', async () => {
		const {store, type} = await opened();
		const tabs = ['2', ']', ']', '[', '6', ']', '['].map(key => {
			type(key);
			return store.get().preview.tab;
		});
		expect(tabs).toEqual(['html', 'headers', 'attachments', 'headers', 'source', 'text', 'source']);
		await vi.waitFor(() => expect(store.get().preview.lines).toEqual(['Subject: c', '', '␛[31mred']));
	});

	test('w shows the webhooks, r redelivers, and t sends a test', async () => {
		const {daemon, store, type, notice} = await opened();
		type('w');
		await vi.waitFor(() => expect(store.get().webhooks.records.rows).toHaveLength(2));
		type('l', 'j', 'r');
		await vi.waitFor(() => expect(notice()).toBe('Redelivered. Response 200.'));
		expect(daemon.asked).toContain('redeliver e1 d2');
		type('t');
		await vi.waitFor(() => expect(notice()).toBe('Test failed. Response 500.'));
		type('w');
		expect(store.get().screen).toBe('mail');
	});

	test('F shows faults and hits of the inbox, d deletes a fault after a confirmation, and y copies', async () => {
		const {daemon, store, type, notice, done} = await opened();
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
		expect(daemon.asked.filter(what => what.startsWith('delete'))).toEqual(['delete fault in1 f1']);
		daemon.faults = [faultBody('f2', {name: null})];
		daemon.tell({type: 'faults.changed', inbox_id: 'in1'});
		await vi.waitFor(() => expect(store.get().faults.list.rows).toHaveLength(2));
		expect(selectedRow(store.get().faults.list)?.id).toBe('f2');
		await vi.waitFor(() => expect(hits()).toEqual([]));
		expect(notice()).toBe('Deleted the fault.');
		daemon.hits = [hitBody('h3', {fault_id: 'f2'})];
		daemon.tell({type: 'fault.hit', hit: hitBody('h3', {fault_id: 'f2'})});
		await vi.waitFor(() => expect(hits()).toEqual(['h3']));
		type('y', 'r');
		await vi.waitFor(() => expect(done).toContain('copy 451 4.7.1 Greylisted, try again later'));
		type('F');
		expect(store.get().screen).toBe('mail');
	});

	test('the matches of shown faults are updated', async () => {
		const {daemon, store, type} = await opened();
		daemon.faults = [faultBody('f1')];
		type('F');
		await vi.waitFor(() => expect(store.get().faults.list.rows).toHaveLength(2));
		daemon.faults = [faultBody('f1', {seen: 9})];
		await vi.waitFor(() => expect(store.get().faults.list.rows[1]).toMatchObject({seen: 9}), 10_000);
	});

	test('a failed command shows an error and changes nothing else', async () => {
		const {daemon, store, type, notice} = await opened();
		daemon.failure = new Error('The disk is full.');
		type('n', 'x', 'enter');
		await vi.waitFor(() => expect(notice()).toBe('The disk is full.'));
		expect(store.get().inboxes.all).toHaveLength(2);
		type('s');
		await vi.waitFor(() => expect(notice()).toBe('Could not save the attachment: The disk is full.'));
	});

	test('a notice disappears with the next key', async () => {
		const {type, notice} = await opened();
		type('y', 'a');
		await vi.waitFor(() => expect(notice()).toBe('Copied in1@tinbox.test (a means)'));
		type('j');
		expect(notice()).toBeUndefined();
	});
});
