import {describe, expect, test} from 'vitest';
import {maxPatternLength, parsePattern} from '../../src/domain/pattern.js';
import {inTime} from '../helpers/in-time.js';

describe('a pattern matches', () => {
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
	])('$pattern on $value: $matches', ({pattern, value, matches}) => {
		expect(parsePattern(pattern).test(value)).toBe(matches);
	});
});

describe('an exact pattern must match the whole value', () => {
	test.each([
		{pattern: 'jo@inbox.test', value: 'Jo@Inbox.test', matches: true},
		{pattern: 'jo@inbox.test', value: 'ajo@inbox.test', matches: false},
		{pattern: '/jo|al/', value: 'al', matches: true},
		{pattern: '/jo|al/', value: 'all', matches: false},
	])('$pattern on $value: $matches', ({pattern, value, matches}) => {
		expect(parsePattern(pattern, {exact: true}).test(value)).toBe(matches);
	});
});

describe('a pattern that cannot be used is refused with its field and the reason', () => {
	test.each([
		{pattern: '', reason: 'must have 1 to 1000 characters, got 0'},
		{pattern: 'x'.repeat(maxPatternLength + 1), reason: 'must have 1 to 1000 characters, got 1001'},
		{pattern: '/a/g', reason: 'has the flag "g", only i, m, s and u are known'},
		{pattern: '/a(/', reason: 'a ")" is missing: "a(" ('},
		{pattern: '/a)/', reason: 'a ")" closes nothing: "a)" ('},
		{pattern: '/[a/', reason: 'a "]" is missing: "[a" ('},
		{pattern: '/*a/', reason: 'there is nothing to repeat: "*" ('},
		{pattern: '/a**/', reason: 'a repeat is repeated: "**" ('},
		{pattern: '/[z-a]/', reason: 'this is no range or class of characters: "z-a" ('},
		{pattern: '/\\p{Nope}/', reason: 'this is no range or class of characters: "\\p{Nope}" ('},
		{pattern: '/\\x{110000}/', reason: 'this escape is not known: "\\x{110000'},
		{pattern: '/(?<a>x)(?<a>y)/', reason: 'two groups have this name: "a" ('},
		{pattern: '/(?<1 >x)/', reason: 'this is no name of a group'},
		{pattern: '/(?#a)/', reason: 'this kind of group is not known: "(?#" ('},
		{pattern: '/a\\/', reason: 'it ends with a backslash ('},
		{pattern: '/(?=a)/', reason: 'look-arounds and back-references are not supported'},
		{pattern: '/(a)\\1/', reason: 'look-arounds and back-references are not supported'},
		{pattern: '/((a{100}){100}){100}/', reason: 'repeated more than 1,000 times'},
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

test.each(['/^(a+)+$/', '/^(a|a)*$/', '/^a*a*a*$/'])('%s, which backtracks elsewhere, does not', pattern => {
	const {test: matches} = parsePattern(pattern);
	expect(inTime(() => matches(`${'a'.repeat(400_000)}!`))).toBe(false);
});
