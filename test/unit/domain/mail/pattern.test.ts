import {describe, expect, test} from 'vitest';
import {maxPatternLength} from '../../../../src/contract/constants.js';
import {parsePattern} from '../../../../src/domain/mail/pattern.js';
import {withTimeLimit} from '../../../helpers/time-limit.js';

describe('a pattern', () => {
	test.each([
		{pattern: 'reset', value: 'Please RESET it', matches: true},
		{pattern: 'reset', value: 'Welcome', matches: false},
		{pattern: 'a.c', value: 'abc', matches: false},
		{pattern: '/etc/passwd', value: 'see /etc/passwd', matches: true},
		{pattern: '/', value: 'a/b', matches: true},
		{pattern: '/a.c/', value: 'xabcx', matches: true},
		{pattern: '/a.c/', value: 'ABC', matches: false},
		{pattern: '/a.c/i', value: 'ABC', matches: true},
		{pattern: '/^b$/', value: 'a\nb', matches: false},
		{pattern: '/^b$/m', value: 'a\nb', matches: true},
		{pattern: '/a.b/s', value: 'a\nb', matches: true},
		{pattern: '/^.$/u', value: '😀', matches: true},
		{pattern: '/a\\/b/', value: 'a/b', matches: true},
		{pattern: '/(?<year>\\d{4})/', value: 'in 2025', matches: true},
	])('$pattern matches $value: $matches', ({pattern, value, matches}) => {
		expect(parsePattern(pattern).test(value)).toBe(matches);
	});
});

describe('an exact pattern', () => {
	test.each([
		{pattern: 'jo@inbox.test', value: 'Jo@Inbox.test', matches: true},
		{pattern: 'jo@inbox.test', value: 'ajo@inbox.test', matches: false},
		{pattern: '/jo|al/', value: 'al', matches: true},
		{pattern: '/jo|al/', value: 'all', matches: false},
	])('$pattern matches $value: $matches', ({pattern, value, matches}) => {
		expect(parsePattern(pattern, {exact: true}).test(value)).toBe(matches);
	});
});

describe('an invalid pattern is rejected with its field and the reason:', () => {
	test.each([
		{pattern: '', reason: 'must have 1 to 1000 characters, got 0'},
		{pattern: 'x'.repeat(maxPatternLength + 1), reason: 'must have 1 to 1000 characters, got 1001'},
		{pattern: '/a/g', reason: 'has the unknown flag "g". Supported flags: i, m, s, u'},
		{pattern: '/a(/', reason: 'missing ")": "a(" ('},
		{pattern: '/a)/', reason: 'unmatched ")": "a)" ('},
		{pattern: '/[a/', reason: 'missing "]": "[a" ('},
		{pattern: '/*a/', reason: 'nothing to repeat: "*" ('},
		{pattern: '/a**/', reason: 'nested repetition: "**" ('},
		{pattern: '/[z-a]/', reason: 'invalid character class or range: "z-a" ('},
		{pattern: '/\\p{Nope}/', reason: 'invalid character class or range: "\\p{Nope}" ('},
		{pattern: '/\\x{110000}/', reason: 'unknown escape sequence: "\\x{110000'},
		{pattern: '/(?<a>x)(?<a>y)/', reason: 'duplicate group name: "a" ('},
		{pattern: '/(?<1 >x)/', reason: 'invalid group name'},
		{pattern: '/(?#a)/', reason: 'unsupported kind of group: "(?#" ('},
		{pattern: '/a\\/', reason: 'trailing backslash ('},
		{pattern: '/(?=a)/', reason: 'lookaround and backreferences are not supported'},
		{pattern: '/(a)\\1/', reason: 'lookaround and backreferences are not supported'},
		{pattern: '/((a{100}){100}){100}/', reason: 'repetition count above 1,000'},
		{pattern: `/${'(?:q{0,900}){1}'.repeat(60)}/`, reason: 'is too large a regular expression'},
		{pattern: `/(?:(?:${'q?'.repeat(450)}){30}){30}/`, reason: 'is too large a regular expression'},
	])('$reason', ({pattern, reason}) => {
		expect(() => parsePattern(pattern, {field: 'subject'})).toThrow(
			expect.objectContaining({
				code: 'invalid_input',
				message: expect.stringContaining(reason),
				details: {errors: [{field: 'subject', message: expect.stringContaining(reason)}]},
			}),
		);
	});
});

test.each(['/^(a+)+$/', '/^(a|a)*$/', '/^a*a*a*$/'])('%s is matched without backtracking', pattern => {
	const {test: matches} = parsePattern(pattern);
	expect(withTimeLimit(() => matches(`${'a'.repeat(400_000)}!`))).toBe(false);
});
