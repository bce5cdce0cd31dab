import {Text} from 'ink';
import {Fragment, type ReactNode} from 'react';
import {addressFields} from '../../../contract/descriptions.js';
import type {MailboxBody, MessageSummaryBody} from '../../../contract/messages.js';
import {fitTo, widthOf} from '../../../lib/text/columns.js';
import {mailboxList} from '../../../lib/text/sanitize.js';
import {tabs} from '../../core/keys.js';
import {selectedRow, windowOf} from '../../core/list.js';
import {headHeight, tabLabels} from '../state/layout.js';
import {hasItems, linesWith} from '../state/reading.js';
import type {PreviewState} from '../state/state.js';
import {joinFitting, Lines, minTitleWidth, Pane, type PaneProps, Row} from './pane.js';

const labelWidth = 11;

/** The open message: its head, the tabs, and the text of one of them. */
export function PreviewPane({state: {preview, messages}, place}: PaneProps): ReactNode {
	const {width, height, focused} = place;
	const {lines, tab, top, item, message, search, match} = preview;
	const row = selectedRow(messages.shown);
	if (row === undefined) {
		return <Pane title="Message" place={place} />;
	}

	const room = Math.max(0, height - headHeight(preview));
	const start = hasItems(tab) ? windowOf(lines.length, item, room).start : top;
	const head = [
		...addressFields(message ?? outlined(row)).map(
			([label, mailboxes]) => [label, fitMailboxes(mailboxes, width - labelWidth)] as const,
		),
		['Subject', row.subject] as const,
	];
	const clock = new Date(row.received_at).toLocaleString('sv');
	return (
		<Pane
			title={search === '' ? 'Message' : `"${search}" in the message`}
			note={joinFitting([noteOf(preview, room), clock], width - minTitleWidth - 1)}
			place={place}
		>
			{head.map(([label, text]) => (
				<Row
					key={label}
					cells={[
						{text: ` ${label}`, width: labelWidth, dim: true},
						{text, width: width - labelWidth, bold: label === 'Subject'},
					]}
				/>
			))}
			<Tabs preview={preview} width={width} />
			<Lines
				lines={message === undefined && preview.isSlow ? ['Loading …'] : lines.slice(start, start + room)}
				width={width}
				selected={
					hasItems(tab) ? (focused ? item - start : undefined) : match === undefined ? undefined : match - start
				}
				filter={search}
			/>
		</Pane>
	);
}

/** Which of the lines are in view where that is not all, or how many have the text that is looked for. */
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

/** Of one mailbox that is too wide the name is cut, so that the address is there. */
function fitMailboxes(mailboxes: readonly MailboxBody[], width: number): string {
	const whole = mailboxList(mailboxes);
	const [first, ...others] = mailboxes;
	if (first === undefined || first.name === null || others.length > 0 || widthOf(whole) <= width) {
		return whole;
	}

	const room = width - widthOf(mailboxList([{...first, name: ''}]));
	return mailboxList([{...first, name: room > 1 ? fitTo(first.name, room).trimEnd() : null}]);
}

type TabsProps = {readonly preview: PreviewState; readonly width: number};

function Tabs({preview, width}: TabsProps): ReactNode {
	const {texts, gap, counts} = tabLabels(preview, width);
	const {tab: open} = preview;
	return (
		<Text wrap="truncate">
			{tabs.map((tab, index) => (
				<Fragment key={tab}>
					{index > 0 ? gap : ' '}
					<Text dimColor={tab !== open && !counts[tab]} bold={tab === open} underline={tab === open}>
						{texts[index]}
					</Text>
				</Fragment>
			))}
		</Text>
	);
}

/** A message of which no more is known yet than its row says. */
function outlined(row: MessageSummaryBody) {
	const to = [{name: null, address: row.to}];
	return {...row, envelope: {from: row.from, to: [row.to]}, recipients: {to, cc: [], reply_to: []}};
}
