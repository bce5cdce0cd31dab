import type {MessageBody} from '../../../contract/messages.js';
import {ago} from '../../output/ago.js';
import type {TableColumn} from '../../output/table.js';

/** How a message is shown in one line. */
export const messageColumns: readonly TableColumn<Pick<MessageBody, 'id' | 'from' | 'subject' | 'received_at'>>[] = [
	{header: 'ID', value: message => message.id},
	{header: 'FROM', value: message => message.from, flexible: true},
	{header: 'SUBJECT', value: message => message.subject, flexible: true},
	{header: 'RECEIVED', value: message => message.received_at, show: (message, now) => ago(message.received_at, now)},
];
