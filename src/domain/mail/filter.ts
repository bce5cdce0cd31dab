import type {FindingName, Match} from '../../contract/constants.js';
import type {MessageFilter} from '../../contract/messages.js';
import type {Link} from '../extract/links.js';
import {type Content, type Envelope, type Message, type Summary, senderOf} from './message.js';
import {checkText, type Pattern, parsePattern, readRegex, substring} from './pattern.js';

/** What can be told without reading a mail; all that is given must hold. */
export type SummaryFilter = Pick<MessageFilter, 'q' | 'subject' | 'from' | 'to' | 'tls' | 'match'> & {
	readonly smtpUser?: MessageFilter['smtp_user'];
	/** Only messages newer than the one with this id, which need not exist any more. */
	readonly after?: string | undefined;
	/** Only messages older than the one with this id, which need not exist any more. */
	readonly before?: string | undefined;
	/** Only messages received at this time (ISO 8601, UTC) or later. */
	readonly since?: string | undefined;
};

/** What can be told only from a mail as a whole. A `header` without a value asks that there is such a field. */
export type ContentFilter = Pick<MessageFilter, 'contains' | 'header' | 'has' | 'link' | 'match'>;

/** Both. */
export type MessageQuery = SummaryFilter & ContentFilter;

/** The part of the content that a filter looks at. */
export type Searched = Pick<Content, 'text' | 'html' | 'headers' | 'codes' | 'links'>;

/** The part of a message that a filter looks at. */
export type Outline = Pick<Message, 'to' | 'session'> & {
	readonly envelope: Envelope;
	readonly summary: Pick<Summary, 'subject' | 'from' | 'fromName' | 'to'>;
};

/** One thing that is asked of a message (or of its content). */
export type Condition<Of> = {
	holds(of: Of): boolean;
	/** Why it does not hold, in a sentence. */
	problemOf(of: Of): string;
};

/** Something that a message says, one of whose values is asked to fit. */
type Place<Of> = {readonly name: string; valuesOf(of: Of): readonly string[]};

const textFields = ['subject', 'from', 'to'] as const;

/** What the texts of a filter are compared with. */
const places: Readonly<Record<(typeof textFields)[number], Place<Outline>>> = {
	subject: {name: 'subject', valuesOf: ({summary}) => [summary.subject]},
	from: {name: 'sender', valuesOf: message => [senderOf(message)].concat(message.summary.fromName ?? [])},
	to: {name: 'recipient', valuesOf: ({to, envelope, summary}) => [to, ...envelope.to, ...summary.to.flat()]},
};

/**
 * What the filter asks of the texts of a message; `after`, `before` and `since` are a matter of order, which the store knows.
 * Throws `invalid_input` naming the text that cannot be used.
 */
export function conditionsOf(filter: SummaryFilter): ReadonlyArray<Condition<Outline>> {
	const conditions = filter.q === undefined ? [] : [fits(places.subject, substring(filter.q, 'q'))];
	for (const field of textFields) {
		const text = filter[field];
		if (text !== undefined) {
			conditions.push(fits(places[field], patternOf(text, field, filter.match)));
		}
	}

	return [
		...conditions,
		...(filter.tls === undefined ? [] : [tlsCondition(filter.tls)]),
		...(filter.smtpUser === undefined ? [] : [loginCondition(filter.smtpUser)]),
	];
}

/** What the filter asks of the content. Throws as `conditionsOf`. */
export function contentConditionsOf(filter: ContentFilter): ReadonlyArray<Condition<Searched>> {
	const {contains, header = [], has = [], link = [], match} = filter;
	const inside = match === 'exact' ? 'pattern' : match;
	const text: Place<Searched> = {name: 'text', valuesOf: ({text, html}) => [text, html]};
	return [
		...(contains === undefined ? [] : [fits(text, patternOf(contains, 'contains', inside))]),
		...header.map(field => headerCondition(field, match)),
		...has.map(finding => hasFinding(finding)),
		...link.map(text => linkCondition(text, inside)),
	];
}

/** What a query asks of the outline of a message; undefined when nothing. */
export function outlineFilterOf({q, subject, from, to, tls, smtpUser, match}: MessageQuery): SummaryFilter | undefined {
	const isAsked = [q, subject, from, to, tls, smtpUser].some(asked => asked !== undefined);
	return isAsked ? {q, subject, from, to, tls, smtpUser, match} : undefined;
}

/** What a query asks of the mail as a whole; undefined when nothing. */
export function contentFilterOf({contains, header, has, link, match}: MessageQuery): ContentFilter | undefined {
	const isAsked = [contains, header, has, link].some(asked => asked !== undefined);
	return isAsked ? {contains, header, has, link, match} : undefined;
}

/** Whether it asks for more than what is known of a mail that was read, so that it may take long to tell. */
export function comparesContent({contains, header, link}: ContentFilter): boolean {
	return [contains, header, link].some(asked => asked !== undefined);
}

/** A regular expression among the texts of a filter. */
export type NamedRegex = {readonly field: string; readonly text: string};

/**
 * The regular expressions in a filter, which take a thread of their own to be compiled and matched. Throws `invalid_input`
 * naming a text that cannot be used, but for what only compiling tells.
 */
export function regexesOf({header = [], match, q = '', ...filter}: MessageQuery): readonly NamedRegex[] {
	const fields = header.map(field => ({field: 'header', text: partsOf(field).value}));
	const given = [...textFields, 'contains' as const, 'link' as const].flatMap(field =>
		[filter[field] ?? []].flat().map(text => ({field, text})),
	);
	checkText(q, 'q');
	return [...given, ...fields.filter(({text}) => text !== '')].filter(({field, text}) => isRegex(text, field, match));
}

/**
 * A filter in two that must both hold: what takes little time to tell, with all about order, and its regular expressions.
 * Throws as `regexesOf`.
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

/** Whether all hold. */
export function holds<Of>(conditions: ReadonlyArray<Condition<Of>>, of: Of): boolean {
	return conditions.every(condition => condition.holds(of));
}

/**
 * A sentence for each condition that fails, such as `The subject is "Welcome", not containing "reset".`; none when all hold.
 * The fewer sentences, the nearer the miss.
 */
export function explain<Of>(conditions: ReadonlyArray<Condition<Of>>, of: Of): readonly string[] {
	return conditions.filter(condition => !condition.holds(of)).map(condition => condition.problemOf(of));
}

/** The links whose address or text fits the pattern, in their order. */
export function linksLike(links: readonly Link[], pattern: Pattern): readonly Link[] {
	return links.filter(({url, text}) => pattern.test(url) || pattern.test(text));
}

function fits<Of>({name, valuesOf}: Place<Of>, pattern: Pattern): Condition<Of> {
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

/** The reason for messages that were stored without their session. */
const unknownSession = 'Its SMTP session is unknown.';

function tlsCondition(wanted: boolean): Condition<Outline> {
	return {
		holds: ({session}) => session !== null && (session.tls !== null) === wanted,
		problemOf: ({session}) => (session ? `It was received ${wanted ? 'without' : 'over'} TLS.` : unknownSession),
	};
}

function loginCondition(user: string): Condition<Outline> {
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
	const place: Place<Searched> = {
		name: `header "${name.trim()}"`,
		valuesOf: ({headers}) => headers.filter(({name}) => name.toLowerCase() === wanted).map(({value}) => value),
	};
	return fits(place, value === '' ? substring('') : patternOf(value, 'header', match));
}

/** Throws as `regexesOf`. */
function isRegex(text: string, field: string, match: Match = 'text'): boolean {
	checkText(text, field);
	return match !== 'text' && readRegex(text, field) !== undefined;
}

/** A wanted header field. */
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
