import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {byteChunks, type Chunk, jsonChunks, textChunks} from '../../../src/http/server/responses.js';

function joinChunks(chunks: readonly Chunk[]): string {
	return chunks.map(chunk => String(chunk())).join('');
}

describe('JSON in chunks', () => {
	test('equals the result of JSON.stringify', () => {
		fc.assert(
			fc.property(fc.jsonValue(), data => {
				expect(joinChunks(jsonChunks(data))).toBe(JSON.stringify(data));
			}),
		);
	});

	test('omits undefined values', () => {
		expect(joinChunks(jsonChunks({a: undefined, b: 1, c: {d: undefined}}))).toBe('{"b":1,"c":{}}');
	});

	test('has small chunks for long texts of any content', () => {
		const data = {subject: 'x', text: '\x01'.repeat(300_000), html: `a${'😀'.repeat(100_000)}`, codes: ['1']};
		const chunks = jsonChunks(data);
		expect(joinChunks(chunks)).toBe(JSON.stringify(data));
		expect(Math.max(...chunks.map(chunk => chunk().length))).toBeLessThan(256 * 1024);
	});

	test('has few chunks for many small values', () => {
		const data = Array.from({length: 10_000}, (_, id) => ({id, text: 'some text'}));
		const chunks = jsonChunks(data);
		expect(joinChunks(chunks)).toBe(JSON.stringify(data));
		expect(chunks.length).toBeLessThan(20);
	});
});

test('a text chunk never ends within a character', () => {
	const text = `a${'😀'.repeat(50_000)}`;
	const chunks = textChunks(text);
	expect(chunks.length).toBeGreaterThan(1);
	expect(Buffer.concat(chunks.map(chunk => Buffer.from(chunk()))).toString()).toBe(text);
});

test('byte chunks contain exactly the bytes', () => {
	const bytes = Buffer.from(Array.from({length: 100_000}, (_, index) => index % 251));
	expect(Buffer.concat(byteChunks(bytes).map(chunk => Buffer.from(chunk()))).equals(bytes)).toBe(true);
	expect(byteChunks(Buffer.alloc(0))).toEqual([]);
});

test('a byte chunk keeps no other bytes in memory', () => {
	const [first] = byteChunks(Buffer.alloc(100_000)).map(chunk => chunk() as Uint8Array);
	expect(first?.length).toBeLessThan(100_000);
	expect(first?.buffer.byteLength).toBe(first?.length);
});

test('a text chunk never ends within a word that is shorter than a chunk', () => {
	const text = Array.from({length: 20_000}, (_, index) => `word-${index}`).join(' ');
	const chunks = textChunks(text).map(chunk => String(chunk()));
	expect(chunks.join('')).toBe(text);
	expect(chunks.length).toBeGreaterThan(3);
	expect(chunks.flatMap(chunk => chunk.split(' ').filter(word => word !== ''))).toEqual(text.split(' '));
});
