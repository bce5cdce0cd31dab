import type {ReactNode} from 'react';
import {widthOf} from '../../../lib/text/columns.js';
import {mailboxList} from '../../../lib/text/sanitize.js';
import {markMatches} from '../../core/filter.js';
import {clockTime} from '../../core/format.js';
import {allMail, type InboxRow, isInbox, selectedInbox, unseenIn} from '../../core/inboxes.js';
import type {MessageRow, WatchState} from '../state/state.js';
import {type Cell, ListPane, Pane, type PaneProps} from './pane.js';

const countWidth = 6;

/** The inboxes with their new and total messages, below a row for all inboxes. */
export function InboxPane({state, place}: PaneProps): ReactNode {
	const {inboxes, unseen, inboxesRevision, revision} = state;
	const {all, shown, filter} = inboxes;
	const cellsOf = (row: InboxRow): Cell[] => {
		const of = isInbox(row) ? [row] : all;
		const {name, email_address: address} = isInbox(row) ? row : {name: null, email_address: 'All inboxes'};
		const count = of.reduce((sum, inbox) => sum + inbox.message_count, 0);
		const fresh = of.reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
		const bold = fresh > 0;
		const freshWidth = bold ? 6 : 0;
		const room = place.width - 1 - countWidth - freshWidth;
		const nameWidth = name === null ? 0 : Math.min(room, widthOf(name) + 2);
		return [
			{text: name ?? '', width: nameWidth, bold},
			{text: address, width: room - nameWidth, bold, dim: nameWidth > 0},
			{text: `+${fresh}`.padStart(freshWidth), width: freshWidth, color: 'green'},
			{text: String(count).padStart(countWidth), width: countWidth, dim: true},
		];
	};
	const isRead = inboxesRevision === revision && revision > 0;
	return (
		<ListPane
			title={filter === '' ? 'Inboxes' : `Inboxes with "${filter}"`}
			note={filter === '' ? String(all.length) : `${shown.rows.length} of ${all.length}`}
			place={place}
			list={shown}
			cellsOf={cellsOf}
			empty={
				!isRead
					? 'Loading …'
					: filter === ''
						? 'No inboxes yet. Press n to create one.'
						: 'No inboxes match the filter.'
			}
			filter={filter}
		/>
	);
}

/** Columns beside time, sender and subject: the gutter, and the dot at what was not looked at. */
const marksWidth = 3;
const timeWidth = 9;

/** A space, twenty characters, and the mark of a cut. */
const minSubjectWidth = 22;

/** Time, sender and subject; where that leaves too little of the subject, there is no time. */
export function MessagePane({state, place}: PaneProps): ReactNode {
	const {shown, filter, inboxId} = state.messages;
	const {width} = place;
	if (inboxId === undefined) {
		return <Pane title="Messages" place={place} />;
	}

	const room = width - marksWidth;
	const senderWidth = Math.max(10, Math.min(32, Math.floor(width * 0.26)));
	const clockWidth = room - senderWidth - timeWidth < minSubjectWidth ? 0 : timeWidth;
	const cellsOf = (message: MessageRow): Cell[] => [
		{text: state.unseen.get(message.inbox_id)?.ids.has(message.id) ? '•' : ' ', width: 2, color: 'green'},
		{text: clockTime(message.received_at, new Date()), width: clockWidth, dim: true},
		{text: personOf(message, state), width: senderWidth},
		{text: ` ${message.subject || '(no subject)'}`, width: room - clockWidth - senderWidth},
	];
	return (
		<ListPane
			title={titleOf(state)}
			note={noteOf(state)}
			place={place}
			list={shown}
			cellsOf={cellsOf}
			empty={emptySentence(state)}
			filter={filter}
		/>
	);
}

function titleOf({inboxes, messages: {filter}}: WatchState): string {
	const inbox = selectedInbox(inboxes);
	const name = inbox?.name ?? inbox?.email_address;
	return filter === ''
		? name === undefined
			? 'All inboxes'
			: `Messages in ${name}`
		: `"${filter}" in ${name ?? 'all inboxes'}`;
}

/** The sender's address, or in all mail the inbox; what else matches the filter where only that does. */
function personOf(message: MessageRow, {inboxes, messages: {filter, inboxId}}: WatchState): string {
	const {inbox_id: id, from, from_name: name, to, subject, also = ''} = message;
	const inbox = inboxId === allMail.id ? inboxes.all.find(inbox => inbox.id === id) : undefined;
	const person = inbox ? `→ ${inbox.name ?? to}` : from;
	const matches = (text: string) => markMatches(text, filter).some(({marked}) => marked);
	if (filter === '' || matches(person) || matches(subject)) {
		return person;
	}

	const others = [from, mailboxList([{name, address: from}]), `→ ${to}`, ...also.split('\n').map(text => `→ ${text}`)];
	return others.find(matches) ?? person;
}

function noteOf({messages}: WatchState): string {
	const {all, shown, follow, above, complete, filter} = messages;
	const count = filter === '' ? '' : `${shown.rows.length} of `;
	const position = follow ? 'auto-open' : above > 0 ? `${above} new ↑` : '';
	return [position, `${count}${all.length}${complete ? '' : '+'}`].filter(part => part !== '').join('  ');
}

function emptySentence({inboxes, messages: {filter, complete}}: WatchState): string {
	if (!complete) {
		return 'Loading …';
	}

	const address = selectedInbox(inboxes)?.email_address;
	return filter !== ''
		? 'No messages match the filter.'
		: address
			? `Waiting for mail to ${address}`
			: 'No messages yet.';
}
