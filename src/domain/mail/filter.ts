import type {FindingName, Match} from '../../contract/constants.js';
import type {MessageFilter} from '../../contract/messages.js';
import type {Link} from '../extract/links.js';
import {type Content, type Envelope, type Message, type Summary, senderOf} from './message.js';
import {checkText, type Pattern, parsePattern, readRegex, substring} from './pattern.js';

/** Conditions that need no parsed mail; all must hold. */
export type SummaryFilter = Pick<MessageFilter, 'q' | 'subject' | 'from' | 'to' | 'tls' | 'match'> & {
	readonly smtpUser?: MessageFilter['smtp_user'];
	/** Only messages newer than this id, which may be deleted. */
	readonly after?: string | undefined;
	/** Only messages older than this id, which may be deleted. */
	readonly before?: string | undefined;
	/** Only messages received at or after this time (ISO 8601, UTC). */
	readonly since?: string | undefined;
};

/** Conditions that need the parsed mail. A `header` without a value requires only that the field exists. */
export type ContentFilter = Pick<MessageFilter, 'contains' | 'header' | 'has' | 'link' | 'match'>;

/** All conditions of a search. */
export type MessageQuery = SummaryFilter & ContentFilter;

/** Part of the content that filters read. */
export type Searched = Pick<Content, 'text' | 'html' | 'headers' | 'codes' | 'links'>;

/** Part of a message that filters read. */
export type MatchableMessage = Pick<Message, 'to' | 'session'> & {
	readonly envelope: Envelope;
	readonly summary: Pick<Summary, 'subject' | 'from' | 'fromName' | 'to'>;
};

/** Single condition on a message or its content. */
export type Condition<Of> = {
	holds(of: Of): boolean;
	/** Returns a sentence that says why it does not hold. */
	problemOf(of: Of): string;
};

/** Named values of a message, one of which must match. */
type NamedValues<Of> = {readonly name: string; valuesOf(of: Of): readonly string[]};

const textFields = ['subject', 'from', 'to'] as const;

/** Values that the texts of a filter are compared with. */
const namedValues: Readonly<Record<(typeof textFields)[number], NamedValues<MatchableMessage>>> = {
	subject: {name: 'subject', valuesOf: ({summary}) => [summary.subject]},
	from: {name: 'sender', valuesOf: message => [senderOf(message)].concat(message.summary.fromName ?? [])},
	to: {name: 'recipient', valuesOf: ({to, envelope, summary}) => [to, ...envelope.to, ...summary.to.flat()]},
};

/**
 * Returns the conditions of a filter, except `after`, `before` and `since`, which the store checks. Throws `invalid_input`
 * for an invalid text.
 */
export function conditionsOf(filter: SummaryFilter): ReadonlyArray<Condition<MatchableMessage>> {
	const conditions = filter.q === undefined ? [] : [matches(namedValues.subject, substring(filter.q, 'q'))];
	for (const field of textFields) {
		const text = filter[field];
		if (text !== undefined) {
			conditions.push(matches(namedValues[field], patternOf(text, field, filter.match)));
		}
	}

	return [
		...conditions,
		...(filter.tls === undefined ? [] : [tlsCondition(filter.tls)]),
		...(filter.smtpUser === undefined ? [] : [loginCondition(filter.smtpUser)]),
	];
}

/** Returns the conditions on the content. Throws like `conditionsOf`. */
export function contentConditionsOf(filter: ContentFilter): ReadonlyArray<Condition<Searched>> {
	const {contains, header = [], has = [], link = [], match} = filter;
	const inside = match === 'exact' ? 'pattern' : match;
	const text: NamedValues<Searched> = {name: 'text', valuesOf: ({text, html}) => [text, html]};
	return [
		...(contains === undefined ? [] : [matches(text, patternOf(contains, 'contains', inside))]),
		...header.map(field => headerCondition(field, match)),
		...has.map(finding => hasFinding(finding)),
		...link.map(text => linkCondition(text, inside)),
	];
}

/** Returns the conditions of a query that need no parsed mail; undefined if there are none. */
export function summaryFilterOf({q, subject, from, to, tls, smtpUser, match}: MessageQuery): SummaryFilter | undefined {
	const hasCondition = [q, subject, from, to, tls, smtpUser].some(condition => condition !== undefined);
	return hasCondition ? {q, subject, from, to, tls, smtpUser, match} : undefined;
}

/** Returns the conditions of a query that need the parsed mail; undefined if there are none. */
export function contentFilterOf({contains, header, has, link, match}: MessageQuery): ContentFilter | undefined {
	const hasCondition = [contains, header, has, link].some(condition => condition !== undefined);
	return hasCondition ? {contains, header, has, link, match} : undefined;
}

/** True if the filter searches texts of the content, which may take long. */
export function comparesContent({contains, header, link}: ContentFilter): boolean {
	return [contains, header, link].some(condition => condition !== undefined);
}

/** Regular expression in a filter, with the name of its field. */
export type NamedRegex = {readonly field: string; readonly text: string};

/**
 * Returns the regular expressions of a filter, which are compiled and matched in a worker. Throws `invalid_input` for an
 * invalid text, but does not compile.
 */
export function regexesOf({header = [], match, q = '', ...filter}: MessageQuery): readonly NamedRegex[] {
	const fields = header.map(field => ({field: 'header', text: partsOf(field).value}));
	const texts = [...textFields, 'contains' as const, 'link' as const].flatMap(field =>
		[filter[field] ?? []].flat().map(text => ({field, text})),
	);
	checkText(q, 'q');
	return [...texts, ...fields.filter(({text}) => text !== '')].filter(({field, text}) => isRegex(text, field, match));
}

/**
 * Splits a filter into two that must both match: cheap conditions with the position in the list, and regular expressions.
 * Throws like `regexesOf`.
 */
export function splitFilter({after, before, since, q, tls, smtpUser, match, ...texts}: SummaryFilter): {
	readonly plain: SummaryFilter;
	readonly regexes: SummaryFilter;
} {
	const part = (regex: boolean) => {
		const pick = (field: (typeof textFields)[number]) => {
			const text = texts[field];
			return text !== undefined && isRegex(text, field, match) === regex ? text : undefined;
		};
		return {subject: pick('subject'), from: pick('from'), to: pick('to'), match};
	};
	return {plain: {...part(false), after, before, since, q, tls, smtpUser}, regexes: part(true)};
}

/** True if all conditions hold. */
export function holds<Of>(conditions: ReadonlyArray<Condition<Of>>, of: Of): boolean {
	return conditions.every(condition => condition.holds(of));
}

/**
 * Returns a sentence for each condition that fails, such as `The subject is "Welcome", not containing "reset".` The fewer
 * sentences, the nearer the miss.
 */
export function explain<Of>(conditions: ReadonlyArray<Condition<Of>>, of: Of): readonly string[] {
	return conditions.filter(condition => !condition.holds(of)).map(condition => condition.problemOf(of));
}

/** Returns the links whose address or text matches. */
export function linksLike(links: readonly Link[], pattern: Pattern): readonly Link[] {
	return links.filter(({url, text}) => pattern.test(url) || pattern.test(text));
}

function matches<Of>({name, valuesOf}: NamedValues<Of>, pattern: Pattern): Condition<Of> {
	return {
		holds: of => valuesOf(of).some(value => pattern.test(value)),
		problemOf(of) {
			const [value] = valuesOf(of);
			return value === undefined
				? `The ${name} is missing.`
				: `The ${name} is ${shorten(value)}, not ${pattern.description}.`;
		},
	};
}

/** Problem of messages without a session. */
const unknownSession = 'Its SMTP session is unknown.';

function tlsCondition(wanted: boolean): Condition<MatchableMessage> {
	return {
		holds: ({session}) => session !== null && (session.tls !== null) === wanted,
		problemOf: ({session}) => (session ? `It was received ${wanted ? 'without' : 'over'} TLS.` : unknownSession),
	};
}

function loginCondition(user: string): Condition<MatchableMessage> {
	return {
		holds: ({session}) => session?.auth?.user === user,
		problemOf({session}) {
			if (!session) {
				return unknownSession;
			}

			const {auth} = session;
			return auth
				? `The SMTP login is ${shorten(auth.user)}, not ${shorten(user)}.`
				: `There was no SMTP login; expected ${shorten(user)}.`;
		},
	};
}

function hasFinding(finding: FindingName): Condition<Searched> {
	return {
		holds: ({codes, links}) => (finding === 'code' ? codes : links).length > 0,
		problemOf: () => `It has no ${finding}.`,
	};
}

function linkCondition(text: string, match: Match | undefined): Condition<Searched> {
	const pattern = patternOf(text, 'link', match);
	return {
		holds: ({links}) => linksLike(links, pattern).length > 0,
		problemOf: () => `It has no link that matches ${isRegex(text, 'link', match) ? text : shorten(text)}.`,
	};
}

function headerCondition(field: string, match: Match | undefined): Condition<Searched> {
	const {name, value} = partsOf(field);
	const wanted = name.trim().toLowerCase();
	const place: NamedValues<Searched> = {
		name: `header "${name.trim()}"`,
		valuesOf: ({headers}) => headers.filter(({name}) => name.toLowerCase() === wanted).map(({value}) => value),
	};
	return matches(place, value === '' ? substring('') : patternOf(value, 'header', match));
}

/** Throws like `regexesOf`. */
function isRegex(text: string, field: string, match: Match = 'text'): boolean {
	checkText(text, field);
	return match !== 'text' && readRegex(text, field) !== undefined;
}

/** Splits a header condition such as `X-Tag: welcome`. */
function partsOf(field: string): {readonly name: string; readonly value: string} {
	const [, name = field, value = ''] = /^([^:]*):\s*(.*)$/s.exec(field) ?? [];
	return {name, value};
}

function patternOf(text: string, field: string, match: Match = 'text'): Pattern {
	return match === 'text' ? substring(text, field) : parsePattern(text, {exact: match === 'exact', field});
}

function shorten(value: string): string {
	return value === '' ? 'empty' : JSON.stringify(value.length > 80 ? `${value.slice(0, 79)}…` : value);
}
