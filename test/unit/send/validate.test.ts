import {expect, test} from 'vitest';
import {z} from 'zod';
import {
	describeType,
	fieldNames,
	fieldPath,
	objectList,
	optional,
	stringList,
	validate,
	warnOfUnknownFields,
} from '../../../src/send/json.js';

const text = optional(z.string());
const schema = z.strictObject({
	a: text,
	b: optional(z.strictObject({c: text})),
	e: objectList(z.strictObject({f: text})),
	texts: stringList,
});

function check(input: unknown) {
	return validate(schema, input, describeType, ([{path, message}]) => new Error(`"${fieldPath(path)}" ${message}.`));
}

test('unknown fields of a request are reported with their paths, and known fields are kept', () => {
	const {value, unknown} = check({a: 'x', b: {c: 'y', d: 1}, e: [{f: 'z'}, {g: 0}], h: null});
	expect(value).toEqual({a: 'x', b: {c: 'y'}, e: [{f: 'z'}, {}], texts: []});
	expect(warnOfUnknownFields(fieldNames(unknown))).toEqual(['Unknown fields were ignored: "h", "b.d", "e[1].g".']);
});

test('the warning about unknown fields names at most 20 fields and 100 characters of each name', () => {
	const names = Array.from({length: 25}, (_, index) => `${'x'.repeat(200)}${index}`);
	const [warning = ''] = warnOfUnknownFields(names);
	expect(warning.match(/"x{100}"/g)).toHaveLength(20);
	expect(warning).toMatch(/ and 5 more\.$/);
});

test('field names of a JSON body have no special meaning', () => {
	const {value, unknown} = check(JSON.parse('{"a": "x", "toString": "a", "__proto__": {"b": 1}}'));
	expect(value.a).toBe('x');
	expect(value.b).toBeUndefined();
	expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
	expect(fieldNames(unknown)).toContain('toString');
});

test('null counts as a missing field', () => {
	expect(check({a: null, b: null, e: null}).value).toEqual({e: [], texts: []});
});

test.each([
	['a number instead of a string', {a: 1}, '"a" must be a string.'],
	['a number in a list of strings', {texts: ['x', 2]}, '"texts[1]" must be a string.'],
	['a number instead of a list of strings', {texts: 1}, '"texts" must be a string.'],
	['a string instead of a list', {e: 'x'}, '"e" must be an array.'],
	['a string instead of an object in a list', {e: ['x']}, '"e[0]" must be an object.'],
	['a list instead of an object', {b: []}, '"b" must be an object.'],
])('%s is rejected', (_title, input, message) => {
	expect(() => check(input)).toThrow(message);
});
