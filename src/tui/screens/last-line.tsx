import {Text} from 'ink';
import type {ReactNode} from 'react';
import {hintsFor} from '../keys/hints.js';
import type {Copyable, Dialog, State} from '../state/state.js';
import {endOf, fitTo} from '../text/fit-to.js';
import {joinFitting} from '../text/join-fitting.js';
import {Row} from './row.js';

/** What waits for an answer, else what was told last, else which keys there are. */
export function LastLine({state, width}: {readonly state: State; readonly width: number}): ReactNode {
	const {dialog, notice} = state;
	if (dialog !== undefined && dialog.type !== 'help') {
		return <Ask dialog={dialog} width={width} />;
	}

	if (notice !== undefined) {
		return <Row columns={[{text: ` ${notice.text}`, width, color: notice.tone === 'error' ? 'red' : 'cyan'}]} />;
	}

	return <Row columns={[{text: ` ${joinFitting(hintsFor(state), width - 1)}`, width, dim: true}]} />;
}

function Ask({dialog, width}: {readonly dialog: Exclude<Dialog, {type: 'help'}>; readonly width: number}): ReactNode {
	switch (dialog.type) {
		case 'question':
			return (
				<Text color="yellow" bold wrap="truncate">
					{`${fitTo(` ${dialog.text}`, Math.max(0, width - 5))} y/N`}
				</Text>
			);
		case 'copy':
			return <Row columns={[{text: copyMenu(dialog.items, width), width, color: 'yellow'}]} />;
		case 'input': {
			const label = dialog.purpose === 'filter' ? ' Filter: ' : ' Name of the new inbox (may be empty): ';
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

/** What can be copied under which key, with the beginning of each text where there is room for all. */
function copyMenu(items: readonly Copyable[], width: number): string {
	const menu = (itemText: (item: Copyable) => string) =>
		[' Copy', ...items.map(item => `${item.key} ${item.label}${itemText(item)}`)].join('  ');
	const whole = menu(({text}) => ` ${fitTo(text, 12).trim()}`);
	return whole.length <= width ? whole : menu(() => '');
}
