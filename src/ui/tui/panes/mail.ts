import {widthOf} from '../../../lib/text/columns.js';
import {mailboxList} from '../../../lib/text/sanitize.js';
import {markMatches} from '../../core/filter.js';
import {clockTime} from '../../core/format.js';
import {allMail, isInbox, selectedInbox, unseenIn} from '../../core/inboxes.js';
import type {MessageRow} from '../../core/message-list.js';
import type {WatchState} from '../state/state.js';
import {listPane, pane, type RenderPane} from './pane.js';

const countWidth = 6;

/** Inboxes with their unseen and total messages, below a row for all inboxes. */
export const inboxPane: RenderPane = ({inboxes, unseen, inboxesRevision, revision}, place) => {
	const {all, shown, filter} = inboxes;
	const isRead = inboxesRevision === revision && revision > 0;
	return listPane({
		title: filter === '' ? 'Inboxes' : `Inboxes with "${filter}"`,
		note: filter === '' ? String(all.length) : `${shown.rows.length} of ${all.length}`,
		place,
		list: shown,
		cellsOf(row) {
			const counted = isInbox(row) ? [row] : all;
			const {name, email_address: address} = isInbox(row) ? row : {name: null, email_address: 'All inboxes'};
			const count = counted.reduce((sum, inbox) => sum + inbox.message_count, 0);
			const fresh = counted.reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
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
		},
		empty: !isRead
			? 'Loading …'
			: filter === ''
				? 'No inboxes yet. Press n to create one.'
				: 'No inboxes match the filter.',
		filter,
	});
};

/** Width of the gutter and of the mark of unseen messages. */
const marksWidth = 3;
const timeWidth = 9;

/** Space, twenty characters, and the mark of a cut. */
const minSubjectWidth = 22;

/** Time, sender and subject of the messages; without the time if the subject would be too narrow. */
export const messagePane: RenderPane = (state, place) => {
	const {shown, filter, inboxId} = state.messages;
	const {width} = place;
	if (inboxId === undefined) {
		return pane({title: 'Messages', place});
	}

	const room = width - marksWidth;
	const senderWidth = Math.max(10, Math.min(32, Math.floor(width * 0.26)));
	const clockWidth = room - senderWidth - timeWidth < minSubjectWidth ? 0 : timeWidth;
	return listPane({
		title: titleOf(state),
		note: noteOf(state),
		place,
		list: shown,
		cellsOf: message => [
			{text: state.unseen.get(message.inbox_id)?.ids.has(message.id) ? '•' : ' ', width: 2, color: 'green'},
			{text: clockTime(message.received_at, new Date()), width: clockWidth, dim: true},
			{text: personOf(message, state), width: senderWidth},
			{text: ` ${message.subject || '(no subject)'}`, width: room - clockWidth - senderWidth},
		],
		empty: emptySentence(state),
		filter,
	});
};

function titleOf({inboxes, messages: {filter}}: WatchState): string {
	const inbox = selectedInbox(inboxes);
	const name = inbox?.name ?? inbox?.email_address;
	return filter === ''
		? name === undefined
			? 'All inboxes'
			: `Messages in ${name}`
		: `"${filter}" in ${name ?? 'all inboxes'}`;
}

/** Address of the sender, or the inbox in a list of all; instead, the text that matches the filter if neither does. */
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
