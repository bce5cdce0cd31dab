import {focusOf} from '../state/layout.js';
import type {Pane, State} from '../state/state.js';

/** The keys worth naming in each pane, by what they do, the first ones where there is room for few; the help screen has all. */
const hints: Readonly<Record<Pane, readonly string[]>> = {
	inboxes: ['? help', 'q quit', 'l messages', 'n new', 'd delete', 'y copy', 'w webhooks'],
	messages: ['? help', 'q quit', 'l open', '/ filter', 'f follow', 'y copy', 'd delete'],
	preview: ['? help', 'h back', '1-6 tabs', 'y copy', 'o browser', 'e pager', 's save'],
	endpoints: ['? help', 'q quit', 'l deliveries', 't test', 'y copy', 'w mail'],
	deliveries: ['? help', 'h back', 'l open', 'r redeliver', 'y copy', 'w mail'],
	delivery: ['? help', 'h back', 'r redeliver', 'y copy', 'w mail'],
};

export function hintsFor(state: State): readonly string[] {
	return state.dialog?.type === 'help' ? ['j k scroll', 'any other key closes'] : hints[focusOf(state)];
}
