import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {text} from 'node:stream/consumers';
import type {Io} from '../context.js';
import {usageError} from '../output/exit.js';

/** Means stdin where a file name is expected. */
export const stdinName = '-';

/**
 * Reads a token or a key from a file or from stdin; at a terminal it is typed without echo. Never from a flag, which
 * other users can see in the process list. `what` names it in messages.
 */
export async function readSecret(io: Io, what: string, file = stdinName): Promise<string> {
	const read = file === stdinName ? await fromStdin(io, what) : await readFile(file, 'utf8');
	const secret = read.trim();
	if (!/^[\x21-\x7e]+$/.test(secret)) {
		const place = file === stdinName ? 'on stdin' : `in ${file}`;
		throw usageError(`Expected exactly one ${what} ${place}.`);
	}

	return secret;
}

async function fromStdin(io: Io, what: string): Promise<string> {
	return io.stdin.isTTY ? ask(io, what) : text(io.stdin);
}

async function ask({stdin, stderr}: Io, what: string): Promise<string> {
	const [{createInterface}, {Writable}] = await Promise.all([import('node:readline'), import('node:stream')]);
	const output = new Writable({write: (_chunk, _encoding, done) => done()});
	const terminal = createInterface({input: stdin, output, terminal: true});
	terminal.once('SIGINT', () => {
		terminal.close();
		process.kill(process.pid, 'SIGINT');
	});
	stderr.write(`Paste the ${what} (input is hidden) and press Enter: `);
	try {
		const [line = ''] = await Promise.race([once(terminal, 'line'), once(terminal, 'close')]);
		return line;
	} finally {
		terminal.close();
		stderr.write('\n');
	}
}
