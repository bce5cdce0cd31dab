import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {PassThrough, Readable} from 'node:stream';
import {describe, expect, test} from 'vitest';
import {readSecret} from '../../../../src/cli/connect/credentials.js';
import {fakeContext} from '../../../helpers/context.js';
import {tempDir} from '../../../helpers/temp-dir.js';

function withStdin(stdin: Readable & {isTTY?: boolean}) {
	const {context, written} = fakeContext();
	return {io: {...context.io, stdin}, written};
}

function withTerminal() {
	const stdin = Object.assign(new PassThrough(), {isTTY: true});
	return {...withStdin(stdin), stdin};
}

describe('a secret', () => {
	test('is read from stdin without the line end', async () => {
		const {io, written} = withStdin(Readable.from([Buffer.from('tok'), Buffer.from('en\n')]));
		expect(await readSecret(io, 'token')).toBe('token');
		expect(written).toEqual({stdout: '', stderr: ''});
	});

	test('is read from a file and rejected if it contains a NUL', async () => {
		const file = path.join(await tempDir(), 'token');
		await writeFile(file, ' token\r\n');
		expect(await readSecret(fakeContext().context.io, 'token', file)).toBe('token');
		await writeFile(file, 'to\0ken');
		await expect(readSecret(fakeContext().context.io, 'token', file)).rejects.toThrow(
			`Expected exactly one token in ${file}`,
		);
	});

	test('is prompted for on a terminal without echo', async () => {
		const {io, stdin, written} = withTerminal();
		const reading = readSecret(io, 'token');
		stdin.write('tokem\x7fn\r');
		expect(await reading).toBe('token');
		expect(written).toEqual({
			stdout: '',
			stderr: 'Paste the token (input is hidden) and press Enter: \n',
		});
	});

	test('is an error if stdin ends without input', async () => {
		const {io, stdin} = withTerminal();
		const reading = readSecret(io, 'token');
		stdin.end();
		await expect(reading).rejects.toThrow('Expected exactly one token on stdin');
	});
});
