import {listHeight} from '../state/layout.js';
import type {State} from '../state/state.js';
import {type Binding, chapters} from './bindings.js';

/** A line of the help: the title of a chapter, or one of its keys. */
export type HelpLine = {readonly title: string} | Binding;

export const helpLines: readonly HelpLine[] = chapters.flatMap(({title, bindings}) => [{title}, ...bindings]);

/** How many lines a key scrolls the help by; undefined for a key that closes it. */
export function helpStep(state: State, key: string): number | undefined {
	const page = listHeight(state);
	const steps: Readonly<Record<string, number>> = {
		j: 1,
		down: 1,
		k: -1,
		up: -1,
		'ctrl+d': page,
		pagedown: page,
		' ': page,
		'ctrl+u': -page,
		pageup: -page,
		g: -Infinity,
		home: -Infinity,
		G: Infinity,
		end: Infinity,
	};
	return steps[key];
}

/** The first line in view after scrolling, so that the last page is full. */
export function scrollHelp(state: State, top: number): number {
	return Math.max(0, Math.min(top, helpLines.length - listHeight(state)));
}
