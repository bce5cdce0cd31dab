import {RE2JS, RE2JSException, RE2JSSyntaxException} from 're2js';
import {maxPatternLength} from '../../contract/constants.js';
import {containing} from '../../lib/text/find-text.js';
import {invalidField} from '../errors.js';

/** What a text of a message must be like. */
export type Pattern = {
	/** For messages, as in `the subject is not` + `containing "reset"`. */
	readonly description: string;
	test(value: string): boolean;
};

/** Steps that a regular expression may consist of, which counted repeats multiply: a match looks at each of them for each character. */
const maxSteps = 5000;

/** Completes the name of a field with a regular expression that has more of them, or takes too long to be read. */
export const tooLarge = `is too large a regular expression: its repetitions expand to more than ${maxSteps} steps`;

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
 * Values are looked at up to their first 1,048,576 characters. Throws `invalid_input` naming `field`. To compile a regular
 * expression, and to match it, may take long: not on the thread that others wait for.
 */
export function parsePattern(text: string, {exact = false, field = 'pattern'} = {}): Pattern {
	const regex = readRegex(text, field);
	if (regex) {
		return compile(regex, {exact, field});
	}

	return exact ? equal(text) : substring(text);
}

/** A regular expression that was not compiled. */
type Regex = {readonly source: string; readonly flags: string};

/**
 * The regular expression that a pattern is; undefined when it is another text. Throws as `parsePattern`, but for what only
 * compiling tells.
 */
export function readRegex(text: string, field: string): Regex | undefined {
	if (text === '' || text.length > maxPatternLength) {
		throw invalidField(field, `must have 1 to ${maxPatternLength} characters, got ${text.length}`);
	}

	const [, source, flags = ''] = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text) ?? [];
	const unknown = [...flags].find(flag => flagOf[flag] === undefined);
	if (unknown !== undefined) {
		throw invalidField(field, `has the unknown flag "${unknown}". Supported flags: i, m, s, u`);
	}

	return source === undefined ? undefined : {source, flags};
}

/** A text that is compared without case; every value contains the empty one. Throws as `checkText`. */
export function substring(text: string, field = 'pattern'): Pattern {
	checkText(text, field);
	const isIn = containing(text.toLowerCase());
	return {
		description: `containing ${JSON.stringify(text)}`,
		test: value => isIn(value.slice(0, maxValueLength).toLowerCase()),
	};
}

/** Throws `invalid_input` naming the field whose text is too long to be looked for. */
export function checkText(text: string, field: string): void {
	if (text.length > maxPatternLength) {
		throw invalidField(field, `must have at most ${maxPatternLength} characters, got ${text.length}`);
	}
}

function equal(text: string): Pattern {
	const wanted = text.toLowerCase();
	return {description: `equal to ${JSON.stringify(text)}`, test: value => value.toLowerCase() === wanted};
}

function compile({source, flags}: Regex, {exact, field}: {readonly exact: boolean; readonly field: string}): Pattern {
	const bits = [...flags].reduce((all, flag) => all | (flagOf[flag] ?? 0), 0);
	const regex = compiled(source, bits, field);
	if (regex.programSize() > maxSteps) {
		throw invalidField(field, tooLarge);
	}

	return {
		description: `matching /${source}/${flags}${exact ? ' as a whole' : ''}`,
		test: value => regex[exact ? 'testExact' : 'test'](value.slice(0, maxValueLength)),
	};
}

function compiled(source: string, bits: number, field: string): RE2JS {
	try {
		return RE2JS.compile(RE2JS.translateRegExp(source), bits);
	} catch (error) {
		if (!(error instanceof RE2JSException)) {
			throw error;
		}

		throw invalidField(
			field,
			`is not a valid regular expression: ${problemOf(error)} (lookaround and backreferences are not supported)`,
		);
	}
}

/** By what re2js says, which is for those who know its grammar. */
const problems: Readonly<Record<string, string>> = {
	'missing closing )': 'missing ")"',
	'unexpected )': 'unmatched ")"',
	'missing closing ]': 'missing "]"',
	'missing argument to repetition operator': 'nothing to repeat',
	'invalid nested repetition operator': 'nested repetition',
	'invalid repeat count': 'repetition count above 1,000, or a maximum below the minimum',
	'invalid character class range': 'invalid character class or range',
	'invalid escape sequence': 'unknown escape sequence',
	'invalid or unsupported Perl syntax': 'unsupported kind of group',
	'invalid named capture': 'invalid group name',
	'duplicate capture group name': 'duplicate group name',
	'trailing backslash at end of expression': 'trailing backslash',
	'expression nests too deeply': 'groups are nested too deeply',
	'expression too large': 'expression is too large',
};

/** What is wrong with a regular expression, and the part where it is, for people. */
function problemOf(error: RE2JSException): string {
	if (!(error instanceof RE2JSSyntaxException)) {
		return 'invalid syntax';
	}

	const problem = problems[error.error] ?? 'unsupported syntax';
	return error.input === null ? problem : `${problem}: "${error.input}"`;
}
