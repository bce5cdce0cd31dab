import type {ListMessages, MessageFilter} from '../contract/messages.js';
import {isDate, isRegExp} from './options.js';

/**
 * A substring, or a regular expression with the flags i, m, s and u. The daemon matches expressions in linear time (RE2
 * syntax) and rejects look-arounds and back-references with an `ApiError`.
 */
export type Wanted = string | RegExp;

/** A `MessageFilter` that accepts a RegExp instead of any string. `match` applies to the strings only. */
export type ClientFilter = Omit<MessageFilter, 'subject' | 'from' | 'to' | 'contains' | 'header' | 'link' | 'after'> & {
	readonly subject?: Wanted | undefined;
	/** Matches the address or the name of the sender. */
	readonly from?: Wanted | undefined;
	/** Matches an envelope recipient, or a name or address in the `To` field. */
	readonly to?: Wanted | undefined;
	/** Matches the text or the HTML. */
	readonly contains?: Wanted | undefined;
	/** Matches header fields, given by name or as `Name: value`. */
	readonly header?: Readonly<Record<string, Wanted>> | string | readonly string[] | undefined;
	/** Each must match the URL or the text of a link. */
	readonly link?: Wanted | readonly Wanted[] | undefined;
	/** Only messages newer than the message with this id, or received at this time or later. */
	readonly after?: string | Date | undefined;
};

/** A filter with the other parameters of a list. */
export type ClientQuery = ClientFilter & Omit<ListMessages, keyof MessageFilter | 'fields'>;

/** Converts a query to parameters of the API. Throws a `TypeError` for unsupported RegExp flags and for values of a wrong type. */
export function wireQuery(query: ClientQuery): ListMessages {
	assertFilter(query);
	const {q, smtp_user, subject, from, to, contains, header = [], link = [], after, match, ...others} = query;
	if (q !== undefined && typeof q !== 'string') {
		throw new TypeError('"q" must be a string. For a regular expression, use "subject".');
	}

	if (smtp_user !== undefined && typeof smtp_user !== 'string') {
		throw new TypeError('"smtp_user" must be a string: the full user name.');
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
		throw new TypeError(`"${wrong[0]}" must be a string or a RegExp.`);
	}

	const readsTexts = match === undefined || match === 'text';
	const isMixed = readsTexts && wanted.some(([, value]) => isRegExp(value));
	const spelled = (text: string) => (isMixed ? patternFor(text) : text);
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

/** Throws a `TypeError` if the filter is not an object. */
export function assertFilter(filter: unknown): void {
	if (typeof filter !== 'object' || filter === null || isRegExp(filter)) {
		throw new TypeError(`A filter must be an object such as {subject: 'Welcome'}, got ${filter}.`);
	}
}

/** Name (with its colon) and value of each header condition. */
function headersOf(header: NonNullable<ClientFilter['header']>): ReadonlyArray<readonly [string, Wanted]> {
	const lines: unknown = typeof header === 'string' ? [header] : header;
	if (Array.isArray(lines) && lines.every(line => typeof line === 'string')) {
		return lines.map(line => {
			const [name = ''] = /^[^:]*:\s*/.exec(line) ?? [line];
			return [name, line.slice(name.length)];
		});
	}

	if (typeof lines !== 'object' || lines === null || Array.isArray(lines) || isRegExp(lines)) {
		throw new TypeError(
			'"header" must be a string such as "Name: value", an array of strings, or an object of strings and RegExps by name.',
		);
	}

	return Object.entries(lines).map(([name, value]) => [`${name}: `, value]);
}

function wireTime(after: string | Date): string {
	if (typeof after === 'string') {
		return after;
	}

	if (!isDate(after) || Number.isNaN(after.getTime())) {
		throw new TypeError('"after" must be a message id, an ISO 8601 time or a Date.');
	}

	return after.toISOString();
}

/** Text, or RegExp as `/source/flags`. Throws a `TypeError` for unsupported flags. */
export function patternOf(wanted: Wanted): string {
	const [flag] = isRegExp(wanted) ? wanted.flags.replace(/[imsu]/g, '') : [];
	if (flag !== undefined) {
		throw new TypeError(`The flag "${flag}" of ${wanted} is not supported. Supported: i, m, s and u.`);
	}

	return String(wanted);
}

/** Pattern that matches a text literally: the text itself unless it looks like a RegExp. */
function patternFor(text: string): string {
	return /^\/.+\/[a-z]*$/s.test(text) ? `/${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}/i` : text;
}

/** Describes a filter as a continuation of "message": ` with subject "code" from "shop"`. Contains untrusted text. */
export function describeFilter(filter: MessageFilter): string {
	const {q, subject, from, to, contains, header = [], has = [], link = [], tls, smtp_user, match, after} = filter;
	const wanted = [...has.map(finding => `a ${finding}`), ...link.map(pattern => `a link matching "${pattern}"`)];
	const is = match === 'exact' ? ' exactly' : '';
	return [
		q && ` with "${q}" in the subject`,
		subject && ` with subject${is} "${subject}"`,
		from && ` from${is} "${from}"`,
		to && ` to${is} "${to}"`,
		contains && ` containing "${contains}"`,
		...header.map(field => ` with header${is} "${field}"`),
		wanted.length > 0 && ` that has ${wanted.join(' and ')}`,
		tls !== undefined && ` ${tls ? 'over' : 'without'} TLS`,
		smtp_user && ` sent by SMTP user "${smtp_user}"`,
		after && ` after ${after}`,
	]
		.filter(Boolean)
		.join('');
}
