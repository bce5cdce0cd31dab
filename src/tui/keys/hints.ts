import {focusOf} from '../state/layout.js';
import type {Pane, State} from '../state/state.js';

/** The keys worth naming in each pane, by what they do; the help screen has all of them. */
const hints: Readonly<Record<Pane, string>> = {
	inboxes: '? help  l messages  n new  d delete  y copy  w webhooks  q quit',
	messages: '? help  l open  / filter  f follow  y copy  d delete  q quit',
	preview: '? help  1-6 tabs  y copy  o browser  e pager  s save  h back',
	endpoints: '? help  l deliveries  t test  y copy  w mail  q quit',
	deliveries: '? help  l open  r redeliver  y copy  h back  w mail',
	delivery: '? help  r redeliver  y copy  h back  w mail',
};

export function hintsFor(state: State): string {
	return state.dialog?.type === 'help' ? 'j k scroll  any other key closes' : hints[focusOf(state)];
}
