import type {ListMessages, MessageFilter} from '../contract/messages.js';
import {isDate, isRegExp} from './options.js';

/**
 * A text, or an expression with the flags i, m, s and u. The daemon matches it in linear time (RE2 syntax), and refuses
 * look-arounds and back-references with an `ApiError`.
 */
export type Wanted = string | RegExp;

/** A `MessageFilter` in which expressions may stand for texts, whatever `match` says of the texts beside them. */
export type ClientFilter = Omit<MessageFilter, 'subject' | 'from' | 'to' | 'contains' | 'header' | 'link' | 'after'> & {
	readonly subject?: Wanted | undefined;
	/** In the sender's address or name. */
	readonly from?: Wanted | undefined;
	/** In the address of a recipient of the envelope, or in a name or an address of the `To` field. */
	readonly to?: Wanted | undefined;
	/** In the text or the HTML. */
	readonly contains?: Wanted | undefined;
	/** In header fields, each by its name, or as `Name: value`. */
	readonly header?: Readonly<Record<string, Wanted>> | string | readonly string[] | undefined;
	/** Each in the address or the text of a link. */
	readonly link?: Wanted | readonly Wanted[] | undefined;
	/** Only messages newer than the one with this id, or received at this time or later. */
	readonly after?: string | Date | undefined;
};

/** A filter with what a list is asked for besides. */
export type ClientQuery = ClientFilter & Omit<ListMessages, keyof MessageFilter | 'fields'>;

/**
 * The query as the API takes it. Throws a `TypeError` for an expression with a flag that means nothing here, and for what
 * is no text or time where one belongs.
 */
export function wireQuery(query: ClientQuery): ListMessages {
	assertFilter(query);
	const {q, smtp_user, subject, from, to, contains, header = [], link = [], after, match, ...others} = query;
	if (q !== undefined && typeof q !== 'string') {
		throw new TypeError('"q" is always a text. Look for an expression in "subject".');
	}

	if (smtp_user !== undefined && typeof smtp_user !== 'string') {
		throw new TypeError('"smtp_user" is always a text, the whole name.');
	}

	const headers = headersOf(header);
	const links = [link].flat();
	const wanted = [
		...Object.entries({subject, from, to, contains}).filter(([, value]) => value !== undefined),
		...headers.map(([, value]) => ['header', value] as const),
		...links.map(value => ['link', value] as const),
	];
	const wrong = wanted.find(([, value]) => typeof value !== 'string' && !isRegExp(value));
	if (wrong) {
		throw new TypeError(`"${wrong[0]}" must be a text or a RegExp.`);
	}

	const readsTexts = match === undefined || match === 'text';
	const isMixed = readsTexts && wanted.some(([, value]) => isRegExp(value));
	const spelled = (text: string) => (isMixed ? literal(text) : text);
	const wire = (wanted: Wanted) => (isRegExp(wanted) ? patternOf(wanted) : spelled(wanted));
	return {
		q,
		smtp_user,
		subject: subject && wire(subject),
		from: from && wire(from),
		to: to && wire(to),
		contains: contains && wire(contains),
		header: headers.map(([name, value]) => name + wire(value)),
		link: links.map(wire),
		after: after === undefined ? undefined : wireTime(after),
		match: isMixed ? 'pattern' : match,
		...others,
	};
}

/** Throws a `TypeError` for a time or a text in place of a filter. */
export function assertFilter(filter: unknown): void {
	if (typeof filter !== 'object' || filter === null || isRegExp(filter)) {
		throw new TypeError(`A filter is an object, such as {subject: 'Welcome'}, not ${filter}.`);
	}
}

/** What each field must begin with, up to its value, and the value. */
function headersOf(header: NonNullable<ClientFilter['header']>): ReadonlyArray<readonly [string, Wanted]> {
	const lines: unknown = typeof header === 'string' ? [header] : header;
	if (Array.isArray(lines) && lines.every(line => typeof line === 'string')) {
		return lines.map(line => {
			const [name = ''] = /^[^:]*:\s*/.exec(line) ?? [line];
			return [name, line.slice(name.length)];
		});
	}

	if (typeof lines !== 'object' || lines === null || Array.isArray(lines) || isRegExp(lines)) {
		throw new TypeError('"header" must be texts such as "Name: value", or an object of texts and RegExps by name.');
	}

	return Object.entries(lines).map(([name, value]) => [`${name}: `, value]);
}

function wireTime(after: string | Date): string {
	if (typeof after === 'string') {
		return after;
	}

	if (!isDate(after) || Number.isNaN(after.getTime())) {
		throw new TypeError('"after" must be an id, a time in ISO 8601, or a Date.');
	}

	return after.toISOString();
}

/** The text as it is, or the expression as `/source/flags`. Throws as `wireQuery`. */
export function patternOf(wanted: Wanted): string {
	const [flag] = isRegExp(wanted) ? wanted.flags.replace(/[imsu]/g, '') : [];
	if (flag !== undefined) {
		throw new TypeError(`The flag "${flag}" of ${wanted} means nothing here. Known are i, m, s and u.`);
	}

	return String(wanted);
}

/** What finds the text where expressions are read, too: itself, unless it looks like one. */
function literal(text: string): string {
	return /^\/.+\/[a-z]*$/s.test(text) ? `/${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}/i` : text;
}
