import type {Command} from 'commander';
import type {MessageFilter} from '../../../contract/messages.js';

export type FilterFlags = Omit<MessageFilter, 'q' | 'smtp_user' | 'match'> & {
	readonly smtpUser?: string;
	readonly exact?: boolean;
};

export function addFilterFlags(command: Command): Command {
	return command
		.option('--subject <pattern>', 'the subject contains this text, or matches this /regex/')
		.option('--from <pattern>', "the same of the sender's address or name")
		.option('--to <pattern>', "the same of a recipient's address, or what To says")
		.option('--contains <pattern>', 'the same of the text or the HTML')
		.option(
			'--header <name: pattern>',
			'the same of a header field of that name; may be repeated',
			(field: string, others: readonly string[] = []) => [...others, field],
		)
		.option('--tls', 'came over TLS')
		.option('--no-tls', 'came in the clear')
		.option('--smtp-user <name>', 'sent with this SMTP login, the whole name')
		.option('--exact', 'subject, addresses, names and header fields are equal to the text, or match as a whole')
		.option(
			'--after <id or time>',
			'newer than the message with this id, or not before this ISO 8601 time (of a date, 0:00 UTC)',
		);
}

export function filterOf({
	subject,
	from,
	to,
	contains,
	header,
	link,
	has,
	tls,
	smtpUser,
	exact,
	after,
}: FilterFlags): MessageFilter {
	const texts = {subject, from, to, contains, header, link};
	const isGiven = Object.values(texts).some(text => text !== undefined);
	return {...texts, has, tls, smtp_user: smtpUser, match: isGiven ? (exact ? 'exact' : 'pattern') : undefined, after};
}
