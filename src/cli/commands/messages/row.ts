import type {MessageBody} from '../../../contract/messages.js';
import {ago} from '../../ago.js';
import type {Column} from '../../table.js';

/** How a message is shown in one line. */
export function messageColumns(
	now: Date,
): readonly Column<Pick<MessageBody, 'id' | 'from' | 'subject' | 'received_at'>>[] {
	return [
		{header: 'ID', value: message => message.id},
		{header: 'FROM', value: message => message.from, flexible: true},
		{header: 'SUBJECT', value: message => message.subject, flexible: true},
		{header: 'RECEIVED', value: message => message.received_at, show: message => ago(message.received_at, now)},
	];
}
