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
	toggleFollow,
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
	told,
	toPane,
	toScreen,
	toTab,
	updated,
} from '../bodies.js';

const toMessages = toPane(1);
const down = move(1);
const idsOf = ({messages}: WatchState) => messages.shown.rows.map(({id}) => id);
const wantsMore = (state: WatchState) => messageReads(state).length > 0;
const selectedId = ({messages}: WatchState) => selectedRow(messages.shown)?.id;

describe('messages', () => {
	test('arrivals appear on top, and auto-open selects the newest', () => {
		const state = stateAfter([...connected(['b', 'a']), told(received('c'), received('d'))]);
		expect(idsOf(state)).toEqual(['d', 'c', 'b', 'a']);
		expect(selectedId(state)).toBe('d');
	});

	test('arrivals keep the selection after a move and are counted above it', () => {
		const state = stateAfter([...connected(['b', 'a']), toMessages, down, told(received('c'), received('d'))]);
		expect(selectedId(state)).toBe('a');
		expect(state.messages).toMatchObject({follow: false, above: 2});
	});

	test('auto-open resumes on the first row and by its key', () => {
		const moved = stateAfter([...connected(['b', 'a']), toMessages, down]);
		expect(updated(moved, move(-1)).messages.follow).toBe(true);
		const following = [told(received('c')), toggleFollow].reduce<WatchState>(updated, moved);
		expect(selectedId(following)).toBe('c');
	});

	test('the neighbour of a deleted message is selected', () => {
		const state = stateAfter([...connected(['c', 'b', 'a']), toMessages, down, told(deleted('b'))]);
		expect(selectedId(state)).toBe('a');
		expect(selectedId(updated(state, told(deleted('a'))))).toBe('c');
	});

	test('arrivals of another inbox change only its counts', () => {
		const other = received('x', {inbox_id: 'in2'}, 7);
		const state = stateAfter([...connected(['a']), told(other)]);
		expect(idsOf(state)).toEqual(['a']);
		expect(state.inboxes.all[1]?.message_count).toBe(7);
		expect(state.unseen.get('in2')?.count).toBe(1);
	});

	test('arrivals are unseen until the user selects them', () => {
		const arrived = stateAfter([...connected(), told(received('a'), received('b'))]);
		expect(['a', 'b', 'c'].filter(id => arrived.unseen.get('in1')?.ids.has(id))).toEqual(['a', 'b']);
		const looked = updated(arrived, toMessages);
		expect(['a', 'b', 'c'].filter(id => looked.unseen.get('in1')?.ids.has(id))).toEqual(['a']);
		expect(updated(looked, down).unseen.get('in1')?.count).toBe(0);
	});

	test('messages are read as the selection nears the end, and completely for a filter or the last row', () => {
		const ids = Array.from({length: 99}, (_, index) => `m${index}`);
		const state = stateAfter([...connected(ids, false), toMessages], {columns: 60, rows: 15});
		expect(wantsMore(state)).toBe(false);
		expect(wantsMore(updated(state, move(90)))).toBe(true);
		expect(wantsMore(updated(state, filterBy('x')))).toBe(true);
		const last = updated(state, move(Infinity));
		expect(wantsMore(last)).toBe(true);
		const page = pageRead([summaryBody('m99')], {kind: 'older'});
		expect(selectedId(updated(last, page))).toBe('m99');
	});

	test('a list contains every message of the inbox once and in order, however answers and events interleave', () => {
		const history = fc.record({
			old: fc.integer({min: 0, max: 30}),
			steps: fc.array(fc.constantFrom('arrive', 'delete', 'tell', 'ask', 'answer'), {maxLength: 40}),
		});
		fc.assert(
			fc.property(history, ({old, steps}) => {
				const {state, stored} = play(old, steps);
				expect(idsOf(state)).toEqual(stored);
			}),
			{numRuns: 2000},
		);
	});
});

describe('all mail', () => {
	const toAllMail = move(-1);
	const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
	const counted = inboxesRead(inboxBody('in1', {message_count: 3}), inboxBody('in2', {message_count: 2}));
	const page = (
		inboxId: string,
		limit: number,
		...rows: ReadonlyArray<readonly [id: string, minute: number]>
	): Update => answerOf(inboxId, 'newest', limit, ...rows);
	const answerOf =
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

	test('the list of all messages is sorted and reaches as far back as every inbox was read', () => {
		const started = stateAfter([...connected().slice(0, 2), counted, toAllMail]);
		expect(messageReads(started)).toMatchObject([
			{inboxId: 'in1', read: {kind: 'newest', limit: 20}},
			{inboxId: 'in2', read: {kind: 'newest', limit: 20}},
		]);
		const half = updated(started, page('in1', 20, ['c', 9], ['b', 5], ['a', 1]));
		expect(idsOf(half)).toEqual([]);
		expect(messageReads(half)).toMatchObject([{inboxId: 'in2', read: {kind: 'newest'}}]);
		const partly = updated(half, page('in2', 1, ['y', 6]));
		expect(idsOf(partly)).toEqual(['c', 'y']);
		expect(messageReads(partly)).toMatchObject([{inboxId: 'in2', read: {kind: 'older', before: 'y', limit: 100}}]);
		const whole = updated(partly, answerOf('in2', 'older', 20, ['x', 2]));
		expect(idsOf(whole)).toEqual(['c', 'y', 'b', 'x', 'a']);
		expect(whole.messages.complete).toBe(true);
		expect(messageReads(whole)).toEqual([]);
	});

	test('the list of all messages follows changes in every inbox, also in a new one', () => {
		const state = stateAfter([
			...connected().slice(0, 2),
			counted,
			toAllMail,
			page('in1', 20, ['b', 5]),
			page('in2', 20, ['y', 6]),
			told(
				{type: 'inbox.created', inbox: inboxBody('in3')},
				received('m', {inbox_id: 'in3', received_at: at(7)}),
				received('z', {inbox_id: 'in2', received_at: at(8)}),
				deleted('y', 'in2', 1),
			),
			page('in3', 20, ['m', 7]),
		]);
		expect(idsOf(state)).toEqual(['z', 'm', 'b']);
		expect(selectedId(state)).toBe('z');
		const gone = updated(state, told({type: 'inbox.deleted', inbox_id: 'in2'}));
		expect(idsOf(gone)).toEqual(['m', 'b']);
	});

	test('the list of all messages contains every message once and in order, however answers and events interleave', () => {
		const step = fc.record({
			happens: fc.constantFrom('arrive', 'delete', 'tell', 'ask', 'answer'),
			inbox: fc.integer({min: 0, max: 2}),
		});
		fc.assert(
			fc.property(fc.array(fc.integer({min: 0, max: 50}), {minLength: 3, maxLength: 3}), fc.array(step), playAll),
			{numRuns: 300},
		);
	});

	/** Applies steps to three inboxes. */
	function playAll(old: readonly number[], steps: ReadonlyArray<{happens: string; inbox: number}>): void {
		let minute = 0;
		const ids = ['in1', 'in2', 'in3'];
		const arrive = (inbox_id: string) => {
			const message = summaryBody(idOf(minute), {inbox_id, received_at: at(minute)});
			minute++;
			return message;
		};
		const stored = new Map(
			ids.map((id, index) => [id, Array.from({length: old[index] ?? 0}, () => arrive(id)).reverse()]),
		);
		const inboxes = ids.map(id => inboxBody(id, {message_count: stored.get(id)?.length ?? 0}));
		let state = stateAfter([...connected().slice(0, 2), inboxesRead(...inboxes), toAllMail, toPane(1)]);
		let untold: EventBody[] = [];
		let answers: Update[] = [];
		const ask = () => {
			answers = messageReads(state).map((request): Update => {
				const rows = answerTo(request, stored.get(request.inboxId) ?? []);
				return state => withMessages(state, request, rows);
			});
		};
		const take = () => {
			state = answers.reduce(updated, state);
			answers = [];
		};
		const tell = () => {
			state = updated(state, told(...untold));
			untold = [];
		};
		for (const {happens, inbox} of steps) {
			const id = ids[inbox] ?? '';
			const own = stored.get(id) ?? [];
			if (happens === 'arrive') {
				own.unshift(arrive(id));
				untold.push({type: 'message.received', message: own[0] ?? summaryBody(''), message_count: own.length});
			} else if (happens === 'delete' && own.length > 0) {
				const [gone] = own.splice(Math.floor(own.length / 2), 1);
				untold.push(deleted(gone?.id ?? '', id, own.length));
			} else if (happens === 'tell') {
				tell();
			} else if (happens === 'ask' && answers.length === 0) {
				ask();
			} else if (happens === 'answer') {
				take();
			}

			const times = state.messages.all.map(({received_at: time}) => time);
			expect(times).toEqual([...times].sort().reverse());
		}

		take();
		tell();
		state = updated(state, move(Infinity));
		for (let round = 0; round < 100 && !state.messages.complete; round++) {
			ask();
			take();
		}

		const all = [...stored.values()].flat().sort((a, b) => (a.received_at < b.received_at ? 1 : -1));
		expect(idsOf(state)).toEqual(all.map(({id}) => id));
	}
});

/** Id that sorts by number, as ids of messages do. */
const idOf = (number: number) => `m${String(number).padStart(4, '0')}`;

/** Answer of a daemon that holds these messages, newest first. */
function answerTo({read}: InboxRead, stored: readonly MessageRow[]): readonly MessageRow[] {
	const before = 'before' in read ? read.before : undefined;
	return stored.filter(({id}) => before === undefined || id < before).slice(0, read.limit);
}

/** A daemon whose events and answers are both late; in the end, all have arrived. */
function play(old: number, steps: readonly string[]) {
	let number = 0;
	let stored: MessageRow[] = [];
	const arrive = () => {
		stored = [summaryBody(idOf(number++)), ...stored];
	};
	for (let mail = 0; mail < old; mail++) {
		arrive();
	}

	let state = stateAfter([...connected([], false).slice(0, 2), inboxesRead(inboxBody('in1', {message_count: old}))]);
	let untold: EventBody[] = [];
	let answer: Update | undefined;
	const ask = () => {
		const [request] = messageReads(state);
		if (request !== undefined) {
			const small = {...request, read: {...request.read, limit: 7}};
			const rows = answerTo(small, stored);
			answer = state => withMessages(state, small, rows);
		}
	};
	const take = () => {
		state = answer === undefined ? state : updated(state, answer);
		answer = undefined;
	};
	const tell = () => {
		state = updated(state, told(...untold));
		untold = [];
	};
	for (const step of steps) {
		if (step === 'arrive') {
			arrive();
			untold.push(received(stored[0]?.id ?? '', {}, stored.length));
		} else if (step === 'delete' && stored.length > 0) {
			const [gone] = stored.splice(Math.floor(stored.length / 2), 1);
			untold.push(deleted(gone?.id ?? '', 'in1', stored.length));
		} else if (step === 'tell') {
			tell();
		} else if (step === 'ask' && answer === undefined) {
			ask();
		} else if (step === 'answer') {
			take();
		}
	}

	take();
	tell();
	state = updated(state, move(Infinity, 'messages'));
	for (let round = 0; round < 100 && !state.messages.complete; round++) {
		ask();
		take();
	}

	return {state, stored: stored.map(({id}) => id)};
}

describe('the filter', () => {
	const mails = [
		summaryBody('1', {subject: 'Your CODE'}),
		summaryBody('2', {from: 'codes@example.com'}),
		summaryBody('3', {to: 'code@tinbox.test'}),
		summaryBody('4'),
	];
	const start = [...connected([], false).slice(0, 3), pageRead(mails)];

	test('a filter matches subject, sender and recipient, case-insensitively', () => {
		expect(idsOf(stateAfter([...start, filterBy('cODe')]))).toEqual(['1', '2', '3']);
		expect(idsOf(stateAfter([...start, filterBy('.*')]))).toEqual([]);
	});

	test('a filter applies to arrivals, and clearing it restores the list', () => {
		const state = stateAfter([...start, filterBy('code'), told(received('5'), received('6', {subject: 'code'}))]);
		expect(idsOf(state)).toEqual(['6', '1', '2', '3']);
		expect(idsOf(updated(state, filterBy('')))).toEqual(['6', '5', '1', '2', '3', '4']);
	});
});

test('a filter matches recipients and codes, which are read for messages that only events announced', () => {
	const rows = [
		{...summaryBody('2'), also: '482193\nBilling <billing@example.com>'},
		{...summaryBody('1'), also: ''},
	];
	const state = stateAfter([...connected().slice(0, 3), pageRead(rows)]);
	expect(idsOf(updated(state, filterBy('4821')))).toEqual(['2']);
	expect(idsOf(updated(state, filterBy('BILLING@')))).toEqual(['2']);
	const arrived = [told(received('3', {}, 3)), filterBy('4711')].reduce<WatchState>(updated, state);
	expect(idsOf(arrived)).toEqual([]);
	const [request] = messageReads(arrived);
	expect(request).toMatchObject({inboxId: 'in1', read: {kind: 'details', before: undefined}});
	const answer = (also: string) => pageRead([{...summaryBody('3'), also}, ...rows], {kind: 'details'});
	expect(idsOf(updated(arrived, answer('4711')))).toEqual(['3']);
	const without = updated(arrived, pageRead(rows, {kind: 'details'}));
	expect(messageReads(without)).toEqual([]);
});

test('an accepted filter keeps its row, and a cancelled one restores the previous row', () => {
	const before = stateAfter([...connected(['c', 'b', 'a']), toMessages, down]);
	const typed = (text: string) => (state: WatchState) => updated(state, s => filterMessages(s, text, 'b'));
	expect(selectedId(typed('ject a')(before))).toBe('a');
	expect(selectedId(typed('')(typed('ject a')(before)))).toBe('b');
	expect(selectedId(typed('ject')(typed('ject a')(before)))).toBe('b');
});

describe('inboxes', () => {
	const three = inboxesRead(inboxBody('in1', {name: 'Sign-up'}), inboxBody('in2'), inboxBody('in3'));
	const shownIds = ({inboxes}: WatchState) => inboxes.shown.rows.map(({id}) => id);
	const selectedInboxId = ({inboxes}: WatchState) => inboxes.shown.selected;

	test('inboxes are filtered by name or address and keep the selection if possible', () => {
		const state = stateAfter([...connected(), three, down]);
		expect(shownIds(state)).toEqual(['all mail', 'in1', 'in2', 'in3']);
		expect(selectedInboxId(state)).toBe('in2');
		const named = updated(state, filterInboxesBy('SIGN'));
		expect([shownIds(named), selectedInboxId(named)]).toEqual([['in1'], 'in1']);
		const byAddress = updated(state, filterInboxesBy('@tinbox'));
		expect([shownIds(byAddress), selectedInboxId(byAddress)]).toEqual([['in1', 'in2', 'in3'], 'in2']);
		expect(shownIds(updated(byAddress, filterInboxesBy('')))).toHaveLength(4);
	});

	test('inboxes with unseen messages are selected one after the other', () => {
		const arrived = told(received('a', {inbox_id: 'in1'}), received('b', {inbox_id: 'in3'}));
		let state = stateAfter([...connected(), three, arrived]);
		const visited = Array.from({length: 3}, () => {
			state = updated(state, toUnseenInbox);
			return selectedInboxId(state);
		});
		expect(visited).toEqual(['in3', 'in1', 'in3']);
		const none = updated(stateAfter([...connected(), three]), toUnseenInbox);
		expect([selectedInboxId(none), none.notice?.text]).toEqual(['in1', 'No inbox has new mail.']);
	});

	test('inboxes are added, changed and removed around the selection', () => {
		const created: EventBody = {type: 'inbox.created', inbox: inboxBody('in3')};
		const state = stateAfter([...connected(['a']), told(created)]);
		expect(state.inboxes).toMatchObject({
			all: [{id: 'in3'}, {id: 'in1'}, {id: 'in2'}],
			shown: {rows: [{id: 'all mail'}, {id: 'in3'}, {id: 'in1'}, {id: 'in2'}], selected: 'in1'},
		});
		const gone = updated(state, told({type: 'inbox.deleted', inbox_id: 'in1'}));
		expect(gone.inboxes.shown.selected).toBe('in2');
		expect(gone.messages).toMatchObject({inboxId: 'in2', all: [], complete: true});
	});

	test('an emptied inbox is read again', () => {
		const emptied: EventBody = {type: 'messages.deleted', inbox_id: 'in1', message_count: 1};
		const state = stateAfter([...connected(['a', 'b']), told(received('c')), told(emptied)]);
		expect(state.messages).toMatchObject({inboxId: 'in1', all: [], complete: false});
		expect(state.inboxes.all[0]).toMatchObject({id: 'in1', message_count: 1});
		expect(wantsMore(state)).toBe(true);
		const late = stateAfter([...connected(['a', 'b']), told({...emptied, inbox_id: 'in2'})]);
		expect(idsOf(late)).toEqual(['a', 'b']);
	});

	test('another inbox shows its own messages without the previous filter', () => {
		const state = stateAfter([...connected(['a']), filterBy('x'), down]);
		expect(state.messages).toMatchObject({inboxId: 'in2', filter: '', all: []});
	});

	test('an answer for an inbox that is no longer selected is dropped', () => {
		const late = pageRead([summaryBody('a')]);
		expect(idsOf(stateAfter([...connected(), down, late]))).toEqual([]);
	});
});

describe('the open message', () => {
	test('an open message scrolls within its text and is closed when another is selected', () => {
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

	test('an open message is not replaced by arrivals', () => {
		const state = stateAfter([...connected(['a']), toMessages, toMessages, told(received('b'))]);
		expect(selectedId(state)).toBe('a');
	});

	test('an open message is wrapped again for another width', () => {
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
	] as const)('has a tab %s with %j', (tab, fields, shown) => {
		const state = stateAfter([...connected(['a']), messageRead(messageBody('a', fields as object)), toTab(tab)]);
		expect(state.preview.lines.join('\n')).toContain(shown);
	});

	test('the source tab shows control characters', () => {
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

test('deliveries are read again when one of the selected endpoint changes', () => {
	const {id, event, status, attempts, response_status, created_at} = deliveryBody('d1');
	const delivery = {id, event, status, attempts, response_status, created_at};
	const state = stateAfter([
		...connected(),
		toScreen('webhooks'),
		endpointsRead(endpointBody('e1'), endpointBody('e2')),
	]);
	const changed = (endpointId: string) => told({type: 'delivery.changed', endpoint_id: endpointId, delivery});
	expect(updated(state, changed('e1')).webhooks.recordsRevision).toBe(state.webhooks.recordsRevision + 1);
	expect(updated(state, changed('e2')).webhooks.recordsRevision).toBe(state.webhooks.recordsRevision);
});

describe('faults', () => {
	const shown = [...connected(), toScreen('faults'), faultsRead(faultBody('f1')), hitsRead(hitBody('h1'))];

	test.each([
		['a hit', told({type: 'fault.hit', hit: hitBody('h2')}), 1],
		['a hit of another inbox', told({type: 'fault.hit', hit: hitBody('h2', {inbox_id: 'in2'})}), 0],
		["a hit of the daemon's", told({type: 'fault.hit', hit: hitBody('h2', {inbox_id: null})}), 0],
		['a change', told({type: 'faults.changed', inbox_id: 'in1'}), 1],
		['other events', told(received('a'), deleted('a')), 0],
	])('faults are read again after %s if it concerns them', (_, event, by) => {
		const state = stateAfter(shown);
		const {listRevision, recordsRevision} = updated(state, event).faults;
		expect(listRevision - state.faults.listRevision).toBe(by);
		expect(recordsRevision - state.faults.recordsRevision).toBe(by);
	});

	test('the selected inbox decides whose faults are shown; without one, they belong to the daemon', () => {
		expect(stateAfter(shown).faults).toMatchObject({inboxId: 'in1', total: 1});
		const ofAll = stateAfter([...shown, toScreen('faults'), move(-1)]);
		expect(ofAll.faults).toMatchObject({inboxId: null, total: 0});
		expect(updated(ofAll, told({type: 'faults.changed', inbox_id: null})).faults.listRevision).toBe(1);
	});

	test('the newest hit is selected as it arrives, until the user selects or reads another', () => {
		const [older, newer] = [hitsRead(hitBody('h1')), hitsRead(hitBody('h2'), hitBody('h1'))];
		const next = (...updates: readonly Update[]) =>
			selectedRow(stateAfter([...shown, older, ...updates, newer]).faults.records)?.id;
		expect(next()).toBe('h2');
		expect(next(toPane(1))).toBe('h2');
		expect(next(toPane(1), toPane(1))).toBe('h1');
		const three = hitsRead(hitBody('h3'), hitBody('h2'), hitBody('h1'));
		expect(selectedRow(stateAfter([...shown, newer, toPane(1), move(1), three]).faults.records)?.id).toBe('h1');
	});

	test('events about faults count no message as unseen', () => {
		expect(stateAfter([...shown, told({type: 'faults.changed', inbox_id: 'in2'})]).unseen.size).toBe(0);
	});
});

test('the window of a list always holds the selected row and fills the height', () => {
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
