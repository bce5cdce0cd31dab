import {RE2JS, RE2JSException} from 're2js';
import {invalidField} from './errors.js';

/** What a text of a message must be like. */
export type Pattern = {
	/** For messages, as in `the subject is not` + `containing "reset"`. */
	readonly description: string;
	test(value: string): boolean;
};

/** Characters that a pattern may have. */
export const maxPatternLength = 1000;

/** Characters of a value that are looked at, from its beginning. */
export const maxValueLength = 1024 * 1024;

const flagOf: Readonly<Record<string, number>> = {
	i: RE2JS.CASE_INSENSITIVE,
	m: RE2JS.MULTILINE,
	s: RE2JS.DOTALL,
	u: 0,
};

/**
 * Reads what a person typed: `/regex/flags` is a regular expression with the flags i, m, s and u, matched in linear
 * time (RE2 syntax: no look-around, no back-references); anything else a substring, compared without case.
 * With `exact` it must match the whole value, still without case unless it is a regular expression.
 * Values are looked at up to their first 1,048,576 characters. Throws `invalid_input` naming `field`.
 */
export function parsePattern(text: string, {exact = false, field = 'pattern'} = {}): Pattern {
	if (text === '' || text.length > maxPatternLength) {
		throw invalidField(field, `must have 1 to ${maxPatternLength} characters, got ${text.length}`);
	}

	const [, source, flags = ''] = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text) ?? [];
	if (source !== undefined) {
		return parseRegex({source, flags, exact, field});
	}

	return exact ? equal(text) : substring(text);
}

/** A text of any length, compared without case; every value contains the empty one. */
export function substring(text: string): Pattern {
	const wanted = text.toLowerCase();
	return {
		description: `containing ${JSON.stringify(text)}`,
		test: value => value.slice(0, maxValueLength).toLowerCase().includes(wanted),
	};
}

function equal(text: string): Pattern {
	const wanted = text.toLowerCase();
	return {description: `equal to ${JSON.stringify(text)}`, test: value => value.toLowerCase() === wanted};
}

type Regex = {readonly source: string; readonly flags: string; readonly exact: boolean; readonly field: string};

function parseRegex({source, flags, exact, field}: Regex): Pattern {
	const unknown = [...flags].find(flag => flagOf[flag] === undefined);
	if (unknown !== undefined) {
		throw invalidField(field, `has the flag "${unknown}", only i, m, s and u are known`);
	}

	const bits = [...flags].reduce((all, flag) => all | (flagOf[flag] ?? 0), 0);
	try {
		const regex = RE2JS.compile(RE2JS.translateRegExp(source), bits);
		return {
			description: `${exact ? 'matching as a whole' : 'matching'} /${source}/${flags}`,
			test: value => regex[exact ? 'testExact' : 'test'](value.slice(0, maxValueLength)),
		};
	} catch (error) {
		if (!(error instanceof RE2JSException)) {
			throw error;
		}

		const reason = error.message.replace(/^error parsing regexp: /, '');
		throw invalidField(
			field,
			`is not a regular expression that can be used: ${reason} (look-arounds and back-references are not supported)`,
		);
	}
}
