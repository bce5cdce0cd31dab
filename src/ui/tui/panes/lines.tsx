import {Text} from 'ink';
import type {ReactNode} from 'react';
import {endOf, fitTo} from '../../../lib/columns.js';
import type {Copyable} from '../../core/copyable.js';
import {feedWords} from '../../core/feed.js';
import {unseenIn} from '../../core/unseen.js';
import {hintsFor} from '../keys/help.js';
import {noticeLines} from '../state/layout.js';
import type {Dialog, InputDialog, WatchState} from '../state/state.js';
import type {StateProps} from './pane.js';
import {Row} from './row.js';

const looks = {
	live: {sign: '●', color: 'green'},
	connecting: {sign: '○', color: 'yellow'},
	lost: {sign: '✗', color: 'red'},
} as const;

/** The first line: the daemon, its ports, the key, and how many messages are unseen, as far as there is room. */
export function StatusLine({state: {feed, about, inboxes, unseen, size}}: StateProps): ReactNode {
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
export function LastLines({state}: StateProps): ReactNode {
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

/** As many of the parts as fit side by side; the first one in any case. */
export function joinFitting(parts: readonly string[], width: number): string {
	return parts.reduce((line, part) => {
		const longer = line === '' ? part : `${line}  ${part}`;
		return longer.length <= width || line === '' ? longer : line;
	}, '');
}
