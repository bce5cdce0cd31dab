import {endOf, fitTo, widthOf} from '../../../lib/text/columns.js';
import {feedWords} from '../../core/feed.js';
import {unseenIn} from '../../core/inboxes.js';
import {type Copyable, keyLabel} from '../../core/keys.js';
import {type HelpLine, helpLines, hintsFor} from '../keys/bindings.js';
import {borderWidth, focusOf, layoutOf, noticeLines} from '../state/layout.js';
import type {Dialog, InputDialog, PaneName, WatchState} from '../state/state.js';
import {deliveryListPane, deliveryPane, endpointPane, faultPane, hitListPane, hitPane} from './faults.js';
import {inboxPane, messagePane, previewPane} from './mail.js';
import {type Cell, joinFitting, line, type PanePlace, pane, type RenderPane, styled} from './pane.js';

/** Minimum size of the terminal. */
const minSize = {columns: 20, rows: 6};

const renderers: Readonly<Record<PaneName, RenderPane>> = {
	inboxes: inboxPane,
	messages: messagePane,
	preview: previewPane,
	endpoints: endpointPane,
	deliveries: deliveryListPane,
	delivery: deliveryPane,
	faults: faultPane,
	hits: hitListPane,
	hit: hitPane,
};

/** Lines of the whole screen, top to bottom. Each one is as wide as the terminal. */
export function frameOf(state: WatchState): readonly string[] {
	const {columns, rows} = state.size;
	return columns < minSize.columns || rows < minSize.rows
		? [fitTo('Terminal too small.', columns)]
		: [statusLine(state), ...panesOf(state), ...lastLines(state)];
}

function panesOf(state: WatchState): readonly string[] {
	const {paneHeight: height, panes} = layoutOf(state);
	if (state.dialog?.type === 'help') {
		return helpScreen({width: state.size.columns, height, focused: true}, state.dialog.top);
	}

	const border = styled('│'.padStart(borderWidth), {dim: true});
	const rendered = panes.map(({pane, width}) =>
		renderers[pane](state, {width, height, focused: pane === focusOf(state)}),
	);
	return Array.from({length: height}, (_, row) => rendered.map(lines => lines[row] ?? '').join(border));
}

const feedSigns = {
	live: {sign: '●', color: 'green'},
	connecting: {sign: '○', color: 'yellow'},
	lost: {sign: '✗', color: 'red'},
} as const;

/** Status of the feed, number of unseen messages, ports and key, as far as they fit. */
function statusLine({feed, about, inboxes, unseen, size: {columns}}: WatchState): string {
	const {sign, color} = feedSigns[feed.status];
	const fresh = inboxes.all.reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
	const status = ` tinbox ${sign} ${feedWords[feed.status]}`;
	const room = columns - status.length;
	const parts = feed.status === 'lost' ? [feed.reason] : connectionFacts(about, fresh);
	return line(columns, [
		{text: status, width: status.length, color, bold: true},
		{text: `  ${joinFitting(parts, room - 2)}`, width: room, dim: true},
	]);
}

function connectionFacts({url, smtp, key}: WatchState['about'], fresh: number): readonly string[] {
	const facts = [`${fresh} new`, smtp && `smtp ${smtp}`, `http ${new URL(url).host}`, key && `key ${key}…`];
	return facts.filter(fact => fact !== undefined);
}

/** Dialog, notice, or hints about keys, in this order of priority. */
function lastLines(state: WatchState): readonly string[] {
	const {dialog, notice} = state;
	const width = state.size.columns;
	if (dialog !== undefined && dialog.type !== 'help') {
		return [dialogLine(dialog, width)];
	}

	if (notice !== undefined) {
		const color = notice.tone === 'error' ? 'red' : 'cyan';
		return noticeLines(state).map(text => line(width, [{text: ` ${text}`, width, color}]));
	}

	return [line(width, [{text: ` ${joinFitting(hintsFor(state), width - 1)}`, width, dim: true}])];
}

const inputLabels: Readonly<Record<InputDialog['purpose'], string>> = {
	'filter inboxes': 'Filter inboxes',
	'filter messages': 'Filter messages',
	'search message': 'Search the message',
	'name inbox': 'Name of the new inbox (optional)',
};

function dialogLine(dialog: Exclude<Dialog, {type: 'help'}>, width: number): string {
	switch (dialog.type) {
		case 'question': {
			const style = {color: 'yellow', bold: true} as const;
			return line(width, [
				{text: ` ${dialog.text}`, width: width - 5, ...style},
				{text: ' y/N', width: 4, ...style},
			]);
		}

		case 'copy':
			return line(width, [{text: copyMenu(dialog.items, width), width, color: 'yellow'}]);
		case 'input': {
			const label = ` ${inputLabels[dialog.purpose]}: `;
			const text = endOf(dialog.text, width - label.length - 1);
			return line(width, [
				{text: label, width: label.length, color: 'yellow'},
				{text, width: widthOf(text)},
				{text: ' ', width: 1, inverse: true},
			]);
		}
	}
}

/** Menu of texts to copy with their keys, and the beginning of each text if there is room. */
function copyMenu(items: readonly Copyable[], width: number): string {
	const menu = (itemText: (item: Copyable) => string) =>
		[' Copy', ...items.map(item => `${item.key} ${item.label}${itemText(item)}`)].join('  ');
	const whole = menu(({text}) => ` ${fitTo(text, 12).trim()}`);
	return whole.length <= width ? whole : menu(() => '');
}

const keysWidth = 17;
const doesWidth = 32;
const minCommandWidth = 24;

/** All keys, with the commands that do the same. */
function helpScreen(place: PanePlace, top: number): readonly string[] {
	const {width, height} = place;
	const end = Math.min(top + height - 1, helpLines.length);
	const note = helpLines.length < height ? '' : `${top + 1} to ${end} of ${helpLines.length}`;
	const lines = helpLines.slice(top, end).map(helpLine => line(width, helpCells(helpLine, width)));
	return pane({title: 'Keyboard shortcuts', note, place}, lines);
}

function helpCells(helpLine: HelpLine, width: number): readonly Cell[] {
	if ('title' in helpLine) {
		return [{text: ` ${helpLine.title}`, width, bold: true}];
	}

	const {keys, does, command} = helpLine;
	const room = width - keysWidth - doesWidth;
	return [
		{text: `  ${keys.map(keyLabel).join(' ')}`, width: keysWidth, color: 'cyan'},
		{text: does, width: Math.min(doesWidth, width - keysWidth)},
		{text: command === undefined || room < minCommandWidth ? '' : `tinbox ${command}`, width: room, dim: true},
	];
}
