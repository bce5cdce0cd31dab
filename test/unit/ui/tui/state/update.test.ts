import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {EventBody} from '../../../../../src/contract/events.js';
import {selectedRow, windowOf} from '../../../../../src/ui/core/list.js';
import type {MessageRow} from '../../../../../src/ui/core/message-list.js';
import {
	filterMessages,
	type InboxRead,
	messageReads,
	restart,
	toggleAutoOpen,
	withMessages,
} from '../../../../../src/ui/tui/state/messages.js';
import {toUnseenInbox} from '../../../../../src/ui/tui/state/move.js';
import type {WatchState} from '../../../../../src/ui/tui/state/state.js';
import type {Update} from '../../../../../src/ui/tui/state/update.js';
import {
	connected,
	deleted,
	deliveryBody,
	endpointBody,
	endpointsRead,
	eventsReceived,
	faultBody,
	faultsRead,
	filterBy,
	filterInboxesBy,
	hitBody,
	hitsRead,
	inboxBody,
	inboxesRead,
	messageBody,
	messageRead,
	move,
	pageRead,
	readOf,
	received,
	sourceRead,
	stateAfter,
	summaryBody,
	toPane,
	toScreen,
	toTab,
	updated,
} from '../bodies.js';

const toMessages = toPane(1);
const down = move(1);
const idsOf = ({messages}: WatchState) => messages.shown.rows.map(({id}) => id);
const needsRead = (state: WatchState) => messageReads(state).length > 0;
const selectedId = ({messages}: WatchState) => selectedRow(messages.shown)?.id;

describe('the message list', () => {
	test('shows new messages on top, and auto-open selects the newest', () => {
		const state = stateAfter([...connected(['b', 'a']), eventsReceived(received('c'), received('d'))]);
		expect(idsOf(state)).toEqual(['d', 'c', 'b', 'a']);
		expect(selectedId(state)).toBe('d');
	});

	test('keeps the selection after a move and counts new messages above it', () => {
		const state = stateAfter([
			...connected(['b', 'a']),
			toMessages,
			down,
			eventsReceived(received('c'), received('d')),
		]);
		expect(selectedId(state)).toBe('a');
		expect(state.messages).toMatchObject({autoOpen: false, above: 2});
	});

	test('resumes auto-open on the first row and by its key', () => {
		const moved = stateAfter([...connected(['b', 'a']), toMessages, down]);
		expect(updated(moved, move(-1)).messages.autoOpen).toBe(true);
		const following = [eventsReceived(received('c')), toggleAutoOpen].reduce<WatchState>(updated, moved);
		expect(selectedId(following)).toBe('c');
	});

	test('selects the neighbour of a deleted message', () => {
		const state = stateAfter([...connected(['c', 'b', 'a']), toMessages, down, eventsReceived(deleted('b'))]);
		expect(selectedId(state)).toBe('a');
		expect(selectedId(updated(state, eventsReceived(deleted('a'))))).toBe('c');
	});

	test('ignores messages of another inbox except for its counts', () => {
		const other = received('x', {inbox_id: 'in2'}, 7);
		const state = stateAfter([...connected(['a']), eventsReceived(other)]);
		expect(idsOf(state)).toEqual(['a']);
		expect(state.inboxes.all[1]?.message_count).toBe(7);
		expect(state.unseen.get('in2')?.count).toBe(1);
	});

	test('marks new messages as unseen until the user selects them', () => {
		const arrived = stateAfter([...connected(), eventsReceived(received('a'), received('b'))]);
		expect(['a', 'b', 'c'].filter(id => arrived.unseen.get('in1')?.ids.has(id))).toEqual(['a', 'b']);
		const focused = updated(arrived, toMessages);
		expect(['a', 'b', 'c'].filter(id => focused.unseen.get('in1')?.ids.has(id))).toEqual(['a']);
		expect(updated(focused, down).unseen.get('in1')?.count).toBe(0);
	});

	test('requests more messages near its end, and all messages for a filter or the last row', () => {
		const ids = Array.from({length: 99}, (_, index) => `m${index}`);
		const state = stateAfter([...connected(ids, false), toMessages], {columns: 60, rows: 15});
		expect(needsRead(state)).toBe(false);
		expect(needsRead(updated(state, move(90)))).toBe(true);
		expect(needsRead(updated(state, filterBy('x')))).toBe(true);
		const last = updated(state, move(Infinity));
		expect(needsRead(last)).toBe(true);
		const page = pageRead([summaryBody('m99')], {kind: 'older'});
		expect(selectedId(updated(last, page))).toBe('m99');
	});

	test('contains every message of the inbox once and in order for any interleaving of responses and events', () => {
		const history = fc.record({
			initialCount: fc.integer({min: 0, max: 30}),
			steps: fc.array(fc.constantFrom('receive', 'delete', 'publish', 'request', 'respond'), {maxLength: 40}),
		});
		fc.assert(
			fc.property(history, ({initialCount, steps}) => {
				const {state, stored} = runSteps(initialCount, steps);
				expect(idsOf(state)).toEqual(stored);
			}),
			{numRuns: 2000},
		);
	});
});

describe('the list of all messages', () => {
	const toAllMail = move(-1);
	const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
	const twoInboxes = inboxesRead(inboxBody('in1', {message_count: 3}), inboxBody('in2', {message_count: 2}));
	const page = (
		inboxId: string,
		limit: number,
		...rows: ReadonlyArray<readonly [id: string, minute: number]>
	): Update => responseOf(inboxId, 'newest', limit, ...rows);
	const responseOf =
		(
			inboxId: string,
			kind: 'newest' | 'older',
			limit: number,
			...rows: ReadonlyArray<readonly [id: string, minute: number]>
		): Update =>
		state =>
			withMessages(
				state,
				readOf(state, inboxId, kind, limit),
				rows.map(([id, minute]) => summaryBody(id, {inbox_id: inboxId, received_at: at(minute)})),
			);

	test('is sorted and ends where the messages of an inbox are not yet read', () => {
		const started = stateAfter([...connected().slice(0, 2), twoInboxes, toAllMail]);
		expect(messageReads(started)).toMatchObject([
			{inboxId: 'in1', read: {kind: 'newest', limit: 20}},
			{inboxId: 'in2', read: {kind: 'newest', limit: 20}},
		]);
		const oneInboxRead = updated(started, page('in1', 20, ['c', 9], ['b', 5], ['a', 1]));
		expect(idsOf(oneInboxRead)).toEqual([]);
		expect(messageReads(oneInboxRead)).toMatchObject([{inboxId: 'in2', read: {kind: 'newest'}}]);
		const partial = updated(oneInboxRead, page('in2', 1, ['y', 6]));
		expect(idsOf(partial)).toEqual(['c', 'y']);
		expect(messageReads(partial)).toMatchObject([{inboxId: 'in2', read: {kind: 'older', before: 'y', limit: 100}}]);
		const complete = updated(partial, responseOf('in2', 'older', 20, ['x', 2]));
		expect(idsOf(complete)).toEqual(['c', 'y', 'b', 'x', 'a']);
		expect(complete.messages.complete).toBe(true);
		expect(messageReads(complete)).toEqual([]);
	});

	test('follows changes in every inbox, including a new inbox', () => {
		const state = stateAfter([
			...connected().slice(0, 2),
			twoInboxes,
			toAllMail,
			page('in1', 20, ['b', 5]),
			page('in2', 20, ['y', 6]),
			eventsReceived(
				{type: 'inbox.created', inbox: inboxBody('in3')},
				received('m', {inbox_id: 'in3', received_at: at(7)}),
				received('z', {inbox_id: 'in2', received_at: at(8)}),
				deleted('y', 'in2', 1),
			),
			page('in3', 20, ['m', 7]),
		]);
		expect(idsOf(state)).toEqual(['z', 'm', 'b']);
		expect(selectedId(state)).toBe('z');
		const withoutInbox = updated(state, eventsReceived({type: 'inbox.deleted', inbox_id: 'in2'}));
		expect(idsOf(withoutInbox)).toEqual(['m', 'b']);
	});

	test('contains every message once and in order for any interleaving of responses and events', () => {
		const step = fc.record({
			type: fc.constantFrom('receive', 'delete', 'publish', 'request', 'respond'),
			inbox: fc.integer({min: 0, max: 2}),
		});
		fc.assert(
			fc.property(fc.array(fc.integer({min: 0, max: 50}), {minLength: 3, maxLength: 3}), fc.array(step), checkSteps),
			{numRuns: 300},
		);
	});

	/** Applies steps to three inboxes and compares the list with the stored messages. */
	function checkSteps(initialCounts: readonly number[], steps: ReadonlyArray<{type: string; inbox: number}>): void {
		let minute = 0;
		const ids = ['in1', 'in2', 'in3'];
		const receive = (inbox_id: string) => {
			const message = summaryBody(idOf(minute), {inbox_id, received_at: at(minute)});
			minute++;
			return message;
		};
		const stored = new Map(
			ids.map((id, index) => [id, Array.from({length: initialCounts[index] ?? 0}, () => receive(id)).reverse()]),
		);
		const inboxes = ids.map(id => inboxBody(id, {message_count: stored.get(id)?.length ?? 0}));
		let state = stateAfter([...connected().slice(0, 2), inboxesRead(...inboxes), toAllMail, toPane(1)]);
		let unpublished: EventBody[] = [];
		let responses: Update[] = [];
		const request = () => {
			responses = messageReads(state).map((request): Update => {
				const rows = responseTo(request, stored.get(request.inboxId) ?? []);
				return state => withMessages(state, request, rows);
			});
		};
		const respond = () => {
			state = responses.reduce(updated, state);
			responses = [];
		};
		const publish = () => {
			state = updated(state, eventsReceived(...unpublished));
			unpublished = [];
		};
		for (const {type, inbox} of steps) {
			const id = ids[inbox] ?? '';
			const rows = stored.get(id) ?? [];
			if (type === 'receive') {
				rows.unshift(receive(id));
				unpublished.push({type: 'message.received', message: rows[0] ?? summaryBody(''), message_count: rows.length});
			} else if (type === 'delete' && rows.length > 0) {
				const [removed] = rows.splice(Math.floor(rows.length / 2), 1);
				unpublished.push(deleted(removed?.id ?? '', id, rows.length));
			} else if (type === 'publish') {
				publish();
			} else if (type === 'request' && responses.length === 0) {
				request();
			} else if (type === 'respond') {
				respond();
			}

			const times = state.messages.all.map(({received_at: time}) => time);
			expect(times).toEqual([...times].sort().reverse());
		}

		respond();
		publish();
		state = updated(state, move(Infinity));
		for (let round = 0; round < 100 && !state.messages.complete; round++) {
			request();
			respond();
		}

		const all = [...stored.values()].flat().sort((a, b) => (a.received_at < b.received_at ? 1 : -1));
		expect(idsOf(state)).toEqual(all.map(({id}) => id));
	}
});

/** Id that sorts by number, like message ids. */
const idOf = (number: number) => `m${String(number).padStart(4, '0')}`;

/** Response of a daemon with these messages, newest first. */
function responseTo({read}: InboxRead, stored: readonly MessageRow[]): readonly MessageRow[] {
	const before = 'before' in read ? read.before : undefined;
	return stored.filter(({id}) => before === undefined || id < before).slice(0, read.limit);
}

/** Applies steps with delayed events and responses, then delivers all of them. */
function runSteps(initialCount: number, steps: readonly string[]) {
	let number = 0;
	let stored: MessageRow[] = [];
	const receive = () => {
		stored = [summaryBody(idOf(number++)), ...stored];
	};
	for (let index = 0; index < initialCount; index++) {
		receive();
	}

	let state = stateAfter([
		...connected([], false).slice(0, 2),
		inboxesRead(inboxBody('in1', {message_count: initialCount})),
	]);
	let unpublished: EventBody[] = [];
	let response: Update | undefined;
	const request = () => {
		const [wanted] = messageReads(state);
		if (wanted !== undefined) {
			const small = {...wanted, read: {...wanted.read, limit: 7}};
			const rows = responseTo(small, stored);
			response = state => withMessages(state, small, rows);
		}
	};
	const respond = () => {
		state = response === undefined ? state : updated(state, response);
		response = undefined;
	};
	const publish = () => {
		state = updated(state, eventsReceived(...unpublished));
		unpublished = [];
	};
	for (const step of steps) {
		if (step === 'receive') {
			receive();
			unpublished.push(received(stored[0]?.id ?? '', {}, stored.length));
		} else if (step === 'delete' && stored.length > 0) {
			const [removed] = stored.splice(Math.floor(stored.length / 2), 1);
			unpublished.push(deleted(removed?.id ?? '', 'in1', stored.length));
		} else if (step === 'publish') {
			publish();
		} else if (step === 'request' && response === undefined) {
			request();
		} else if (step === 'respond') {
			respond();
		}
	}

	respond();
	publish();
	state = updated(state, move(Infinity, 'messages'));
	for (let round = 0; round < 100 && !state.messages.complete; round++) {
		request();
		respond();
	}

	return {state, stored: stored.map(({id}) => id)};
}

describe('the message filter', () => {
	const messages = [
		summaryBody('1', {subject: 'Your CODE'}),
		summaryBody('2', {from: 'codes@example.com'}),
		summaryBody('3', {to: 'code@tinbox.test'}),
		summaryBody('4'),
	];
	const start = [...connected([], false).slice(0, 3), pageRead(messages)];

	test('matches subject, sender and recipient case-insensitively', () => {
		expect(idsOf(stateAfter([...start, filterBy('cODe')]))).toEqual(['1', '2', '3']);
		expect(idsOf(stateAfter([...start, filterBy('.*')]))).toEqual([]);
	});

	test('applies to new messages, and clearing it restores the list', () => {
		const state = stateAfter([
			...start,
			filterBy('code'),
			eventsReceived(received('5'), received('6', {subject: 'code'})),
		]);
		expect(idsOf(state)).toEqual(['6', '1', '2', '3']);
		expect(idsOf(updated(state, filterBy('')))).toEqual(['6', '5', '1', '2', '3', '4']);
	});
});

test('a filter matches recipients and codes, which are requested for messages known only from events', () => {
	const rows = [
		{...summaryBody('2'), also: '482193\nBilling <billing@example.com>'},
		{...summaryBody('1'), also: ''},
	];
	const state = stateAfter([...connected().slice(0, 3), pageRead(rows)]);
	expect(idsOf(updated(state, filterBy('4821')))).toEqual(['2']);
	expect(idsOf(updated(state, filterBy('BILLING@')))).toEqual(['2']);
	const arrived = [eventsReceived(received('3', {}, 3)), filterBy('4711')].reduce<WatchState>(updated, state);
	expect(idsOf(arrived)).toEqual([]);
	const [request] = messageReads(arrived);
	expect(request).toMatchObject({inboxId: 'in1', read: {kind: 'details', before: undefined}});
	const details = (also: string) => pageRead([{...summaryBody('3'), also}, ...rows], {kind: 'details'});
	expect(idsOf(updated(arrived, details('4711')))).toEqual(['3']);
	const unchanged = updated(arrived, pageRead(rows, {kind: 'details'}));
	expect(messageReads(unchanged)).toEqual([]);
});

test('accepting a filter keeps the selected row, and cancelling it restores the previous row', () => {
	const before = stateAfter([...connected(['c', 'b', 'a']), toMessages, down]);
	const typed = (text: string) => (state: WatchState) => updated(state, s => filterMessages(s, text, 'b'));
	expect(selectedId(typed('ject a')(before))).toBe('a');
	expect(selectedId(typed('')(typed('ject a')(before)))).toBe('b');
	expect(selectedId(typed('ject')(typed('ject a')(before)))).toBe('b');
});

describe('the list of inboxes', () => {
	const threeInboxes = inboxesRead(inboxBody('in1', {name: 'Sign-up'}), inboxBody('in2'), inboxBody('in3'));
	const shownIds = ({inboxes}: WatchState) => inboxes.shown.rows.map(({id}) => id);
	const selectedInboxId = ({inboxes}: WatchState) => inboxes.shown.selected;

	test('is filtered by name or address and keeps the selection if possible', () => {
		const state = stateAfter([...connected(), threeInboxes, down]);
		expect(shownIds(state)).toEqual(['all mail', 'in1', 'in2', 'in3']);
		expect(selectedInboxId(state)).toBe('in2');
		const byName = updated(state, filterInboxesBy('SIGN'));
		expect([shownIds(byName), selectedInboxId(byName)]).toEqual([['in1'], 'in1']);
		const byAddress = updated(state, filterInboxesBy('@tinbox'));
		expect([shownIds(byAddress), selectedInboxId(byAddress)]).toEqual([['in1', 'in2', 'in3'], 'in2']);
		expect(shownIds(updated(byAddress, filterInboxesBy('')))).toHaveLength(4);
	});

	test('selects inboxes with unseen messages one after the other', () => {
		const arrived = eventsReceived(received('a', {inbox_id: 'in1'}), received('b', {inbox_id: 'in3'}));
		let state = stateAfter([...connected(), threeInboxes, arrived]);
		const visited = Array.from({length: 3}, () => {
			state = updated(state, toUnseenInbox);
			return selectedInboxId(state);
		});
		expect(visited).toEqual(['in3', 'in1', 'in3']);
		const none = updated(stateAfter([...connected(), threeInboxes]), toUnseenInbox);
		expect([selectedInboxId(none), none.notice?.text]).toEqual(['in1', 'No inbox has new mail.']);
	});

	test('adds, changes and removes inboxes around the selection', () => {
		const created: EventBody = {type: 'inbox.created', inbox: inboxBody('in3')};
		const state = stateAfter([...connected(['a']), eventsReceived(created)]);
		expect(state.inboxes).toMatchObject({
			all: [{id: 'in3'}, {id: 'in1'}, {id: 'in2'}],
			shown: {rows: [{id: 'all mail'}, {id: 'in3'}, {id: 'in1'}, {id: 'in2'}], selected: 'in1'},
		});
		const after = updated(state, eventsReceived({type: 'inbox.deleted', inbox_id: 'in1'}));
		expect(after.inboxes.shown.selected).toBe('in2');
		expect(after.messages).toMatchObject({inboxId: 'in2', all: [], complete: true});
	});

	test('requests an emptied inbox again', () => {
		const emptied: EventBody = {type: 'messages.deleted', inbox_id: 'in1', message_count: 1};
		const state = stateAfter([...connected(['a', 'b']), eventsReceived(received('c')), eventsReceived(emptied)]);
		expect(state.messages).toMatchObject({inboxId: 'in1', all: [], complete: false});
		expect(state.inboxes.all[0]).toMatchObject({id: 'in1', message_count: 1});
		expect(needsRead(state)).toBe(true);
		const otherEmptied = stateAfter([...connected(['a', 'b']), eventsReceived({...emptied, inbox_id: 'in2'})]);
		expect(idsOf(otherEmptied)).toEqual(['a', 'b']);
	});

	test('shows the messages of another inbox without the previous filter', () => {
		const state = stateAfter([...connected(['a']), filterBy('x'), down]);
		expect(state.messages).toMatchObject({inboxId: 'in2', filter: '', all: []});
	});

	test('drops a response for an inbox that is no longer selected', () => {
		const lateResponse = pageRead([summaryBody('a')]);
		expect(idsOf(stateAfter([...connected(), down, lateResponse]))).toEqual([]);
	});
});

describe('the open message', () => {
	test('scrolls within its text and closes if another is selected', () => {
		const text = Array.from({length: 200}, (_, line) => `line ${line}`).join('\n');
		const open = messageRead(messageBody('b', {text}));
		const state = stateAfter([...connected(['b', 'a']), open, toMessages, toMessages, move(Infinity)]);
		expect(state.preview.lines).toHaveLength(200);
		expect(state.preview.top).toBeGreaterThan(100);
		const up = updated(state, move(-Infinity));
		expect(up.preview.top).toBe(0);
		const next = [toPane(-1), down].reduce<WatchState>(updated, state);
		expect(next.preview).toMatchObject({message: undefined, lines: [], top: 0});
	});

	test('is not replaced by new messages', () => {
		const state = stateAfter([...connected(['a']), toMessages, toMessages, eventsReceived(received('b'))]);
		expect(selectedId(state)).toBe('a');
	});

	test('is wrapped again for another width', () => {
		const open = messageRead(messageBody('a', {text: 'word '.repeat(100)}));
		const wide = stateAfter([...connected(['a']), open]);
		const narrow = updated(wide, {size: {columns: 60, rows: 15}});
		expect(narrow.preview.lines.length).toBeGreaterThan(wide.preview.lines.length);
	});

	test.each([
		['html', {html: '<p>Hello <b>there</b></p>'}, 'Hello there'],
		['html', {html: '<table><tr><td>Order</td><td>5512</td></tr></table>'}, 'Order  5512'],
		['html', {}, 'This message has no HTML.'],
		['headers', {headers: [{name: 'X-A', value: '1'}]}, 'X-A: 1'],
		[
			'headers',
			{
				session: {tls: null, auth: null, client: {host: '127.0.0.1', helo: 'app'}},
				headers: [{name: 'X-A', value: '1'}],
			},
			'Session: unencrypted, from 127.0.0.1 (app)\n\nX-A: 1',
		],
		['attachments', {attachments: []}, 'No attachments.'],
		['codes', {codes: ['4711']}, '4711'],
		['codes', {links: [{url: 'https://example.com/x', text: 'Confirm'}]}, 'https://example.com/x'],
		['codes', {}, 'No codes or links.'],
		['source', {}, 'Loading the source …'],
		['text', {warnings: ['The date is missing.']}, '! The date is missing.'],
	] as const)('shows in the tab %s of %j: %s', (tab, fields, shown) => {
		const state = stateAfter([...connected(['a']), messageRead(messageBody('a', fields as object)), toTab(tab)]);
		expect(state.preview.lines.join('\n')).toContain(shown);
	});

	test('shows control characters in the source tab', () => {
		const state = stateAfter([
			...connected(['a']),
			messageRead(messageBody('a')),
			toTab('source'),
			sourceRead('Subject: \x1b[31mred\r\n'),
		]);
		expect(state.preview.lines).toEqual(['Subject: ␛[31mred', '']);
	});
});

test('a reload keeps the selection', () => {
	const state = stateAfter([...connected(['c', 'b', 'a']), toMessages, down, restart]);
	expect(idsOf(state)).toEqual([]);
	const rows = ['d', 'c', 'b', 'a'].map(id => summaryBody(id));
	const read = updated(state, pageRead(rows));
	expect(selectedId(read)).toBe('b');
});

test('a changed delivery reloads the deliveries of the selected endpoint', () => {
	const {id, event, status, attempts, response_status, created_at} = deliveryBody('d1');
	const delivery = {id, event, status, attempts, response_status, created_at};
	const state = stateAfter([
		...connected(),
		toScreen('webhooks'),
		endpointsRead(endpointBody('e1'), endpointBody('e2')),
	]);
	const changed = (endpointId: string) => eventsReceived({type: 'delivery.changed', endpoint_id: endpointId, delivery});
	expect(updated(state, changed('e1')).webhooks.recordsRevision).toBe(state.webhooks.recordsRevision + 1);
	expect(updated(state, changed('e2')).webhooks.recordsRevision).toBe(state.webhooks.recordsRevision);
});

describe('the list of faults', () => {
	const shown = [...connected(), toScreen('faults'), faultsRead(faultBody('f1')), hitsRead(hitBody('h1'))];

	test.each([
		['reloads after a hit of the inbox', eventsReceived({type: 'fault.hit', hit: hitBody('h2')}), 1],
		['ignores a hit of another inbox', eventsReceived({type: 'fault.hit', hit: hitBody('h2', {inbox_id: 'in2'})}), 0],
		['ignores a hit of a daemon fault', eventsReceived({type: 'fault.hit', hit: hitBody('h2', {inbox_id: null})}), 0],
		['reloads after a change of the faults', eventsReceived({type: 'faults.changed', inbox_id: 'in1'}), 1],
		['ignores other events', eventsReceived(received('a'), deleted('a')), 0],
	])('%s', (_, event, expected) => {
		const state = stateAfter(shown);
		const {listRevision, recordsRevision} = updated(state, event).faults;
		expect(listRevision - state.faults.listRevision).toBe(expected);
		expect(recordsRevision - state.faults.recordsRevision).toBe(expected);
	});

	test('shows the faults of the selected inbox, or of the daemon without an inbox', () => {
		expect(stateAfter(shown).faults).toMatchObject({inboxId: 'in1', total: 1});
		const daemonFaults = stateAfter([...shown, toScreen('faults'), move(-1)]);
		expect(daemonFaults.faults).toMatchObject({inboxId: null, total: 0});
		expect(updated(daemonFaults, eventsReceived({type: 'faults.changed', inbox_id: null})).faults.listRevision).toBe(1);
	});

	test('selects the newest hit until the user selects or focuses another', () => {
		const [older, newer] = [hitsRead(hitBody('h1')), hitsRead(hitBody('h2'), hitBody('h1'))];
		const next = (...updates: readonly Update[]) =>
			selectedRow(stateAfter([...shown, older, ...updates, newer]).faults.records)?.id;
		expect(next()).toBe('h2');
		expect(next(toPane(1))).toBe('h2');
		expect(next(toPane(1), toPane(1))).toBe('h1');
		const threeInboxes = hitsRead(hitBody('h3'), hitBody('h2'), hitBody('h1'));
		expect(selectedRow(stateAfter([...shown, newer, toPane(1), move(1), threeInboxes]).faults.records)?.id).toBe('h1');
	});

	test('does not count unseen messages for fault events', () => {
		expect(stateAfter([...shown, eventsReceived({type: 'faults.changed', inbox_id: 'in2'})]).unseen.size).toBe(0);
	});
});

test('the visible rows of a list contain the selected row and fill the height', () => {
	fc.assert(
		fc.property(fc.integer({min: 1, max: 5000}), fc.nat(), fc.integer({min: 1, max: 60}), (count, seed, height) => {
			const selected = seed % count;
			const {start, end} = windowOf(count, selected, height);
			expect(start).toBeGreaterThanOrEqual(0);
			expect(selected).toBeGreaterThanOrEqual(start);
			expect(selected).toBeLessThan(end);
			expect(end - start).toBe(Math.min(count, height));
		}),
	);
});
