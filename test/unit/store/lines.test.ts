import fc from 'fast-check';
import {expect, test} from 'vitest';
import {decodeLine, encodeLine} from '../../../src/store/json/lines.js';

const someItems = fc.array(fc.json(), {minLength: 1, maxLength: 3});
const punctuation = [0, 1, 10, 11, -1];

function flipped(line: Buffer, place: number, bit: number): Buffer {
	const result = Buffer.from(line);
	const offset = place < 0 ? line.length + place : place;
	result.writeUInt8((line[offset] ?? 0) ^ (1 << bit), offset);
	return result;
}

test('a line with a flipped bit decodes to the same items or is rejected', () => {
	const check = (items: string[], somewhere: number, bit: number) => {
		const line = encodeLine(...items).subarray(0, -1);
		const intact = items.map(item => JSON.parse(item));
		expect([intact, undefined]).toContainEqual(decodeLine(flipped(line, somewhere % line.length, bit)));
	};
	fc.assert(fc.property(someItems, fc.nat(), fc.nat(7), check));
});

test('a flipped bit outside checksum and items is ignored', () => {
	const check = (items: string[], place: number, bit: number) => {
		const line = encodeLine(...items).subarray(0, -1);
		expect(decodeLine(flipped(line, place, bit))).toEqual(items.map(item => JSON.parse(item)));
	};
	fc.assert(fc.property(someItems, fc.constantFrom(...punctuation), fc.nat(7), check));
});
