import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {EventBody} from '../../../src/contract/events.js';
import type {Action} from '../../../src/tui/state/action.js';
import {selectedRow, windowOf} from '../../../src/tui/state/list.js';
import {pageAfter, wantsMore} from '../../../src/tui/state/messages.js';
import {reduce} from '../../../src/tui/state/reduce.js';
import type {WatchState} from '../../../src/tui/state/state.js';
import {
	connected,
	deleted,
	deliveryBody,
	endpointBody,
	inboxBody,
	messageBody,
	received,
	stateAfter,
	summaryBody,
} from '../bodies.js';

const toMessages: Action = {type: 'pane', by: 1};
const down: Action = {type: 'move', rows: 1};
const events = (...told: readonly EventBody[]): Action => ({type: 'events', events: told});
const idsOf = ({messages}: WatchState) => messages.shown.rows.map(({id}) => id);
const selectedId = ({messages}: WatchState) => selectedRow(messages.shown)?.id;

describe('messages', () => {
	test('come on top, and the newest is selected while following', () => {
		const state = stateAfter([...connected(['b', 'a']), events(received('c'), received('d'))]);
		expect(idsOf(state)).toEqual(['d', 'c', 'b', 'a']);
		expect(selectedId(state)).toBe('d');
	});

	test('leave the selected one selected once a person moved, and count those above it', () => {
		const state = stateAfter([...connected(['b', 'a']), toMessages, down, events(received('c'), received('d'))]);
		expect(selectedId(state)).toBe('a');
		expect(state.messages).toMatchObject({follow: false, above: 2});
	});

	test('are followed again from the first row, and when asked for', () => {
		const moved = stateAfter([...connected(['b', 'a']), toMessages, down]);
		expect(reduce(moved, {type: 'move', rows: -1}).messages.follow).toBe(true);
		const following = [events(received('c')), {type: 'follow'} as const].reduce<WatchState>(reduce, moved);
		expect(selectedId(following)).toBe('c');
	});

	test('select the neighbour of one that was deleted', () => {
		const state = stateAfter([...connected(['c', 'b', 'a']), toMessages, down, events(deleted('b'))]);
		expect(selectedId(state)).toBe('a');
		expect(selectedId(reduce(state, events(deleted('a'))))).toBe('c');
	});

	test('of another inbox change only its counts', () => {
		const other = received('x', {inbox_id: 'in2'}, 7);
		const state = stateAfter([...connected(['a']), events(other)]);
		expect(idsOf(state)).toEqual(['a']);
		expect(state.inboxes.rows[1]?.message_count).toBe(7);
		expect(state.unseen.get('in2')?.count).toBe(1);
	});

	test('count as unseen until a person goes to them', () => {
		const arrived = stateAfter([...connected(), events(received('a'), received('b'))]);
		expect(['a', 'b', 'c'].filter(id => arrived.unseen.get('in1')?.ids.has(id))).toEqual(['a', 'b']);
		const looked = reduce(arrived, toMessages);
		expect(['a', 'b', 'c'].filter(id => looked.unseen.get('in1')?.ids.has(id))).toEqual(['a']);
		expect(reduce(looked, down).unseen.get('in1')?.count).toBe(0);
	});

	test('are read in pages as the selection nears the end, and all of them for a filter or the last row', () => {
		const ids = Array.from({length: 99}, (_, index) => `m${index}`);
		const state = stateAfter([...connected(ids, false), toMessages], {columns: 60, rows: 15});
		expect(wantsMore(state)).toBe(false);
		expect(wantsMore(reduce(state, {type: 'move', rows: 90}))).toBe(true);
		expect(wantsMore(reduce(state, {type: 'filter', filter: 'x'}))).toBe(true);
		const last = reduce(state, {type: 'move', rows: Infinity});
		expect(wantsMore(last)).toBe(true);
		const page = {
			type: 'messages read',
			inboxId: 'in1',
			rows: [summaryBody('m98'), summaryBody('m99')],
			first: false,
			complete: true,
		} as const;
		expect(selectedId(reduce(last, page))).toBe('m99');
	});

	test('are read again from the start when a page does not join what was read', () => {
		const state = stateAfter([...connected(['b', 'a'], false)]);
		const page = {
			type: 'messages read',
			inboxId: 'in1',
			rows: [summaryBody('y')],
			first: false,
			complete: true,
		} as const;
		const after = reduce(state, page);
		expect(idsOf(after)).toEqual([]);
		expect(after.revision).toBe(state.revision + 1);
	});

	test('however pages and events fall together, are those of the inbox, newest first, none twice', () => {
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

/** A daemon and its events, which come late, beside pages, which come late, too; in the end, all has come. */
function play(old: number, steps: readonly string[]) {
	let stored = Array.from({length: old}, (_, index) => `old${index}`);
	let state = stateAfter(connected([], false).slice(0, 3));
	let untold: EventBody[] = [];
	let answer: Action | undefined;
	let arrivals = 0;
	const ask = () => {
		const {all, inboxId = ''} = state.messages;
		const {page, limit} = pageAfter(all.length, 7);
		const rows = stored.slice((page - 1) * limit, page * limit);
		answer = {
			type: 'messages read',
			inboxId,
			rows: rows.map(id => summaryBody(id)),
			first: all.length === 0,
			complete: rows.length < limit,
		};
	};
	const take = () => {
		state = answer === undefined ? state : reduce(state, answer);
		answer = undefined;
	};
	const tell = () => {
		state = reduce(state, events(...untold));
		untold = [];
	};
	for (const step of steps) {
		if (step === 'arrive') {
			const id = `new${arrivals++}`;
			stored = [id, ...stored];
			untold.push(received(id));
		} else if (step === 'delete' && stored.length > 0) {
			const [gone = ''] = stored.splice(Math.floor(stored.length / 2), 1);
			untold.push(deleted(gone));
		} else if (step === 'tell') {
			tell();
		} else if (step === 'ask' && answer === undefined && !state.messages.complete) {
			ask();
		} else if (step === 'answer') {
			take();
		}
	}

	take();
	tell();
	for (let round = 0; round < 100 && !state.messages.complete; round++) {
		ask();
		take();
	}

	return {state, stored};
}

describe('the filter', () => {
	const mails = [
		summaryBody('1', {subject: 'Your CODE'}),
		summaryBody('2', {from: 'codes@example.com'}),
		summaryBody('3', {to: 'code@tinbox.test'}),
		summaryBody('4'),
	];
	const start = [
		...connected([], false).slice(0, 3),
		{type: 'messages read', inboxId: 'in1', rows: mails, first: true, complete: true} as const,
	];

	test('keeps what has its text in subject, sender or recipient, without case', () => {
		expect(idsOf(stateAfter([...start, {type: 'filter', filter: 'cODe'}]))).toEqual(['1', '2', '3']);
		expect(idsOf(stateAfter([...start, {type: 'filter', filter: '.*'}]))).toEqual([]);
	});

	test('holds for what comes, and gives everything back when it is emptied', () => {
		const state = stateAfter([
			...start,
			{type: 'filter', filter: 'code'},
			events(received('5'), received('6', {subject: 'code'})),
		]);
		expect(idsOf(state)).toEqual(['6', '1', '2', '3']);
		expect(idsOf(reduce(state, {type: 'filter', filter: ''}))).toEqual(['6', '5', '1', '2', '3', '4']);
	});
});

describe('inboxes', () => {
	test('come, change and go under the selection', () => {
		const created: EventBody = {type: 'inbox.created', inbox: inboxBody('in3')};
		const state = stateAfter([...connected(['a']), events(created)]);
		expect(state.inboxes).toMatchObject({rows: [{id: 'in3'}, {id: 'in1'}, {id: 'in2'}], selected: 'in1'});
		const gone = reduce(state, events({type: 'inbox.deleted', inbox_id: 'in1'}));
		expect(gone.inboxes.selected).toBe('in2');
		expect(gone.messages).toMatchObject({inboxId: 'in2', all: [], complete: false});
	});

	test('show their own messages, and forget the filter of another', () => {
		const state = stateAfter([...connected(['a']), {type: 'filter', filter: 'x'}, down]);
		expect(state.messages).toMatchObject({inboxId: 'in2', filter: '', all: []});
	});

	test('a page of an inbox that is no longer selected is dropped', () => {
		const late = {
			type: 'messages read',
			inboxId: 'in1',
			rows: [summaryBody('a')],
			first: true,
			complete: true,
		} as const;
		expect(idsOf(stateAfter([...connected(), down, late]))).toEqual([]);
	});
});

describe('the open message', () => {
	test('is closed when another is selected, and scrolls within its text', () => {
		const text = Array.from({length: 200}, (_, line) => `line ${line}`).join('\n');
		const open: Action = {type: 'message read', message: messageBody('b', {text})};
		const state = stateAfter([...connected(['b', 'a']), open, toMessages, toMessages, {type: 'move', rows: Infinity}]);
		expect(state.preview.lines).toHaveLength(200);
		expect(state.preview.top).toBeGreaterThan(100);
		const up = reduce(state, {type: 'move', rows: -Infinity});
		expect(up.preview.top).toBe(0);
		const next = [{type: 'pane', by: -1}, down].reduce<WatchState>(
			(before, action) => reduce(before, action as Action),
			state,
		);
		expect(next.preview).toMatchObject({message: undefined, lines: [], top: 0});
	});

	test('is not replaced by what comes while a person reads it', () => {
		const state = stateAfter([...connected(['a']), toMessages, toMessages, events(received('b'))]);
		expect(selectedId(state)).toBe('a');
	});

	test('is laid out anew for another width', () => {
		const open: Action = {type: 'message read', message: messageBody('a', {text: 'word '.repeat(100)})};
		const wide = stateAfter([...connected(['a']), open]);
		const narrow = reduce(wide, {type: 'resized', size: {columns: 60, rows: 15}});
		expect(narrow.preview.lines.length).toBeGreaterThan(wide.preview.lines.length);
	});

	test.each([
		['html', {html: '<p>Hello <b>there</b></p>'}, 'Hello there'],
		['html', {}, 'This message has no HTML.'],
		['headers', {headers: [{name: 'X-A', value: '1'}]}, 'X-A: 1'],
		['attachments', {attachments: []}, 'No attachments.'],
		['codes', {codes: ['4711']}, '4711'],
		['codes', {links: [{url: 'https://example.com/x', text: 'Confirm'}]}, 'https://example.com/x'],
		['codes', {}, 'No codes and no links.'],
		['source', {}, 'Reading the source …'],
		['text', {warnings: ['The date is missing.']}, '! The date is missing.'],
	] as const)('has a tab %s with %j', (tab, fields, shown) => {
		const state = stateAfter([
			...connected(['a']),
			{type: 'message read', message: messageBody('a', fields as object)},
			{type: 'tab', tab},
		]);
		expect(state.preview.lines.join('\n')).toContain(shown);
	});

	test('shows the source with its control characters visible', () => {
		const state = stateAfter([
			...connected(['a']),
			{type: 'message read', message: messageBody('a')},
			{type: 'tab', tab: 'source'},
			{type: 'source read', messageId: 'a', source: 'Subject: \x1b[31mred\r\n'},
		]);
		expect(state.preview.lines).toEqual(['Subject: ␛[31mred', '']);
	});
});

test('a reload keeps what is selected', () => {
	const state = stateAfter([...connected(['c', 'b', 'a']), toMessages, down, {type: 'reload'}]);
	expect(idsOf(state)).toEqual([]);
	const rows = ['d', 'c', 'b', 'a'].map(id => summaryBody(id));
	const read = reduce(state, {type: 'messages read', inboxId: 'in1', rows, first: true, complete: true});
	expect(selectedId(read)).toBe('b');
});

test('deliveries are read again when one of the selected endpoint changed', () => {
	const {id, event, status, attempts, response_status, created_at} = deliveryBody('d1');
	const delivery = {id, event, status, attempts, response_status, created_at};
	const state = stateAfter([
		...connected(),
		{type: 'screen'},
		{type: 'endpoints read', request: '0 1', rows: [endpointBody('e1'), endpointBody('e2')]},
	]);
	const changed = (endpointId: string) => events({type: 'delivery.changed', endpoint_id: endpointId, delivery});
	expect(reduce(state, changed('e1')).webhooks.deliveriesRevision).toBe(state.webhooks.deliveriesRevision + 1);
	expect(reduce(state, changed('e2')).webhooks.deliveriesRevision).toBe(state.webhooks.deliveriesRevision);
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
