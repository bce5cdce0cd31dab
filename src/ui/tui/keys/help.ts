import {focusOf, listHeight} from '../state/layout.js';
import type {PaneName, WatchState} from '../state/state.js';
import {type Binding, bindingOf, chapters} from './bindings.js';

/** A line of the help: the title of a chapter, or one of its keys. */
export type HelpLine = {readonly title: string} | Pick<Binding, 'keys' | 'does' | 'command'>;

/** Terminals take the mouse back while Shift is held. */
const mouse: readonly HelpLine[] = [
	{title: 'Mouse'},
	{keys: ['wheel'], does: 'Scroll'},
	{keys: ['click'], does: 'Select a pane, row or tab'},
	{keys: ['shift drag'], does: 'Select text (on a Mac: Option)'},
];

export const helpLines: readonly HelpLine[] = [
	...chapters.flatMap(({title, bindings}) => [{title}, ...bindings]),
	...mouse,
];

/** The first line of the help in view after a key; undefined for a key that closes it. */
export function scrollHelp(state: WatchState, top: number, key: string): number | undefined {
	const height = listHeight(state);
	const rows = bindingOf(key, focusOf(state))?.rows?.(height);
	return rows === undefined ? undefined : helpTop(state, top + rows);
}

/** The nearest line to `top` that can be the first one in view. */
export function helpTop(state: WatchState, top: number): number {
	return Math.max(0, Math.min(top, helpLines.length - listHeight(state)));
}

/** The most useful keys of each pane, the first ones where there is room for few; the help has all. */
const hints: Readonly<Record<PaneName, readonly string[]>> = {
	inboxes: [
		'? help',
		'q quit',
		'l messages',
		'/ filter',
		'n create',
		'u new mail',
		'y copy',
		'd delete',
		'w webhooks',
		'F faults',
	],
	messages: ['? help', 'q quit', 'l open', '/ filter', 'f auto-open', 'y copy', 'd delete'],
	preview: ['? help', 'h back', '1-6 tabs', '/ search', 'y copy', 'o browser', 's save', 'e pager'],
	endpoints: ['? help', 'q quit', 'l deliveries', 't test', 'y copy', 'w mail'],
	deliveries: ['? help', 'h back', 'l open', 'r redeliver', 'y copy', 'w mail'],
	delivery: ['? help', 'h back', 'r redeliver', 'y copy', 'w mail'],
	faults: ['? help', 'q quit', 'F mail', 'l hits', 'd delete', 'y copy'],
	hits: ['? help', 'h back', 'l open', 'y copy', 'F mail'],
	hit: ['? help', 'h back', 'y copy', 'F mail'],
};

export function hintsFor(state: WatchState): readonly string[] {
	return state.dialog?.type === 'help' ? ['j k scroll', 'any other key closes'] : hints[focusOf(state)];
}
