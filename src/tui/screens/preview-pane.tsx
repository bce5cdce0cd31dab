import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {headLines} from '../state/layout.js';
import {selectedRow} from '../state/list.js';
import {hasItems} from '../state/preview.js';
import {type Preview, type State, type Tab, tabs} from '../state/state.js';
import {windowOf} from '../state/window.js';
import {Pane} from './pane.js';
import type {PanePlace} from './place.js';
import {Row} from './row.js';

const labelWidth = 9;

/** The open message: its head, the tabs, and the body of one of them. */
export function PreviewPane({state, place}: {readonly state: State; readonly place: PanePlace}): ReactNode {
	const {preview, messages} = state;
	const {width, height, focused} = place;
	const row = selectedRow(messages.shown);
	if (row === undefined) {
		return (
			<Pane title="Message" {...place}>
				{undefined}
			</Pane>
		);
	}

	const head = [
		['From', row.from],
		['To', [row.to, ...(preview.message?.cc ?? [])].join(', ')],
		['Subject', row.subject],
	] as const;
	return (
		<Pane title="Message" note={new Date(row.received_at).toLocaleString('sv')} {...place}>
			{head.map(([label, text]) => (
				<Row
					key={label}
					columns={[
						{text: ` ${label}`, width: labelWidth, dim: true},
						{text, width: width - labelWidth, bold: label === 'Subject'},
					]}
				/>
			))}
			<Tabs open={preview.tab} counts={countsOf(preview)} width={width} />
			<Body preview={preview} width={width} height={height - headLines} focused={focused} />
		</Pane>
	);
}

function countsOf({message}: Preview): Partial<Record<Tab, number>> {
	return message === undefined
		? {}
		: {attachments: message.attachments.length, codes: message.codes.length + message.links.length};
}

type TabsProps = {
	readonly open: Tab;
	readonly counts: Partial<Record<Tab, number>>;
	readonly width: number;
};

/** `1 text 2 html …`; where that is too wide, only the open one and those that hold something are written out. */
function Tabs({open, counts, width}: TabsProps): ReactNode {
	const label = (tab: Tab) => (counts[tab] ? `${tab} ${counts[tab]}` : tab);
	const full = tabs.map((tab, index) => `${index + 1} ${label(tab)}`);
	const fits = full.join('  ').length + 2 <= width;
	const names = tabs.map((tab, index) =>
		fits || tab === open || counts[tab] ? (full[index] ?? '') : String(index + 1),
	);
	return (
		<Text wrap="truncate">
			{tabs.map((tab, index) => (
				<Text key={tab} dimColor={tab !== open} bold={tab === open} underline={tab === open}>
					{` ${names[index]} `}
				</Text>
			))}
		</Text>
	);
}

type BodyProps = {
	readonly preview: Preview;
	readonly width: number;
	readonly height: number;
	readonly focused: boolean;
};

function Body({preview: {lines, tab, top, item}, width, height, focused}: BodyProps): ReactNode {
	const items = hasItems(tab);
	const start = items ? windowOf(lines.length, item, height).start : top;
	return (
		<Box flexDirection="column">
			{lines.slice(start, start + height).map((text, index) => (
				<Row
					// biome-ignore lint/suspicious/noArrayIndexKey: lines of one text have no other name
					key={index}
					columns={[{text: ` ${text}`, width}]}
					selected={items && start + index === item && focused ? 'here' : undefined}
				/>
			))}
		</Box>
	);
}
