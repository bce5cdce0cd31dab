import type {ReactNode} from 'react';
import type {MessageSummaryBody} from '../../contract/messages.js';
import {mailboxList} from '../../lib/mailboxes.js';
import {markMatches} from '../state/filter.js';
import {selectedRow} from '../state/list.js';
import type {WatchState} from '../state/state.js';
import {clockTime} from './clock-time.js';
import {ListPane} from './list-pane.js';
import {Pane, type PaneProps} from './pane.js';
import type {Cell} from './row.js';

/** Columns beside time, sender and subject: the gutter, and the dot at what was not looked at. */
const marksWidth = 3;
const timeWidth = 9;

/** A space, and twenty characters. */
const minSubjectWidth = 21;

/** Time, sender and subject; where that leaves too little of the subject, there is no time. */
export function MessagePane({state, place}: PaneProps): ReactNode {
	const {shown, filter, inboxId} = state.messages;
	const {width} = place;
	if (inboxId === undefined) {
		return <Pane title="Messages" place={place} />;
	}

	const room = width - marksWidth;
	const senderWidth = Math.max(11, Math.min(32, Math.floor(width * 0.28)));
	const clockWidth = room - senderWidth - timeWidth < minSubjectWidth ? 0 : timeWidth;
	const unseen = state.unseen.get(inboxId)?.ids;
	const cellsOf = (message: MessageSummaryBody): Cell[] => [
		{text: unseen?.has(message.id) ? '•' : ' ', width: 2, color: 'green'},
		{text: clockTime(message.received_at, new Date()), width: clockWidth, dim: true},
		{text: personOf(message, filter), width: senderWidth},
		{text: ` ${message.subject || '(no subject)'}`, width: room - clockWidth - senderWidth},
	];
	return (
		<ListPane
			title={filter === '' ? `Messages in ${nameOf(state)}` : `"${filter}" in ${nameOf(state)}`}
			note={noteOf(state)}
			place={place}
			list={shown}
			cellsOf={cellsOf}
			empty={emptySentence(state)}
			filter={filter}
		/>
	);
}

function nameOf({inboxes}: WatchState): string {
	const inbox = selectedRow(inboxes);
	return inbox?.name ?? inbox?.email_address ?? '';
}

/** The sender's address; his name or the recipient where only that matches the filter. */
function personOf({from, from_name: name, to, subject}: MessageSummaryBody, filter: string): string {
	const matches = (text: string) => markMatches(text, filter).some(({marked}) => marked);
	if (filter === '' || matches(from) || matches(subject)) {
		return from;
	}

	return name !== null && matches(name) ? mailboxList([{name, address: from}]) : matches(to) ? `→ ${to}` : from;
}

function noteOf({messages}: WatchState): string {
	const {all, shown, follow, above, complete, filter} = messages;
	const count = filter === '' ? '' : `${shown.rows.length} of `;
	const position = follow ? 'following' : above > 0 ? `${above} new ↑` : '';
	return [position, `${count}${all.length}${complete ? '' : '+'}`].filter(part => part !== '').join('  ');
}

function emptySentence({inboxes, messages: {filter, complete}}: WatchState): string {
	if (!complete) {
		return 'Reading …';
	}

	const address = selectedRow(inboxes)?.email_address ?? '';
	return filter === '' ? `No mail yet for ${address}` : 'No message matches the filter.';
}
