import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {byteChunks, type Chunk, jsonChunks, textChunks} from '../../../src/http/server/answers.js';

function joined(pieces: readonly Chunk[]): string {
	return pieces.map(piece => String(piece())).join('');
}

describe('the JSON in pieces', () => {
	test('is the JSON of the data', () => {
		fc.assert(
			fc.property(fc.jsonValue(), data => {
				expect(joined(jsonChunks(data))).toBe(JSON.stringify(data));
			}),
		);
	});

	test('leaves out what is undefined', () => {
		expect(joined(jsonChunks({a: undefined, b: 1, c: {d: undefined}}))).toBe('{"b":1,"c":{}}');
	});

	test('is made of small pieces, however long a text in it is and whatever the text holds', () => {
		const data = {subject: 'x', text: '\x01'.repeat(300_000), html: `a${'😀'.repeat(100_000)}`, codes: ['1']};
		const pieces = jsonChunks(data);
		expect(joined(pieces)).toBe(JSON.stringify(data));
		expect(Math.max(...pieces.map(piece => piece().length))).toBeLessThan(256 * 1024);
	});

	test('is made of few pieces where there are many small values', () => {
		const data = Array.from({length: 10_000}, (_, id) => ({id, text: 'some text'}));
		const pieces = jsonChunks(data);
		expect(joined(pieces)).toBe(JSON.stringify(data));
		expect(pieces.length).toBeLessThan(20);
	});
});

test('no piece of a text ends within a character', () => {
	const text = `a${'😀'.repeat(50_000)}`;
	const pieces = textChunks(text);
	expect(pieces.length).toBeGreaterThan(1);
	expect(Buffer.concat(pieces.map(piece => Buffer.from(piece()))).toString()).toBe(text);
});

test('pieces of bytes are the bytes', () => {
	const bytes = Buffer.from(Array.from({length: 100_000}, (_, index) => index % 251));
	expect(Buffer.concat(byteChunks(bytes).map(piece => Buffer.from(piece()))).equals(bytes)).toBe(true);
	expect(byteChunks(Buffer.alloc(0))).toEqual([]);
});

test('a piece of bytes keeps no others in memory', () => {
	const [first] = byteChunks(Buffer.alloc(100_000)).map(piece => piece() as Uint8Array);
	expect(first?.length).toBeLessThan(100_000);
	expect(first?.buffer.byteLength).toBe(first?.length);
});

test('no piece of a text ends within a word that is shorter than a piece', () => {
	const text = Array.from({length: 20_000}, (_, index) => `word-${index}`).join(' ');
	const pieces = textChunks(text).map(piece => String(piece()));
	expect(pieces.join('')).toBe(text);
	expect(pieces.length).toBeGreaterThan(3);
	expect(pieces.flatMap(piece => piece.split(' ').filter(word => word !== ''))).toEqual(text.split(' '));
});
