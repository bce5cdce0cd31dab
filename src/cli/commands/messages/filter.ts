import type {Command} from 'commander';
import type {MessageFilter} from '../../../contract/messages.js';

export type FilterFlags = Omit<MessageFilter, 'q' | 'match'> & {readonly exact?: boolean};

export function addFilterFlags(command: Command): Command {
	return command
		.option('--subject <pattern>', 'the subject contains this text, or matches this /regex/')
		.option('--from <pattern>', "the same of the sender's address or name")
		.option('--to <pattern>', "the same of the recipient's address, or what To says")
		.option('--contains <pattern>', 'the same of the text or the HTML')
		.option(
			'--header <name: pattern>',
			'the same of a header field of that name; may be repeated',
			(field: string, others: readonly string[] = []) => [...others, field],
		)
		.option('--exact', 'subject, addresses, names and header fields are equal to the text, or match as a whole')
		.option('--after <id or time>', 'newer than the message with this id, or not before this ISO 8601 time');
}

export function filterOf({subject, from, to, contains, header, exact, after}: FilterFlags): MessageFilter {
	const texts = {subject, from, to, contains, header};
	const isGiven = Object.values(texts).some(text => text !== undefined);
	return {...texts, match: isGiven ? (exact ? 'exact' : 'pattern') : undefined, after};
}

/** In words that follow "message": ` with subject "code" from "shop"`. */
export function describeFilter({subject, from, to, contains, header = [], exact, after}: FilterFlags): string {
	const is = exact ? ' exactly' : '';
	return [
		subject && ` with subject${is} "${subject}"`,
		from && ` from${is} "${from}"`,
		to && ` to${is} "${to}"`,
		contains && ` containing "${contains}"`,
		...header.map(field => ` with header${is} "${field}"`),
		after && ` after ${after}`,
	]
		.filter(Boolean)
		.join('');
}
