import fc from 'fast-check';
import stringWidth from 'string-width';
import {describe, expect, test} from 'vitest';
import {keyLabel} from '../../../../../src/ui/core/keys.js';
import {chapters} from '../../../../../src/ui/tui/keys/bindings.js';
import {frameOf} from '../../../../../src/ui/tui/panes/app.js';
import {borderWidth, layoutOf} from '../../../../../src/ui/tui/state/layout.js';
import {restart, withMessages} from '../../../../../src/ui/tui/state/messages.js';
import {clickAt, wheelAt} from '../../../../../src/ui/tui/state/move.js';
import {searchMessage, toMatch} from '../../../../../src/ui/tui/state/reading.js';
import type {WatchState} from '../../../../../src/ui/tui/state/state.js';
import type {Update} from '../../../../../src/ui/tui/state/update.js';
import {
	connected,
	deliveriesRead,
	deliveryBody,
	endpointBody,
	endpointsRead,
	eventsReceived,
	faultBody,
	faultsRead,
	filterBy,
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
import {hostileText, hostileTexts} from '../hostile-text.js';

/** The frame without colour sequences. */
const plainFrame = (state: WatchState) =>
	frameOf(state)
		.join('\n')
		.replace(/\x1b\[[\d;]*m/g, '');
const linesOf = (state: WatchState) => plainFrame(state).split('\n');

const sizes = [
	{columns: 200, rows: 50},
	{columns: 100, rows: 30},
	{columns: 60, rows: 15},
] as const;

const toMessages = toPane(1);

function stateWithMessages(size: {columns: number; rows: number}, ...updates: readonly Update[]): WatchState {
	const message = messageBody('c', {
		subject: 'Confirm your sign-up',
		text: 'Your code is 4711.',
		codes: ['4711'],
		links: [{url: 'https://example.com/confirm', text: 'Confirm'}],
		attachments: [
			{id: '1', filename: 'a.pdf', content_type: 'application/pdf', size: 2048, content_id: null, disposition: null},
		],
	});
	return stateAfter([...connected(['c', 'b', 'a']), messageRead(message), ...updates], size);
}

describe.each(sizes)('at $columns x $rows', size => {
	const states: Readonly<Record<string, WatchState>> = {
		connecting: stateAfter([], size),
		empty: stateAfter([restart, inboxesRead()], size),
		inboxes: stateWithMessages(size),
		messages: stateWithMessages(size, toMessages),
		message: stateWithMessages(size, toMessages, toMessages),
		codes: stateWithMessages(size, toTab('codes')),
		attachments: stateWithMessages(size, toTab('attachments')),
		filter: stateWithMessages(size, toMessages, filterBy('ject b')),
		webhooks: stateWithMessages(
			size,
			toScreen('webhooks'),
			endpointsRead(endpointBody('e1')),
			deliveriesRead(deliveryBody('d1', {status: 'dead', attempts: 3})),
		),
		faults: stateWithMessages(
			size,
			toScreen('faults'),
			faultsRead(faultBody('f1'), faultBody('f2', {name: null, stage: 'end', times: 3, per: null})),
			hitsRead(hitBody('h1')),
			move(1),
		),
		help: stateWithMessages(size, {dialog: {type: 'help', top: 0}}),
		question: stateWithMessages(size, {dialog: {type: 'question', text: 'Delete it?', onYes: async () => {}}}),
		copy: stateWithMessages(size, {
			dialog: {
				type: 'copy',
				items: ['URL', 'endpoint ID', 'delivery ID'].map(label => ({key: 'k', label, text: 'x'.repeat(40)})),
			},
		}),
		lost: stateWithMessages(size, {feed: {status: 'lost', reason: 'The daemon closed the connection.'}}),
	};

	test.each(Object.keys(states))(
		'the screen "%s" shows its last line untruncated, with a space before each border',
		name => {
			const lines = linesOf(states[name] ?? stateWithMessages(size));
			expect(lines.at(-1)?.replaceAll('xxxxxxxxxxx…', '')).not.toContain('…');
			expect(lines.join('\n')).not.toMatch(/[^ ]│/);
		},
	);

	test.each(Object.keys(states))('the screen "%s" fills the terminal exactly', name => {
		const lines = linesOf(states[name] ?? stateWithMessages(size));
		expect(lines).toHaveLength(size.rows);
		for (const line of lines) {
			expect(stringWidth(line)).toBeLessThanOrEqual(size.columns);
		}
	});
});

test('a narrow terminal shows two panes or only the focused pane instead of three', () => {
	const titles = (columns: number) =>
		['Inboxes', 'Messages', 'Message '].filter(title =>
			linesOf(stateWithMessages({columns, rows: 20}, toMessages))[1]?.includes(title),
		);
	expect(titles(120)).toEqual(['Inboxes', 'Messages', 'Message ']);
	expect(titles(119)).toEqual(['Messages', 'Message ']);
	expect(titles(79)).toEqual(['Messages']);
});

test.each([
	{columns: 80, rows: 24},
	{columns: 100, rows: 30},
	{columns: 120, rows: 40},
])('a terminal of $columns columns shows twenty characters of a subject and the full names of the tabs', size => {
	const subject = 'Confirm-your-sign-up';
	const rows = [summaryBody('c', {subject: `${subject} and more of it`, from: 'a-long-address@example.com'})];
	for (const focus of [[], [toMessages], [toMessages, toMessages]]) {
		const lines = linesOf(stateAfter([...connected(), pageRead(rows), ...focus], size));
		expect(lines[2]).toContain(subject);
	}

	const tabs = linesOf(stateWithMessages(size, toMessages, toMessages)).find(line => line.includes('Source'));
	expect(tabs).toMatch(/Text.*HTML.*Headers.*Attachments.*Codes.*Source/);
});

test('the title of the message list names its inbox', () => {
	const named = inboxesRead(inboxBody('in1', {name: 'sign-up'}));
	const title = (...updates: readonly Update[]) =>
		linesOf(stateAfter([...connected(), ...updates, toMessages], {columns: 60, rows: 15}))[1];
	expect(title()).toMatch(/^▌Messages in in1@tinbox.test /);
	expect(title(named)).toMatch(/^▌Messages in sign-up .* auto-open {2}0$/);
	expect(title(named, filterBy('code'))).toMatch(/^▌"code" in sign-up /);
	const long = inboxesRead(inboxBody('in1', {name: 'x'.repeat(80)}));
	expect(title(long)).toMatch(/^▌Messages in xxxx.*… auto-open {2}0$/);
});

test('the row for all inboxes shows total counts, and its messages name their inbox', () => {
	const state = stateAfter(
		[
			...connected(['a']),
			inboxesRead(inboxBody('in1', {message_count: 2, name: 'sign-up'}), inboxBody('in2', {message_count: 40})),
			eventsReceived(received('b', {to: 'in2+x@tinbox.test', inbox_id: 'in2'}, 41), received('c', {}, 3)),
			move(-1),
			pageRead([summaryBody('c')]),
			state =>
				withMessages(state, readOf(state, 'in2', 'newest', 20), [
					summaryBody('b', {to: 'in2+x@tinbox.test', inbox_id: 'in2', received_at: '2026-01-02T00:00:00Z'}),
				]),
		],
		{columns: 140, rows: 20},
	);
	const lines = linesOf(state);
	expect(lines[2]).toMatch(/^>All inboxes +\+2 +44 │/);
	expect(lines[1]).toMatch(/│ All inboxes +auto-open {2}2/);
	expect(lines[2]).toMatch(/→ in2\+x@tin/);
	expect(lines[3]).toMatch(/→ sign-up /);
});

test('a message whose code or recipient matches the filter shows the match', () => {
	const rows = [{...summaryBody('a'), also: '482193\nBilling\nbilling@example.com'}];
	const line = (filter: string) =>
		linesOf(stateAfter([...connected(), pageRead(rows), toMessages, filterBy(filter)], sizes[1]))[2];
	expect(line('4821')).toContain('→ 482193');
	expect(line('billing@')).toContain('→ billing@');
});

/** Presses the first button of the mouse. */
const click =
	(column: number, row: number): Update =>
	state =>
		clickAt(state, {column, row});

test('a click selects the row under the pointer for every list position and terminal size', () => {
	const rows = Array.from({length: 40}, (_, index) => summaryBody(`m${index}`, {subject: `No. ${index} `}));
	const size = fc.record({columns: fc.integer({min: 60, max: 200}), rows: fc.integer({min: 8, max: 50})});
	fc.assert(
		fc.property(size, fc.nat(39), fc.nat(60), (size, selected, row) => {
			const state = stateAfter([...connected(), pageRead(rows), toMessages, move(selected)], size);
			const pane = layoutOf(state).panes.findIndex(({pane}) => pane === 'messages');
			const left = layoutOf(state)
				.panes.slice(0, pane)
				.reduce((sum, {width}) => sum + width + borderWidth, 0);
			const [, shown] = /No\. (\d+)/.exec(linesOf(state)[row] ?? '') ?? [];
			const clicked = updated(state, click(left + 3, row));
			expect(clicked.messages.shown.selected).toBe(shown === undefined ? `m${selected}` : `m${shown}`);
		}),
		{numRuns: 60},
	);
});

test('a click focuses a pane, opens a tab or selects a code, and has no effect outside of the panes', () => {
	for (const columns of [60, 80, 120, 200]) {
		const state = stateWithMessages({columns, rows: 24}, toMessages, toMessages);
		const positionOf = (text: string) => {
			const lines = linesOf(state);
			const row = lines.findIndex(line => line.includes(text));
			return [stringWidth(lines[row]?.slice(0, lines[row].lastIndexOf(text)) ?? ''), row] as const;
		};
		const codes = updated(state, click(...positionOf('Codes')));
		expect(codes.preview.tab).toBe('codes');
		const [column, row] = positionOf('Your code');
		expect(updated(codes, click(column, row + 1)).preview.item).toBe(1);
		expect(updated(state, click(...positionOf('Headers'))).preview.tab).toBe('headers');
		expect(updated(state, click(0, 1)).focus.mail).toBe(
			columns < 80 ? 'preview' : columns < 120 ? 'messages' : 'inboxes',
		);
		for (const outside of [0, 23]) {
			expect(updated(state, click(0, outside)).focus.mail).toBe('preview');
		}
	}
});

test('the wheel moves the pane under the pointer and keeps the focus', () => {
	const long = messageRead(messageBody('c', {text: 'word\n'.repeat(100)}));
	const state = stateWithMessages({columns: 120, rows: 24}, long, toMessages);
	const wheel = (column: number, by: 1 | -1) => updated(state, s => wheelAt(s, {column, row: 5}, by));
	expect(wheel(119, 1).preview.top).toBe(3);
	expect(wheel(119, -1).preview.top).toBe(0);
	expect(wheel(50, 1).messages.shown.selected).toBe('b');
	expect(wheel(0, 1).inboxes.shown.selected).toBe('in2');
	expect([wheel(119, 1), wheel(50, 1), wheel(0, 1)].map(({focus}) => focus.mail)).toEqual(Array(3).fill('messages'));
});

test('a search in a message marks matches and moves between them cyclically', () => {
	const text = Array.from({length: 60}, (_, index) => (index % 20 === 10 ? `Code ${index}` : `line ${index}`)).join(
		'\n',
	);
	const state = stateWithMessages(
		{columns: 80, rows: 20},
		messageRead(messageBody('c', {text})),
		toMessages,
		toMessages,
	);
	const marked = (shown: WatchState) =>
		linesOf(shown)
			.find(line => line.includes('│>'))
			?.split('>')[1]
			?.trim();
	const found = updated(state, s => searchMessage(s, 'code', 0));
	expect(marked(found)).toBe('Code 10');
	expect(linesOf(found)[1]).toMatch(/▌"code" in the message +in 3 of 60 lines/);
	const visited: Array<string | undefined> = [];
	[1, 1, 1, -1].reduce<WatchState>((shown, by) => {
		const next = updated(shown, s => toMatch(s, by < 0 ? -1 : 1));
		visited.push(marked(next));
		return next;
	}, found);
	expect(visited).toEqual(['Code 30', 'Code 50', 'Code 10', 'Code 50']);
	const none = updated(
		updated(state, s => searchMessage(s, 'nowhere', 0)),
		s => toMatch(s, 1),
	);
	expect(none.notice?.text).toBe('No match for "nowhere" in this tab.');
	expect(updated(state, s => toMatch(s, 1)).notice?.text).toBe('Press / to search first.');
});

test('a long notice is shown completely, and a slow message shows a loading state', () => {
	const url = `http://127.0.0.1:8025/v1/previews/${'0123456789'.repeat(9)}`;
	for (const size of sizes) {
		const lines = linesOf(stateWithMessages(size, {notice: {text: `Opened ${url}`, tone: 'info'}}));
		expect(lines).toHaveLength(size.rows);
		expect(lines.map(line => line.trim()).join('')).toContain(url);
	}

	const lowest = linesOf(stateWithMessages({columns: 60, rows: 6}, {notice: {text: `Opened ${url}`, tone: 'info'}}));
	expect(lowest).toHaveLength(6);
	const reading = stateAfter([...connected(['a']), ({preview}) => ({preview: {...preview, isSlow: true}})]);
	expect(plainFrame(reading)).toContain('Loading …');
});

test('a long message shows which of its lines are in view', () => {
	const text = messageRead(messageBody('c', {text: 'word\n'.repeat(49)}));
	const title = (...updates: readonly Update[]) =>
		linesOf(stateWithMessages({columns: 80, rows: 20}, text, toMessages, toMessages, ...updates))[1];
	expect(title()).toContain(' 1 to 12 of 50');
	expect(title(move(5))).toContain(' 6 to 17 of 50');
	expect(title(move(Infinity))).toContain(' 39 to 50 of 50');
	expect(title(messageRead(messageBody('c')))).not.toMatch(/\d to/);
});

test('a frame fits into a terminal of any size', () => {
	fc.assert(
		fc.property(fc.integer({min: 1, max: 220}), fc.integer({min: 1, max: 60}), (columns, rows) => {
			const largeCounts = faultBody('f1', {name: null, times: 99_999, per: null, seen: 123_456, hit_count: 12_345});
			const faults = [toScreen('faults'), faultsRead(largeCounts), hitsRead(hitBody('h1'))] as const;
			for (const state of [stateWithMessages({columns, rows}), stateWithMessages({columns, rows}, ...faults)]) {
				const lines = linesOf(state);
				expect(lines.length).toBeLessThanOrEqual(rows);
				for (const line of lines) {
					expect(stringWidth(line)).toBeLessThanOrEqual(columns);
				}
			}
		}),
		{numRuns: 40},
	);
});

test('an open message shows sender, recipient, subject and tabs in a terminal of minimum height', () => {
	const long = messageRead(messageBody('c', {text: 'word\n'.repeat(100)}));
	const lines = linesOf(stateWithMessages({columns: 60, rows: 6}, long, toMessages, toMessages));
	expect(lines.slice(1, -1).map(line => line.trim().split(' ')[0])).toEqual(['From', 'To', 'Subject', '1']);
});

test('an open message shows names, Cc and other recipients on separate lines', () => {
	const message = messageBody('c', {
		from_name: 'Ann\x1b[2J',
		recipients: {to: [{name: 'All', address: 'all@x.test'}], cc: [{name: null, address: 'bob@x.test'}], reply_to: []},
		envelope: {from: 'ann@example.com', to: ['in1@tinbox.test', 'bob@x.test']},
		text: 'word\n'.repeat(100),
	});
	const row = summaryBody('c', {from_name: 'Ann\x1b[2J'});
	const state = stateAfter([...connected(), pageRead([row]), messageRead(message), toMessages, toMessages], sizes[2]);
	expect(
		linesOf(state)
			.slice(2, 7)
			.map(line => line.trim()),
	).toEqual([
		'From      Ann <ann@example.com>',
		'To        All <all@x.test>',
		'Cc        bob@x.test',
		'Recipient in1@tinbox.test',
		'Subject   Subject c',
	]);
	const shown = linesOf(state).filter(line => line.trim() === 'word').length;
	expect(state.preview.top).toBe(0);
	const end = linesOf(updated(state, move(1000)));
	expect(end.filter(line => line.trim() === 'word')).toHaveLength(shown - 1);
});

test.each([
	['Ann of the Department of Very Long Names', 'Ann of the …'],
	['Ann, of the Department of Very Long Names', '"Ann, of the…"'],
])('a long name leaves room for the address: %s', (name, shown) => {
	const message = messageBody('c', {from_name: name});
	const state = stateAfter([...connected(), pageRead([summaryBody('c')]), messageRead(message), toMessages], {
		columns: 80,
		rows: 20,
	});
	expect(linesOf(state)[2]).toContain(`From      ${shown} <ann@example.com>`);
});

test('a filter matches names of senders and shows them', () => {
	const rows = [summaryBody('b', {from_name: 'Zoë'}), summaryBody('a')];
	const lines = linesOf(stateAfter([...connected(), pageRead(rows), toMessages, filterBy('zoë')], sizes[1]));
	expect(lines.filter(line => line.includes('Jan 01'))).toEqual([expect.stringContaining('Zoë <ann@exa')]);
});

test('the status line shows the connection, new messages, ports and the key as far as they fit', () => {
	const status = (columns: number, ...updates: readonly Update[]) =>
		linesOf(stateAfter([...connected(), ...updates], {columns, rows: 20}))[0]?.trim();
	expect(status(120, eventsReceived(received('a'), received('b', {}, 2)))).toBe(
		'tinbox ● live  2 new  smtp 127.0.0.1:1025  http 127.0.0.1:8025  key tbx_live_abcdefg…',
	);
	expect(status(60)).toBe('tinbox ● live  0 new  smtp 127.0.0.1:1025');
	expect(status(120, {feed: {status: 'lost', reason: 'It is gone.'}})).toBe('tinbox ✗ reconnecting …  It is gone.');
});

test('the help lists every key with its equivalent command', () => {
	const state = stateAfter([{dialog: {type: 'help', top: 0}}], {columns: 120, rows: 60});
	const frame = plainFrame(state);
	for (const {keys, does, command} of chapters.flatMap(({bindings}) => bindings)) {
		for (const text of [...keys.map(keyLabel), does, ...(command === undefined ? [] : [command])]) {
			expect(frame).toContain(text);
		}
	}
});

test('the list of faults shows effects, hits and remaining hits, and an open hit shows its complete fault', () => {
	const faults = [
		faultBody('f1', {seen: 5, hit_count: 2}),
		faultBody('f2', {
			name: null,
			stage: 'end',
			reply: null,
			drop: 'after_commit',
			per: null,
			times: 3,
			seen: 3,
			hit_count: 3,
		}),
		faultBody('f3', {name: 'stateWithMessages', per: null, times: 3, seen: 3}),
	];
	const state = stateAfter(
		[...connected(), toScreen('faults'), faultsRead(...faults), hitsRead(hitBody('h1')), move(1)],
		{columns: 200, rows: 30},
	);
	const [, titles, all, first, second, third] = linesOf(state);
	expect(titles).toMatch(/^▌Faults for in1@tinbox.test +3 │.*Hits +1 │.*Hit/);
	expect(all).toMatch(
		/^ All hits .*│>.*shop@example.com +451 4.7.1 Greylisted, try .*│ Effect +answered 451 4.7.1 Greylisted/,
	);
	expect(first).toMatch(/^>greylist {2}451 4.7.1 .* rcpt +Hit 2\/5 /);
	expect(second).toMatch(/^ kept, then dropped .* end +Hit 3\/3 +0 left/);
	expect(third).toMatch(/^ stateWithMessages {2}.* rcpt +Hit 1\/3 +2 left/);
	expect(linesOf(state).join('\n')).toMatch(/Effect +451 4.7.1 Greylisted, try again later; once/);
});

test('a list of ten thousand messages draws only the rows in view', () => {
	const rows = Array.from({length: 10_000}, (_, index) => summaryBody(`m${index}`));
	const state = stateAfter([...connected([], false).slice(0, 3), pageRead(rows), toMessages, move(5000)], {
		columns: 60,
		rows: 15,
	});
	expect(linesOf(state).filter(line => line.includes('Subject m'))).toHaveLength(12);
	expect(plainFrame(state)).toContain('Subject m5000');
});

/** A state with these texts in every field of messages, webhooks and faults. */
function hostileState(
	texts: readonly string[],
	size: {columns: number; rows: number},
	...updates: readonly Update[]
): WatchState {
	const [first = ''] = texts;
	const rows = texts.map((text, index) =>
		summaryBody(`m${index}`, {subject: text, from: text, from_name: text, to: text}),
	);
	const mailboxes = texts.map(text => ({name: text, address: text}));
	const message = messageBody('m0', {
		from_name: first,
		recipients: {to: mailboxes, cc: mailboxes, reply_to: mailboxes},
		text: texts.join('\n'),
		html: texts.map(text => `<p title="${text}">${text}</p>`).join(''),
		warnings: texts,
		session: {
			tls: {version: 'TLSv1.3', cipher: first, servername: first, client: first},
			auth: {mechanism: 'PLAIN', user: first},
			client: {host: '127.0.0.1', helo: first},
		},
		headers: texts.map(text => ({name: text, value: text})),
		codes: texts,
		links: texts.map(text => ({url: text, text})),
		attachments: texts.map((text, index) => ({
			id: String(index),
			filename: text,
			content_type: text,
			size: 1,
			content_id: text,
			disposition: text,
		})),
	});
	const delivery = deliveryBody('d1', {response_body: texts.join('\n'), payload: {texts}});
	const hit = hitBody('h1', {
		name: first,
		client: {host: first, helo: first},
		user: first,
		envelope: {from: first, to: texts},
		reply: first,
	});
	return stateAfter(
		[
			...connected().slice(0, 2),
			inboxesRead(inboxBody('in1', {name: first, email_address: first})),
			pageRead(rows),
			messageRead(message),
			sourceRead(texts.join('\n')),
			endpointsRead(...texts.map((text, index) => endpointBody(`e${index}`, text))),
			deliveriesRead(delivery),
			faultsRead(...texts.map((text, index) => faultBody(`f${index}`, {name: text, reply: text, match: {to: text}}))),
			hitsRead(hit),
			...updates,
		],
		size,
	);
}

const hostileScreens: ReadonlyArray<readonly Update[]> = [
	[],
	[{notice: {text: 'x', tone: 'error'}}],
	[toTab('html')],
	[toTab('headers')],
	[toTab('attachments')],
	[toTab('codes')],
	[toTab('source')],
	[toScreen('webhooks')],
	[toScreen('faults')],
	[toScreen('faults'), move(1), toPane(1), toPane(1)],
];

test('hostile texts in messages, webhooks and faults send no control character to the terminal', () => {
	const all = hostileTexts(500);
	for (let index = 0; index < all.length; index += 5) {
		const texts = all.slice(index, index + 5);
		const [text = ''] = texts;
		const state = hostileState(
			texts,
			{columns: 120, rows: 25},
			...(hostileScreens[(index / 5) % hostileScreens.length] ?? []),
			{feed: {status: 'lost', reason: text}},
			{notice: {text, tone: 'info'}},
			{dialog: index % 2 === 0 ? {type: 'copy', items: [{key: 'c', label: text, text}]} : undefined},
		);
		expect(plainFrame(state).replaceAll('\n', ''), JSON.stringify(texts)).not.toMatch(
			/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/,
		);
	}
});

test('text of any display width keeps the borders in place', () => {
	fc.assert(
		fc.property(
			hostileText,
			fc.integer({min: 120, max: 200}),
			fc.constantFrom(...hostileScreens),
			(text, columns, updates) => {
				const size = {columns, rows: 15};
				const expected = linesOf(hostileState(['x'], size, ...updates));
				const lines = linesOf(hostileState([text.replaceAll('│', '')], size, ...updates));
				const bordersOf = (line = '') => [...line.matchAll(/│/g)].map(({index}) => stringWidth(line.slice(0, index)));
				for (const [row, line] of lines.entries()) {
					expect(bordersOf(line)).toEqual(bordersOf(expected[row]));
				}
			},
		),
		{numRuns: 100},
	);
});
