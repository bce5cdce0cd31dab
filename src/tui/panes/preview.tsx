import {Text} from 'ink';
import {Fragment, type ReactNode} from 'react';
import type {MailboxBody} from '../../contract/messages.js';
import {addressFields} from '../../contract/recipients.js';
import {fitTo, widthOf} from '../../lib/columns.js';
import {mailboxList} from '../../lib/mailboxes.js';
import {headHeight} from '../state/layout.js';
import {selectedRow, windowOf} from '../state/list.js';
import {hasItems} from '../state/reading.js';
import {type PreviewState, type Tab, tabs} from '../state/state.js';
import {Lines, Pane, type PaneProps} from './pane.js';
import {Row} from './row.js';

const labelWidth = 11;

/** The open message: its head, the tabs, and the text of one of them. */
export function PreviewPane({state: {preview, messages}, place}: PaneProps): ReactNode {
	const {width, height, focused} = place;
	const {lines, tab, top, item, message} = preview;
	const row = selectedRow(messages.shown);
	if (row === undefined) {
		return <Pane title="Message" place={place} />;
	}

	const room = Math.max(0, height - headHeight(preview));
	const start = hasItems(tab) ? windowOf(lines.length, item, room).start : top;
	const head = [
		...addressFields(message ?? {...row, recipients: {to: [{name: null, address: row.to}], cc: [], reply_to: []}}).map(
			([label, mailboxes]) => [label, fitMailboxes(mailboxes, width - labelWidth)] as const,
		),
		['Subject', row.subject] as const,
	];
	return (
		<Pane title="Message" note={new Date(row.received_at).toLocaleString('sv')} place={place}>
			{head.map(([label, text]) => (
				<Row
					key={label}
					cells={[
						{text: ` ${label}`, width: labelWidth, dim: true},
						{text, width: width - labelWidth, bold: label === 'Subject'},
					]}
				/>
			))}
			<Tabs tab={tab} message={message} width={width} />
			<Lines
				lines={lines.slice(start, start + room)}
				width={width}
				selected={hasItems(tab) && focused ? item - start : undefined}
			/>
		</Pane>
	);
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

type TabsProps = Pick<PreviewState, 'tab' | 'message'> & {readonly width: number};

/**
 * `1 text  2 html …`, with how much is in some of them; in less room no keys, in still less no numbers. Where not even the
 * words fit, they are there for the open tab and for those that hold something.
 */
function Tabs({tab: open, message, width}: TabsProps): ReactNode {
	const counts: Partial<Record<Tab, number>> = message
		? {attachments: message.attachments.length, codes: message.codes.length + message.links.length}
		: {};
	const counted = tabs.map(tab => `${tab}${counts[tab] ? ` ${counts[tab]}` : ''}`);
	const keyed = counted.map((text, index) => `${index + 1} ${text}`);
	const short = tabs.map((tab, index) => (tab === open || counts[tab] ? keyed[index] : index + 1));
	const {texts, gap} = [
		{texts: keyed, gap: '  '},
		{texts: counted, gap: ' '},
		{texts: tabs, gap: ' '},
	].find(({texts, gap}) => texts.join(gap).length < width) ?? {texts: short, gap: '  '};
	return (
		<Text wrap="truncate">
			{tabs.map((tab, index) => (
				<Fragment key={tab}>
					{index > 0 ? gap : ' '}
					<Text dimColor={tab !== open} bold={tab === open} underline={tab === open}>
						{texts[index]}
					</Text>
				</Fragment>
			))}
		</Text>
	);
}
