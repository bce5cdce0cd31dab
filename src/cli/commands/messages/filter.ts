import type {Command} from 'commander';
import type {MessageBody, MessageFilter} from '../../../contract/messages.js';
import {addHelpNote, collect} from '../../options.js';
import {type TableColumn, timeColumn} from '../../output/table.js';

/** End of an id, which commands accept in place of the id. Ids start with a timestamp, so that their ends differ. */
export function shortId(id: string): string {
	return id.slice(-8);
}

/** Columns of a message in lists. */
export const messageColumns: readonly TableColumn<Pick<MessageBody, 'id' | 'from' | 'subject' | 'received_at'>>[] = [
	{header: 'ID', value: ({id}) => id, show: ({id}) => shortId(id)},
	{header: 'FROM', value: message => message.from, flexible: true},
	{header: 'SUBJECT', value: message => message.subject, flexible: true},
	timeColumn('RECEIVED', message => message.received_at),
];

export type FilterFlags = Omit<MessageFilter, 'q' | 'smtp_user' | 'match'> & {
	readonly smtpUser?: string;
	readonly exact?: boolean;
};

export function addFilterFlags(command: Command): Command {
	return addHelpNote(
		command,
		'A pattern is a text (case-insensitive) or a /regex/ with the flags i, m and s. A message must match all patterns.',
	)
		.option('--subject <pattern>', 'filter by subject')
		.option('--from <pattern>', 'filter by address or name in the From header')
		.option('--to <pattern>', 'filter by recipient address or To header')
		.option('--contains <pattern>', 'filter by text or HTML body')
		.option('--header <name: pattern>', 'filter by header field; repeatable', collect)
		.option('--tls', 'only messages received over TLS')
		.option('--no-tls', 'only messages received without TLS')
		.option('--smtp-user <name>', 'only messages sent by this SMTP user')
		.option('--exact', 'match whole values, not parts (except --contains)')
		.option('--after <id or time>', 'only messages after this one, or since this ISO 8601 time');
}

export function filterOf(flags: FilterFlags): MessageFilter {
	const {subject, from, to, contains, header, link, has, tls, smtpUser: smtp_user, exact, after} = flags;
	const texts = {subject, from, to, contains, header, link};
	const isGiven = Object.values(texts).some(text => text !== undefined);
	return {...texts, has, tls, smtp_user, match: isGiven ? (exact ? 'exact' : 'pattern') : undefined, after};
}
