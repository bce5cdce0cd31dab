import type {ListMessages, MessageFilter} from '../contract/messages.js';

/**
 * A text, or an expression with the flags i, m, s and u. The daemon matches it in linear time (RE2 syntax), and refuses
 * look-arounds and back-references with an `ApiError`.
 */
export type Wanted = string | RegExp;

/** A `MessageFilter` in which expressions may stand for texts, whatever `match` says of the texts beside them. */
export type ClientFilter = Omit<MessageFilter, 'subject' | 'from' | 'to' | 'contains' | 'header' | 'link'> & {
	readonly subject?: Wanted | undefined;
	/** In the sender's address or name. */
	readonly from?: Wanted | undefined;
	/** In the recipient's address, or in a name or an address of the `To` field. */
	readonly to?: Wanted | undefined;
	/** In the text or the HTML. */
	readonly contains?: Wanted | undefined;
	/** In header fields, each by its name, or as `Name: value`. */
	readonly header?: Readonly<Record<string, Wanted>> | readonly string[] | undefined;
	/** Each in the address or the text of a link. */
	readonly link?: Wanted | readonly Wanted[] | undefined;
};

/** A filter with what a list is asked for besides. */
export type ClientQuery = ClientFilter & Omit<ListMessages, keyof MessageFilter>;

/** The query as the API takes it. Throws a `TypeError` for an expression with a flag that means nothing here. */
export function wireQuery(query: ClientQuery): ListMessages {
	const {q, subject, from, to, contains, header = [], link = [], match, ...others} = query;
	const links = [link].flat();
	if (isExpression(q)) {
		throw new TypeError('"q" is always a text. Look for an expression in "subject".');
	}

	const readsTexts = match === undefined || match === 'text';
	const wanted = [subject, from, to, contains, ...Object.values(header), ...links];
	const isMixed = readsTexts && wanted.some(isExpression);
	const spelled = (text: string) => (isMixed ? literal(text) : text);
	const wire = (wanted: Wanted) => (isExpression(wanted) ? patternOf(wanted) : spelled(wanted));
	const fields = isList(header)
		? header.map(field => field.replace(/(?<=^[^:]*:\s*)\S.*$/s, spelled))
		: Object.entries(header).map(([name, value]) => `${name}: ${wire(value)}`);
	return {
		q,
		subject: subject && wire(subject),
		from: from && wire(from),
		to: to && wire(to),
		contains: contains && wire(contains),
		header: fields,
		link: links.map(wire),
		match: isMixed ? 'pattern' : match,
		...others,
	};
}

/** The text as it is, or the expression as `/source/flags`. Throws as `wireQuery`. */
export function patternOf(wanted: Wanted): string {
	const [flag] = isExpression(wanted) ? wanted.flags.replace(/[imsu]/g, '') : [];
	if (flag !== undefined) {
		throw new TypeError(`The flag "${flag}" of ${wanted} means nothing here. Known are i, m, s and u.`);
	}

	return String(wanted);
}

/** By its type: test runners have a RegExp of their own in each file. */
function isExpression(wanted: unknown): wanted is RegExp {
	return typeof wanted === 'object';
}

function isList(header: NonNullable<ClientFilter['header']>): header is readonly string[] {
	return Array.isArray(header);
}

/** What finds the text where expressions are read, too: itself, unless it looks like one. */
function literal(text: string): string {
	return /^\/.+\/[a-z]*$/s.test(text) ? `/${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}/i` : text;
}
