import type {MessageBody} from '../../../contract/messages.js';
import {type TableColumn, timeColumn} from '../../output/table.js';

/** The end of an id, where ids differ: they begin with the time. Commands take it for the id. */
export function shortId(id: string): string {
	return id.slice(-8);
}

/** How a message is shown in one line. */
export const messageColumns: readonly TableColumn<Pick<MessageBody, 'id' | 'from' | 'subject' | 'received_at'>>[] = [
	{header: 'ID', value: ({id}) => id, show: ({id}) => shortId(id)},
	{header: 'FROM', value: message => message.from, flexible: true},
	{header: 'SUBJECT', value: message => message.subject, flexible: true},
	timeColumn('RECEIVED', message => message.received_at),
];
