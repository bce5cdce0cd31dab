import {type RE2JSException, RE2JSSyntaxException} from 're2js';

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
export function problemOf(error: RE2JSException): string {
	if (!(error instanceof RE2JSSyntaxException)) {
		return 'invalid syntax';
	}

	const problem = problems[error.error] ?? 'unsupported syntax';
	return error.input === null ? problem : `${problem}: "${error.input}"`;
}
