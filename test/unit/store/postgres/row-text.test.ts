import fc from 'fast-check';
import {expect, test} from 'vitest';
import {columnText, parseRow, rowText, textOfColumn} from '../../../../src/store/postgres/session/row-text.js';

/** Strings with characters that PostgreSQL rejects, and with those that replace them. */
const text = fc.string({
	unit: fc.oneof(
		fc.constantFrom('\0', '\ue000', '\ud83d', '\ude00', '\\', '0', 'd800', 'u0000', '"', '😀'),
		fc.string({unit: 'binary', maxLength: 2}),
	),
});
const refused = /\0|\\u0000|\\ud[89a-f]/;

test('a row survives the conversion, and its text contains nothing that PostgreSQL rejects', () => {
	fc.assert(
		fc.property(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text), fc.constant(null))), row => {
			const json = JSON.stringify(row);
			const kept = rowText(row);
			expect(parseRow(kept)).toEqual(JSON.parse(json));
			expect(refused.test(kept.replaceAll('\\\\', ''))).toBe(false);
			expect(Buffer.from(kept).toString()).toBe(kept);
		}),
	);
});

test('a text survives the conversion, and the column contains nothing that PostgreSQL rejects', () => {
	fc.assert(
		fc.property(text, value => {
			const kept = columnText(value);
			expect(textOfColumn(kept)).toBe(value);
			expect(kept.includes('\0')).toBe(false);
			expect(Buffer.from(kept).toString()).toBe(kept);
		}),
	);
});
