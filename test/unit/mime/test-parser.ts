import {readFile} from 'node:fs/promises';
import {Readable} from 'node:stream';
import {afterAll, onTestFinished} from 'vitest';
import {createParser, type Parser, type ParserOptions} from '../../../src/mime/parser.js';

/** Creates a parser that is stopped after the test. */
export function startParser(options?: ParserOptions): Parser {
	const parser = createParser(options);
	onTestFinished(() => parser.stop());
	return parser;
}

/** Creates a parser that is stopped after all tests of the file. */
export function sharedParser(options?: ParserOptions): Parser {
	const parser = createParser(options);
	afterAll(() => parser.stop());
	return parser;
}

export async function fixture(name: string): Promise<Buffer> {
	return readFile(new URL(`../../fixtures/mail/${name}`, import.meta.url));
}

/** Streams a mail in pieces. */
export function sourceOf(mail: string | Buffer, pieceSize = 64 * 1024): Readable {
	const bytes = Buffer.from(mail);
	return Readable.from(
		(function* () {
			for (let from = 0; from < bytes.length; from += pieceSize) {
				yield bytes.subarray(from, from + pieceSize);
			}
		})(),
		{objectMode: false},
	);
}
