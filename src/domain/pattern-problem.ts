import {type RE2JSException, RE2JSSyntaxException} from 're2js';

/** By what re2js says, which is for those who know its grammar. */
const problems: Readonly<Record<string, string>> = {
	'missing closing )': 'a ")" is missing',
	'unexpected )': 'a ")" closes nothing',
	'missing closing ]': 'a "]" is missing',
	'missing argument to repetition operator': 'there is nothing to repeat',
	'invalid nested repetition operator': 'a repeat is repeated',
	'invalid repeat count': 'something is repeated more than 1,000 times, or the second number is the smaller one',
	'invalid character class range': 'this is no range or class of characters',
	'invalid escape sequence': 'this escape is not known',
	'invalid or unsupported Perl syntax': 'this kind of group is not known',
	'invalid named capture': 'this is no name of a group',
	'duplicate capture group name': 'two groups have this name',
	'trailing backslash at end of expression': 'it ends with a backslash',
	'expression nests too deeply': 'its groups are nested too deeply',
	'expression too large': 'it is too large',
};

/** What is wrong with a regular expression, and the part where it is, for people. */
export function problemOf(error: RE2JSException): string {
	if (!(error instanceof RE2JSSyntaxException)) {
		return 'it cannot be read';
	}

	const problem = problems[error.error] ?? 'something in it is not known';
	return error.input === null ? problem : `${problem}: "${error.input}"`;
}
