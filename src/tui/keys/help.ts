import {listHeight} from '../state/layout.js';
import type {State} from '../state/state.js';
import {type Binding, chapters} from './bindings.js';

/** A line of the help: the title of a chapter, or one of its keys. */
export type HelpLine = {readonly title: string} | Binding;

export const helpLines: readonly HelpLine[] = chapters.flatMap(({title, bindings}) => [{title}, ...bindings]);

/** The first line in view after scrolling, so that the last page is full. */
export function scrollHelp(state: State, top: number): number {
	return Math.max(0, Math.min(top, helpLines.length - listHeight(state)));
}
