import {addressFields} from '../../../contract/descriptions.js';
import type {MailboxBody, MessageSummaryBody} from '../../../contract/messages.js';
import {fitTo, widthOf} from '../../../lib/text/columns.js';
import {mailboxList} from '../../../lib/text/sanitize.js';
import {markMatches} from '../../core/filter.js';
import {clockTime} from '../../core/format.js';
import {allMail, isInbox, selectedInbox, unseenIn} from '../../core/inboxes.js';
import {tabs} from '../../core/keys.js';
import {selectedRow, windowOf} from '../../core/list.js';
import type {MessageRow} from '../../core/message-list.js';
import {headHeight, tabLabels} from '../state/layout.js';
import {hasItems, linesWith} from '../state/reading.js';
import type {PreviewState, WatchState} from '../state/state.js';
import {joinFitting, line, listPane, minTitleWidth, pane, type RenderPane, textLines} from './pane.js';

const countWidth = 6;

/** Inboxes with their unseen and total messages, below a row for all inboxes. */
export const inboxPane: RenderPane = ({inboxes, unseen, inboxesRevision, revision}, place) => {
	const {all, shown, filter} = inboxes;
	const isRead = inboxesRevision === revision && revision > 0;
	return listPane({
		title: filter === '' ? 'Inboxes' : `Inboxes with "${filter}"`,
		note: filter === '' ? String(all.length) : `${shown.rows.length} of ${all.length}`,
		place,
		list: shown,
		cellsOf(row) {
			const counted = isInbox(row) ? [row] : all;
			const {name, email_address: address} = isInbox(row) ? row : {name: null, email_address: 'All inboxes'};
			const count = counted.reduce((sum, inbox) => sum + inbox.message_count, 0);
			const fresh = counted.reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
			const bold = fresh > 0;
			const freshWidth = bold ? 6 : 0;
			const room = place.width - 1 - countWidth - freshWidth;
			const nameWidth = name === null ? 0 : Math.min(room, widthOf(name) + 2);
			return [
				{text: name ?? '', width: nameWidth, bold},
				{text: address, width: room - nameWidth, bold, dim: nameWidth > 0},
				{text: `+${fresh}`.padStart(freshWidth), width: freshWidth, color: 'green'},
				{text: String(count).padStart(countWidth), width: countWidth, dim: true},
			];
		},
		empty: !isRead
			? 'Loading …'
			: filter === ''
				? 'No inboxes yet. Press n to create one.'
				: 'No inboxes match the filter.',
		filter,
	});
};

/** Width of the gutter and of the mark of unseen messages. */
const marksWidth = 3;
const timeWidth = 9;

/** Space, twenty characters, and the mark of a cut. */
const minSubjectWidth = 22;

/** Time, sender and subject of the messages; without the time if the subject would be too narrow. */
export const messagePane: RenderPane = (state, place) => {
	const {shown, filter, inboxId} = state.messages;
	const {width} = place;
	if (inboxId === undefined) {
		return pane({title: 'Messages', place});
	}

	const room = width - marksWidth;
	const senderWidth = Math.max(10, Math.min(32, Math.floor(width * 0.26)));
	const clockWidth = room - senderWidth - timeWidth < minSubjectWidth ? 0 : timeWidth;
	return listPane({
		title: titleOf(state),
		note: noteOf(state),
		place,
		list: shown,
		cellsOf: message => [
			{text: state.unseen.get(message.inbox_id)?.ids.has(message.id) ? '•' : ' ', width: 2, color: 'green'},
			{text: clockTime(message.received_at, new Date()), width: clockWidth, dim: true},
			{text: personOf(message, state), width: senderWidth},
			{text: ` ${message.subject || '(no subject)'}`, width: room - clockWidth - senderWidth},
		],
		empty: emptySentence(state),
		filter,
	});
};

function titleOf({inboxes, messages: {filter}}: WatchState): string {
	const inbox = selectedInbox(inboxes);
	const name = inbox?.name ?? inbox?.email_address;
	return filter === ''
		? name === undefined
			? 'All inboxes'
			: `Messages in ${name}`
		: `"${filter}" in ${name ?? 'all inboxes'}`;
}

/** Address of the sender, or the inbox in a list of all; instead, the text that matches the filter if neither does. */
function personOf(message: MessageRow, {inboxes, messages: {filter, inboxId}}: WatchState): string {
	const {inbox_id: id, from, from_name: name, to, subject, also = ''} = message;
	const inbox = inboxId === allMail.id ? inboxes.all.find(inbox => inbox.id === id) : undefined;
	const person = inbox ? `→ ${inbox.name ?? to}` : from;
	const matches = (text: string) => markMatches(text, filter).some(({marked}) => marked);
	if (filter === '' || matches(person) || matches(subject)) {
		return person;
	}

	const others = [from, mailboxList([{name, address: from}]), `→ ${to}`, ...also.split('\n').map(text => `→ ${text}`)];
	return others.find(matches) ?? person;
}

function noteOf({messages}: WatchState): string {
	const {all, shown, autoOpen, above, complete, filter} = messages;
	const count = filter === '' ? '' : `${shown.rows.length} of `;
	const position = autoOpen ? 'auto-open' : above > 0 ? `${above} new ↑` : '';
	return [position, `${count}${all.length}${complete ? '' : '+'}`].filter(part => part !== '').join('  ');
}

function emptySentence({inboxes, messages: {filter, complete}}: WatchState): string {
	if (!complete) {
		return 'Loading …';
	}

	const address = selectedInbox(inboxes)?.email_address;
	return filter !== ''
		? 'No messages match the filter.'
		: address
			? `Waiting for mail to ${address}`
			: 'No messages yet.';
}

const labelWidth = 11;

/** Open message: its head, its tabs, and the text of the open tab. */
export const previewPane: RenderPane = ({preview, messages}, place) => {
	const {width, height, focused} = place;
	const {lines, tab, top, item, message, search, match} = preview;
	const row = selectedRow(messages.shown);
	if (row === undefined) {
		return pane({title: 'Message', place});
	}

	const room = Math.max(0, height - headHeight(preview));
	const start = hasItems(tab) ? windowOf(lines.length, item, room).start : top;
	const fields = [
		...addressFields(message ?? outlineOf(row)).map(
			([label, mailboxes]) => [label, fitMailboxes(mailboxes, width - labelWidth)] as const,
		),
		['Subject', row.subject] as const,
	];
	const head = fields.map(([label, text]) =>
		line(width, [
			{text: ` ${label}`, width: labelWidth, dim: true},
			{text, width: width - labelWidth, bold: label === 'Subject'},
		]),
	);
	const tabRow = tabLine(preview, width);
	if (height < headHeight(preview)) {
		// Subject and tabs are more useful than the title and the last address fields.
		return [...head.slice(0, Math.max(0, height - 2)), ...head.slice(-1), tabRow].slice(-height);
	}

	const marked = hasItems(tab) ? (focused ? item : undefined) : match;
	const text = textLines(message === undefined && preview.isSlow ? ['Loading …'] : lines.slice(start, start + room), {
		width,
		selected: marked === undefined ? undefined : marked - start,
		filter: search,
	});
	const clock = new Date(row.received_at).toLocaleString('sv');
	return pane(
		{
			title: search === '' ? 'Message' : `"${search}" in the message`,
			note: joinFitting([previewNote(preview, room), clock], width - minTitleWidth - 1),
			place,
		},
		[...head, tabRow, ...text],
	);
};

/** Lines in view of a longer text, or the number of lines that match the search. */
function previewNote({lines, search, top, item, tab}: PreviewState, room: number): string {
	if (search !== '') {
		return `in ${linesWith(search, lines).length} of ${lines.length} lines`;
	}

	return lines.length <= room
		? ''
		: hasItems(tab)
			? `${item + 1} of ${lines.length}`
			: `${top + 1} to ${Math.min(top + room, lines.length)} of ${lines.length}`;
}

/** Mailboxes as text. The name of a single one is cut if necessary, so that its address fits. */
function fitMailboxes(mailboxes: readonly MailboxBody[], width: number): string {
	const whole = mailboxList(mailboxes);
	const [first, ...others] = mailboxes;
	if (first === undefined || first.name === null || others.length > 0 || widthOf(whole) <= width) {
		return whole;
	}

	const room = width - widthOf(mailboxList([{...first, name: ''}]));
	return mailboxList([{...first, name: room > 1 ? fitTo(first.name, room).trimEnd() : null}]);
}

function tabLine(preview: PreviewState, width: number): string {
	const {texts, gap, counts} = tabLabels(preview, width);
	const cells = tabs.flatMap((tab, index) => {
		const text = texts[index] ?? '';
		const isOpen = tab === preview.tab;
		const before = index > 0 ? gap : ' ';
		return [
			{text: before, width: before.length},
			{text, width: text.length, dim: !isOpen && !counts[tab], bold: isOpen, underline: isOpen},
		];
	});
	return line(width, cells);
}

/** Message as far as its row tells. */
function outlineOf(row: MessageSummaryBody) {
	const to = [{name: null, address: row.to}];
	return {...row, envelope: {from: row.from, to: [row.to]}, recipients: {to, cc: [], reply_to: []}};
}
