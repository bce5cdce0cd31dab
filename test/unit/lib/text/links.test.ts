import fc from 'fast-check';
import {expect, test} from 'vitest';
import {addressesIn} from '../../../../src/lib/text/links.js';
import {withTimeLimit} from '../../../helpers/time-limit.js';

const words = [
	'http://',
	'HTTPS://x.test',
	'/a?b=c',
	'(',
	')',
	'](',
	"'s",
	'.',
	',',
	' ',
	'\n',
	'ä',
	'"',
	'<',
	'[',
	':',
];

test('each URL is a valid HTTP URL at its reported position, after the previous one', () => {
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.constantFrom(...words), fc.string({unit: 'binary'})), {maxLength: 40}), parts => {
			const text = parts.join('');
			let end = 0;
			for (const {url, index} of addressesIn(text)) {
				expect(index).toBeGreaterThanOrEqual(end);
				end = index + url.length;
				expect(text.slice(index, end)).toBe(url);
				expect(['http:', 'https:']).toContain(new URL(url).protocol);
			}
		}),
	);
});

test('a URL ends before the punctuation of its sentence', () => {
	const text = 'See (https://x.test/a_(b)), <http://x.test?c>, https://x.test/d. Not: ftp://x.test, http://, https://[';
	expect([...addressesIn(text)].map(({url}) => url)).toEqual([
		'https://x.test/a_(b)',
		'http://x.test?c',
		'https://x.test/d',
	]);
});

test.each(['http://', 'http://a', 'http://a ', "http://a'", 'http://(', 'http://a]('])(
	'a text that repeats %j is searched in linear time',
	text => {
		withTimeLimit(() => [...addressesIn(text.repeat(200_000))]);
	},
);

test('a URL above the maximum length is not a link', () => {
	expect([...addressesIn(`https://x.test/${'a'.repeat(9000)}`)]).toEqual([]);
});
