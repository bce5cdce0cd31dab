import {addressFields} from '../../../contract/descriptions.js';
import type {MailboxBody, MessageSummaryBody} from '../../../contract/messages.js';
import {fitTo, widthOf} from '../../../lib/text/columns.js';
import {mailboxList} from '../../../lib/text/sanitize.js';
import {tabs} from '../../core/keys.js';
import {selectedRow, windowOf} from '../../core/list.js';
import {headHeight, tabLabels} from '../state/layout.js';
import {hasItems, linesWith} from '../state/reading.js';
import type {PreviewState} from '../state/state.js';
import {joinFitting, line, minTitleWidth, pane, type RenderPane, textLines} from './pane.js';

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
			note: joinFitting([noteOf(preview, room), clock], width - minTitleWidth - 1),
			place,
		},
		[...head, tabRow, ...text],
	);
};

/** Lines in view of a longer text, or the number of lines that match the search. */
function noteOf({lines, search, top, item, tab}: PreviewState, room: number): string {
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
