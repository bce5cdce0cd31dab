import type {MessageBody} from '../../../contract/messages.js';
import {type TableColumn, timeColumn} from '../../output/table.js';

/** How a message is shown in one line. */
export const messageColumns: readonly TableColumn<Pick<MessageBody, 'id' | 'from' | 'subject' | 'received_at'>>[] = [
	{header: 'ID', value: message => message.id},
	{header: 'FROM', value: message => message.from, flexible: true},
	{header: 'SUBJECT', value: message => message.subject, flexible: true},
	timeColumn('RECEIVED', message => message.received_at),
];
