import {expect, test} from 'vitest';
import {Fields} from '../../../src/send/fields.js';

test('fields that nobody asks for are named, also those within others', () => {
	const fields = new Fields({a: 'x', b: {c: 'y', d: 1}, e: [{f: 'z'}, {g: 0}], h: null});
	expect(fields.text('a')).toBe('x');
	expect(fields.object('b')?.text('c')).toBe('y');
	expect(fields.objects('e').map(one => one.text('f'))).toEqual(['z', undefined]);
	expect(fields.warnings()).toEqual(['Unknown fields were ignored: "h", "b.d", "e[1].g".']);
});

test('no more than 20 are named, and of each no more than its beginning', () => {
	const names = Array.from({length: 25}, (_, index) => `${'x'.repeat(200)}${index}`);
	const [warning = ''] = new Fields(Object.fromEntries(names.map(name => [name, 1]))).warnings();
	expect(warning.match(/"x{100}"/g)).toHaveLength(20);
	expect(warning).toMatch(/ and 5 more\.$/);
});

test('names from JSON are names, whatever they mean elsewhere', () => {
	const fields = new Fields(JSON.parse('{"toString": "a", "__proto__": {"b": 1}}'));
	expect(fields.text('toString')).toBe('a');
	expect(fields.value('b')).toBeUndefined();
	expect(new Fields({}).value('constructor')).toBeUndefined();
});

test.each([
	['a number', {a: 1}, (fields: Fields) => fields.text('a'), '"a" must be a string.'],
	['a list', {a: ['x', 2]}, (fields: Fields) => fields.texts('a'), '"a[1]" must be a string.'],
	['a text', {a: 'x'}, (fields: Fields) => fields.list('a'), '"a" must be an array.'],
	['a list of texts', {a: ['x']}, (fields: Fields) => fields.objects('a'), '"a[0]" must be an object.'],
	['a list', {a: []}, (fields: Fields) => fields.object('a'), '"a" must be an object.'],
])('%s of the wrong kind is refused', (_what, value, ask, message) => {
	expect(() => ask(new Fields(value))).toThrow(message);
});
