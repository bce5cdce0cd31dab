import fc from 'fast-check';
import {expect, test} from 'vitest';
import {SendError} from '../../../../src/domain/mail/sending.js';
import {substituteWith} from '../../../../src/send/sendgrid/index.js';

const tagText = fc.string({unit: fc.constantFrom('a', 'b', '-', '\ud83d\ude00'), maxLength: 4});

test('substitution replaces the longest matching tag from left to right', () => {
	fc.assert(
		fc.property(
			fc.dictionary(tagText, fc.string()),
			fc.string({unit: fc.constantFrom('a', 'b', '-', '\ud83d\ude00')}),
			(tags, text) => {
				const names = Object.keys(tags).filter(name => name !== '');
				const longestFirst = names.sort((one, other) => other.length - one.length);
				let expected = '';
				for (let at = 0; at < text.length; ) {
					const name = longestFirst.find(tag => text.startsWith(tag, at));
					expected += name === undefined ? text[at] : tags[name];
					at += name?.length ?? 1;
				}

				expect(substituteWith(tags)()(text)).toBe(expected);
			},
		),
	);
});

test('finding a tag among many with a common prefix takes few steps', () => {
	const names = Array.from({length: 50_000}, (_, index) => `-section-${String(index).padStart(5, '0')}-`);
	const sections = Object.fromEntries(names.map(name => [name, 'x']));
	const [text, maxSteps] = [names.slice(0, 1000).join(' '), 1000 * 8 * 300];
	const substitute = substituteWith(sections, maxSteps);
	expect(substitute()(text)).toBe(Array.from({length: 1000}, () => 'x').join(' '));
});

test.each([
	[
		'tags with many partial matches',
		Object.fromEntries(Array.from({length: 1000}, (_, index) => [`${'a'.repeat(index)}b`, 'x'])),
		'a',
	],
	['values that multiply the size of the text', {a: 'x'.repeat(10_000)}, 'a'],
])('%s are rejected at the step limit', (_, sections, sign) => {
	const substitute = substituteWith(sections, 100_000)();
	expect(() => substitute(sign.repeat(1_000_000))).toThrow(SendError);
});
