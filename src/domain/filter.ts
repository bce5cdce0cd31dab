import type {Content, Message} from './message.js';
import {type Pattern, parsePattern, substring} from './pattern.js';

/**
 * How the texts of a filter are read: as substrings without case (`text`); the same, but `/regex/flags` as a regular
 * expression (`pattern`); or so that they must be the whole value (`exact`).
 */
export type Match = 'text' | 'pattern' | 'exact';

/** What a list or a wait asks for; all that is given must hold. */
export type MessageFilter = {
	/** In the subject; always a substring without case. */
	readonly q?: string | undefined;
	readonly subject?: string | undefined;
	/** Of the sender's address. */
	readonly from?: string | undefined;
	/** Of the recipient's address. */
	readonly to?: string | undefined;
	/** `text` unless given; does not concern `q`. */
	readonly match?: Match | undefined;
	/** Only messages newer than the one with this id, which need not exist any more. */
	readonly after?: string | undefined;
	/** Only messages received at this time (ISO 8601, UTC) or later. */
	readonly since?: string | undefined;
};

/** What can be told only from a mail as a whole. */
export type ContentFilter = {
	/** In the text or the HTML; never asks for all of it. */
	readonly contains?: string | undefined;
	/** Each `Name: value`, of a field of that name; without a value, that there is one. */
	readonly header?: readonly string[] | undefined;
	readonly match?: Match | undefined;
};

/** Both. */
export type MessageQuery = MessageFilter & ContentFilter;

/** The part of the content that a filter looks at. */
export type Searched = Pick<Content, 'text' | 'html' | 'headers'>;

/** One thing that is asked of a message (or of its content): that one of its values fits the pattern. */
export type Check<Of> = {readonly name: string; readonly pattern: Pattern; valuesOf(of: Of): readonly string[]};

/** The sender as shown: the header's author, else the envelope's. */
export function senderOf(message: Message): string {
	return message.summary?.from || message.envelope.from;
}

/**
 * What the filter asks of the texts of a message; `after` and `since` are a matter of order, which the store knows.
 * Throws `invalid_input` naming the text that cannot be used.
 */
export function checksOf({q, subject, from, to, match}: MessageFilter): ReadonlyArray<Check<Message>> {
	const subjectOf = (message: Message) => [message.summary?.subject ?? ''];
	return [
		...given(q, text => ({name: 'subject', pattern: substring(text), valuesOf: subjectOf})),
		...given(subject, text => ({
			name: 'subject',
			pattern: patternOf(text, 'subject', match),
			valuesOf: subjectOf,
		})),
		...given(from, text => ({
			name: 'sender',
			pattern: patternOf(text, 'from', match),
			valuesOf: (message: Message) => [senderOf(message)],
		})),
		...given(to, text => ({
			name: 'recipient',
			pattern: patternOf(text, 'to', match),
			valuesOf: (message: Message) => [message.to],
		})),
	];
}

/** What the filter asks of the content. Throws as `checksOf`. */
export function contentChecksOf({contains, header = [], match}: ContentFilter): ReadonlyArray<Check<Searched>> {
	return [
		...given(contains, text => ({
			name: 'text',
			pattern: patternOf(text, 'contains', match === 'exact' ? 'pattern' : match),
			valuesOf: (content: Searched) => [content.text, content.html],
		})),
		...header.map(field => headerCheck(field, match)),
	];
}

/** Whether the mail as a whole must be read for it. */
export function asksForContent({contains, header}: ContentFilter): boolean {
	return contains !== undefined || header !== undefined;
}

/** Whether all hold. */
export function holds<Of>(checks: ReadonlyArray<Check<Of>>, of: Of): boolean {
	return checks.every(check => passes(check, of));
}

/**
 * A sentence for each check that fails, such as `The subject is "Welcome", not containing "reset".`; none when all hold.
 * The fewer sentences, the nearer the miss.
 */
export function explain<Of>(checks: ReadonlyArray<Check<Of>>, of: Of): readonly string[] {
	return checks
		.filter(check => !passes(check, of))
		.map(({name, pattern, valuesOf}) => {
			const [value] = valuesOf(of);
			return value === undefined
				? `The ${name} is missing.`
				: `The ${name} is ${shorten(value)}, not ${pattern.description}.`;
		});
}

function passes<Of>({pattern, valuesOf}: Check<Of>, of: Of): boolean {
	return valuesOf(of).some(value => pattern.test(value));
}

function headerCheck(field: string, match: Match | undefined): Check<Searched> {
	const [, name = field, value = ''] = /^([^:]*):\s*(.*)$/s.exec(field) ?? [];
	const wanted = name.trim().toLowerCase();
	return {
		name: `header "${name.trim()}"`,
		pattern: value === '' ? substring('') : patternOf(value, 'header', match),
		valuesOf: ({headers}) => headers.filter(({name}) => name.toLowerCase() === wanted).map(({value}) => value),
	};
}

function patternOf(text: string, field: string, match: Match = 'text'): Pattern {
	return match === 'text' ? substring(text) : parsePattern(text, {exact: match === 'exact', field});
}

function given<Of>(text: string | undefined, checkOf: (text: string) => Check<Of>): ReadonlyArray<Check<Of>> {
	return text === undefined ? [] : [checkOf(text)];
}

function shorten(value: string): string {
	return value === '' ? 'empty' : JSON.stringify(value.length > 80 ? `${value.slice(0, 79)}…` : value);
}
