import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {decode, decodeLone, type Input} from '../../../../../src/ui/tui/terminal/keyboard.js';

const keysOf = (inputs: readonly Input[]) =>
	inputs.map(input =>
		input.type === 'key'
			? input.key
			: input.type === 'paste'
				? `<${input.text}>`
				: `${input.action} at ${input.column},${input.row}`,
	);

/** Decodes chunks like the key reader, including the pause after a final Escape. */
function type(...chunks: readonly string[]): string[] {
	let rest = '';
	const inputs = chunks.flatMap(chunk => {
		const decoded = decode(rest + chunk);
		rest = decoded.rest;
		return decoded.inputs;
	});
	return keysOf([...inputs, ...decodeLone(rest).inputs]);
}

/** Sequences that terminals send for each key. */
const keys: ReadonlyArray<readonly [key: string, bytes: string]> = [
	['j', 'j'],
	['G', 'G'],
	['é', 'é'],
	['😀', '😀'],
	[' ', ' '],
	['enter', '\r'],
	['enter', '\n'],
	['tab', '\t'],
	['shift+tab', '\x1b[Z'],
	['backspace', '\x7f'],
	['backspace', '\b'],
	['delete', '\x1b[3~'],
	['up', '\x1b[A'],
	['up', '\x1bOA'],
	['down', '\x1b[B'],
	['right', '\x1b[C'],
	['left', '\x1b[D'],
	['home', '\x1b[H'],
	['home', '\x1b[1~'],
	['end', '\x1b[F'],
	['end', '\x1b[4~'],
	['pageup', '\x1b[5~'],
	['pagedown', '\x1b[6~'],
	['ctrl+c', '\x03'],
	['ctrl+d', '\x04'],
	['ctrl+z', '\x1a'],
	['click at 9,4', '\x1b[<0;10;5M'],
	['wheel up at 0,0', '\x1b[<64;1;1M'],
	['wheel down at 299,99', '\x1b[<65;300;100M'],
];

/** Sequences that are not keys. */
const reports = [
	'\x1b[<2;10;5M',
	'\x1b[<4;10;5M',
	'\x1b[<32;10;5M',
	'\x1b[<64;10;5m',
	'\x1b[<0;10;5m',
	'\x1b[M !!',
	'\x1b[I',
	'\x1b[?62;22c',
	'\x1b[24;80R',
	'\x1b]11;rgb:0000/0000/0000\x07',
	'\x1bP1+r544e\x1b\\',
	'\x1b[15~',
	'\x1b[[A',
	'\x1b[1;5Q',
];

describe('decode', () => {
	test.each(keys)('returns the key %s for %j', (key, bytes) => {
		expect(type(bytes)).toEqual([key]);
	});

	test('returns all keys of one read in order', () => {
		fc.assert(
			fc.property(fc.array(fc.constantFrom(...keys), {maxLength: 20}), typed => {
				expect(type(typed.map(([, bytes]) => bytes).join(''))).toEqual(typed.map(([key]) => key));
			}),
		);
	});

	test('returns the same keys for any split into reads', () => {
		const stream = fc.array(fc.constantFrom(...keys.map(([, bytes]) => bytes), ...reports), {maxLength: 12});
		fc.assert(
			fc.property(stream, fc.array(fc.nat(60), {maxLength: 6}), (parts, cuts) => {
				const characters = Array.from(parts.join(''));
				const offsets = [0, ...cuts.filter(cut => cut < characters.length).sort((a, b) => a - b), characters.length];
				const chunks = offsets.slice(1).map((end, index) => characters.slice(offsets[index], end).join(''));
				expect(type(...chunks)).toEqual(type(characters.join('')));
			}),
		);
	});

	test.each(reports)('drops the report %j', report => {
		expect(type(`a${report}b`)).toEqual(['a', 'b']);
	});

	test('returns a single Escape as a key if nothing follows', () => {
		expect(decode('\x1b')).toEqual({inputs: [], rest: '\x1b'});
		expect(type('\x1b')).toEqual(['escape']);
		expect(type('\x1b\x1b')).toEqual(['escape', 'escape']);
		expect(type('\x1bq')).toEqual(['escape', 'q']);
	});

	test('returns a paste as one input without decoding keys in it', () => {
		expect(type('a\x1b[200~dq\ry\x1b[201~b')).toEqual(['a', '<dq\ry>', 'b']);
		expect(type('\x1b[200~one ', 'two\x1b[20', '1~')).toEqual(['<one two>']);
	});

	test('keeps an incomplete paste until its end arrives', () => {
		expect(decodeLone('\x1b[200~half')).toEqual({inputs: [], rest: '\x1b[200~half'});
	});

	test('accepts any input', () => {
		fc.assert(
			fc.property(
				fc.string({unit: fc.constantFrom('\x1b', '[', ']', 'M', 'O', '<', '2', '0', '~', ';', 'a', '\x07')}),
				noise => {
					const {rest} = decode(noise);
					expect(noise.endsWith(rest)).toBe(true);
				},
			),
		);
	});
});
