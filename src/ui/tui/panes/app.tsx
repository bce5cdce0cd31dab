import {Box, Text} from 'ink';
import {Fragment, type ReactNode} from 'react';
import {endOf, fitTo} from '../../../lib/text/columns.js';
import {unseenIn} from '../../core/inboxes.js';
import {type Copyable, keyLabel} from '../../core/keys.js';
import {feedWords} from '../../core/store.js';
import {type HelpLine, helpLines, hintsFor} from '../keys/bindings.js';
import {borderWidth, focusOf, layoutOf, noticeLines} from '../state/layout.js';
import type {Dialog, InputDialog, PaneName, WatchState} from '../state/state.js';
import {FaultPane, HitListPane, HitPane} from './faults.js';
import {InboxPane, MessagePane} from './mail.js';
import {type Cell, joinFitting, Pane, type PanePlace, type PaneProps, Row, type StateProps} from './pane.js';
import {PreviewPane} from './preview.js';
import {DeliveryListPane, DeliveryPane, EndpointPane} from './webhooks.js';

/** In less not even one pane fits. */
const minSize = {columns: 20, rows: 6};

const contents: Readonly<Record<PaneName, (props: PaneProps) => ReactNode>> = {
	inboxes: InboxPane,
	messages: MessagePane,
	preview: PreviewPane,
	endpoints: EndpointPane,
	deliveries: DeliveryListPane,
	delivery: DeliveryPane,
	faults: FaultPane,
	hits: HitListPane,
	hit: HitPane,
};

/** The whole of what the terminal shows; nothing but the state decides it. */
export function App({state}: StateProps): ReactNode {
	const {columns, rows} = state.size;
	if (columns < minSize.columns || rows < minSize.rows) {
		return <Text wrap="truncate">Terminal too small.</Text>;
	}

	return (
		<Box flexDirection="column" width={columns} height={rows}>
			<StatusLine state={state} />
			<Panes state={state} />
			<LastLines state={state} />
		</Box>
	);
}

function Panes({state}: StateProps): ReactNode {
	const {paneHeight: height, panes} = layoutOf(state);
	if (state.dialog?.type === 'help') {
		return <HelpScreen place={{width: state.size.columns, height, focused: true}} top={state.dialog.top} />;
	}

	return (
		<Box height={height}>
			{panes.map(({pane, width}, index) => {
				const Content = contents[pane];
				return (
					<Fragment key={pane}>
						{index > 0 && <Border height={height} />}
						<Content state={state} place={{width, height, focused: pane === focusOf(state)}} />
					</Fragment>
				);
			})}
		</Box>
	);
}

function Border({height}: {readonly height: number}): ReactNode {
	return <Text dimColor>{Array.from({length: height}, () => '│'.padStart(borderWidth)).join('\n')}</Text>;
}

const looks = {
	live: {sign: '●', color: 'green'},
	connecting: {sign: '○', color: 'yellow'},
	lost: {sign: '✗', color: 'red'},
} as const;

/** The first line: the daemon, its ports, the key, and how many messages are unseen, as far as there is room. */
function StatusLine({state: {feed, about, inboxes, unseen, size}}: StateProps): ReactNode {
	const {sign, color} = looks[feed.status];
	const fresh = inboxes.all.reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
	const first = ` tinbox ${sign} ${feedWords[feed.status]}`;
	const room = size.columns - first.length;
	const parts = feed.status === 'lost' ? [feed.reason] : factsOf(about, fresh);
	const facts = `  ${joinFitting(parts, room - 2)}`;
	return (
		<Row
			cells={[
				{text: first, width: first.length, color, bold: true},
				{text: facts, width: room, dim: true},
			]}
		/>
	);
}

function factsOf({url, smtp, key}: WatchState['about'], fresh: number): readonly string[] {
	const facts = [`${fresh} new`, smtp && `smtp ${smtp}`, `http ${new URL(url).host}`, key && `key ${key}…`];
	return facts.filter(fact => fact !== undefined);
}

/** The last lines: what waits for an answer, else the last notice, else which keys there are. */
function LastLines({state}: StateProps): ReactNode {
	const {dialog, notice} = state;
	const width = state.size.columns;
	if (dialog !== undefined && dialog.type !== 'help') {
		return <Ask dialog={dialog} width={width} />;
	}

	if (notice !== undefined) {
		const color = notice.tone === 'error' ? 'red' : 'cyan';
		// biome-ignore lint/suspicious/noArrayIndexKey: lines of one text have no other name
		return noticeLines(state).map((line, index) => <Row key={index} cells={[{text: ` ${line}`, width, color}]} />);
	}

	return <Row cells={[{text: ` ${joinFitting(hintsFor(state), width - 1)}`, width, dim: true}]} />;
}

const labels: Readonly<Record<InputDialog['purpose'], string>> = {
	'filter inboxes': 'Filter inboxes',
	'filter messages': 'Filter messages',
	'search message': 'Search the message',
	'name inbox': 'Name of the new inbox (optional)',
};

function Ask({dialog, width}: {readonly dialog: Exclude<Dialog, {type: 'help'}>; readonly width: number}): ReactNode {
	switch (dialog.type) {
		case 'question':
			return (
				<Row
					cells={[
						{text: ` ${dialog.text}`, width: width - 5, color: 'yellow', bold: true},
						{text: ' y/N', width: 4, color: 'yellow', bold: true},
					]}
				/>
			);
		case 'copy':
			return <Row cells={[{text: copyMenu(dialog.items, width), width, color: 'yellow'}]} />;
		case 'input': {
			const label = ` ${labels[dialog.purpose]}: `;
			return (
				<Text wrap="truncate">
					<Text color="yellow">{label}</Text>
					{endOf(dialog.text, width - label.length - 1)}
					<Text inverse> </Text>
				</Text>
			);
		}
	}
}

/** What can be copied and with which key, with the beginning of each text where there is room for all. */
function copyMenu(items: readonly Copyable[], width: number): string {
	const menu = (itemText: (item: Copyable) => string) =>
		[' Copy', ...items.map(item => `${item.key} ${item.label}${itemText(item)}`)].join('  ');
	const whole = menu(({text}) => ` ${fitTo(text, 12).trim()}`);
	return whole.length <= width ? whole : menu(() => '');
}

const keysWidth = 17;
const doesWidth = 32;

/** In less room a command is left out. */
const minCommandWidth = 24;

/** Every key, from the table that the handler reads, and the command that does the same. */
function HelpScreen({place, top}: {readonly place: PanePlace; readonly top: number}): ReactNode {
	const {width, height} = place;
	const end = Math.min(top + height - 1, helpLines.length);
	const note = helpLines.length < height ? '' : `${top + 1} to ${end} of ${helpLines.length}`;
	return (
		<Pane title="Keyboard shortcuts" note={note} place={place}>
			{helpLines.slice(top, end).map(line => (
				<Row key={'title' in line ? line.title : line.does} cells={cellsOf(line, width)} />
			))}
		</Pane>
	);
}

function cellsOf(line: HelpLine, width: number): readonly Cell[] {
	if ('title' in line) {
		return [{text: ` ${line.title}`, width, bold: true}];
	}

	const {keys, does, command} = line;
	const room = width - keysWidth - doesWidth;
	const typed = command === undefined || room < minCommandWidth ? '' : `tinbox ${command}`;
	return [
		{text: `  ${keys.map(keyLabel).join(' ')}`, width: keysWidth, color: 'cyan'},
		{text: does, width: Math.min(doesWidth, width - keysWidth)},
		{text: typed, width: room, dim: true},
	];
}
