import {RE2JS, RE2JSException, RE2JSSyntaxException} from 're2js';
import {maxPatternLength} from '../../contract/constants.js';
import {containing} from '../../lib/text/find-text.js';
import {invalidField} from '../errors.js';

/** Condition on a text of a message. */
export type Pattern = {
	/** Description for sentences: `the subject is not` + `containing "reset"`. */
	readonly description: string;
	test(value: string): boolean;
};

/**
 * Maximum number of steps of a compiled regular expression. Counted repetitions multiply them, and matching visits each
 * step for each character.
 */
const maxSteps = 5000;

/** Error after the name of a field whose regular expression has too many steps, or takes too long to compile. */
export const tooLarge = `is too large a regular expression: its repetitions expand to more than ${maxSteps} steps`;

/** Number of characters of a value that are searched. */
export const maxValueLength = 1024 * 1024;

const flagOf: Readonly<Record<string, number>> = {
	i: RE2JS.CASE_INSENSITIVE,
	m: RE2JS.MULTILINE,
	s: RE2JS.DOTALL,
	u: 0,
};

/**
 * Parses a pattern. `/regex/flags` is a regular expression with the flags i, m, s and u in RE2 syntax (linear time, no
 * lookaround, no backreferences). Anything else is a substring, compared without case. With `exact` it must match the
 * whole value. Only the first 1,048,576 characters of a value are searched. Throws `invalid_input` naming `field`.
 * Compiling and matching a regular expression may take long: run it in a worker.
 */
export function parsePattern(text: string, {exact = false, field = 'pattern'} = {}): Pattern {
	const regex = readRegex(text, field);
	if (regex) {
		return compile(regex, {exact, field});
	}

	return exact ? equal(text) : substring(text);
}

/** Regular expression before compilation. */
type Regex = {readonly source: string; readonly flags: string};

/**
 * Splits a pattern that is a regular expression, without compiling it; undefined for another text. Throws `invalid_input`
 * for a wrong length or an unknown flag.
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

/** Returns a pattern for a substring, compared without case. Throws like `checkText`. */
export function substring(text: string, field = 'pattern'): Pattern {
	checkText(text, field);
	const isIn = containing(text.toLowerCase());
	return {
		description: `containing ${JSON.stringify(text)}`,
		test: value => isIn(value.slice(0, maxValueLength).toLowerCase()),
	};
}

/** Throws `invalid_input` naming the field if the text is too long. */
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
	const regex = compileRe2(source, bits, field);
	if (regex.programSize() > maxSteps) {
		throw invalidField(field, tooLarge);
	}

	return {
		description: `matching /${source}/${flags}${exact ? ' as a whole' : ''}`,
		test: value => regex[exact ? 'testExact' : 'test'](value.slice(0, maxValueLength)),
	};
}

function compileRe2(source: string, bits: number, field: string): RE2JS {
	try {
		return RE2JS.compile(RE2JS.translateRegExp(source), bits);
	} catch (error) {
		if (!(error instanceof RE2JSException)) {
			throw error;
		}

		throw invalidField(
			field,
			`is not a valid regular expression: ${describeSyntaxError(error)} (lookaround and backreferences are not supported)`,
		);
	}
}

/** Descriptions of the errors of re2js, whose own words assume knowledge of its grammar. */
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

/** Describes a syntax error and its position. */
function describeSyntaxError(error: RE2JSException): string {
	if (!(error instanceof RE2JSSyntaxException)) {
		return 'invalid syntax';
	}

	const problem = problems[error.error] ?? 'unsupported syntax';
	return error.input === null ? problem : `${problem}: "${error.input}"`;
}
