import type {ReactNode} from 'react';
import type {MessageSummaryBody} from '../../contract/messages.js';
import {selectedRow} from '../state/list.js';
import type {State} from '../state/state.js';
import {markMatches} from '../text/matches.js';
import {clockTime} from '../text/time.js';
import {List} from './list.js';
import {Pane} from './pane.js';
import type {PanePlace} from './place.js';
import {Placeholder} from './placeholder.js';
import type {Column} from './row.js';

const timeWidth = 9;

/** When, from whom, what about; a dot marks what was not looked at. */
export function MessagePane({state, place}: {readonly state: State; readonly place: PanePlace}): ReactNode {
	const {messages, unseen, inboxes} = state;
	const {shown, filter, inboxId = ''} = messages;
	const {width, height, focused} = place;
	const senderWidth = Math.max(12, Math.min(32, Math.floor(width * 0.3)));
	const fresh = unseen.get(inboxId)?.ids;
	const columnsOf = (message: MessageSummaryBody): Column[] => [
		{text: fresh?.has(message.id) ? '•' : ' ', width: 2, color: 'green'},
		{text: clockTime(message.received_at, new Date()), width: timeWidth, dim: true},
		{text: personOf(message, filter), width: senderWidth},
		{text: ` ${message.subject || '(no subject)'}`, width: width - 2 - timeWidth - senderWidth},
	];
	return (
		<Pane title={titleOf(state)} note={noteOf(state)} {...place}>
			{shown.rows.length > 0 ? (
				<List list={shown} height={height - 1} focused={focused} columnsOf={columnsOf} filter={filter} />
			) : (
				<Placeholder text={emptySentence(state, selectedRow(inboxes)?.email_address)} width={width} />
			)}
		</Pane>
	);
}

/** The sender; the recipient where only it has what the filter looks for. */
function personOf({from, to, subject}: MessageSummaryBody, filter: string): string {
	const has = (text: string) => markMatches(text, filter).some(({marked}) => marked);
	return filter !== '' && has(to) && !has(from) && !has(subject) ? `→ ${to}` : from;
}

function titleOf({messages: {filter}}: State): string {
	return filter === '' ? 'Messages' : `Messages with "${filter}"`;
}

function noteOf({messages}: State): string {
	const {inboxId, all, shown, follow, above, complete, filter} = messages;
	if (inboxId === undefined) {
		return '';
	}

	const count = filter === '' ? '' : `${shown.rows.length} of `;
	const position = follow ? 'following' : above > 0 ? `${above} new ↑` : '';
	return [position, `${count}${all.length}${complete ? '' : '+'}`].filter(part => part !== '').join('  ');
}

function emptySentence({messages: {filter, complete, inboxId}}: State, address = ''): string {
	if (inboxId === undefined) {
		return '';
	}

	if (!complete) {
		return 'Reading …';
	}

	return filter === '' ? `No mail yet for ${address}` : 'No message matches the filter.';
}
