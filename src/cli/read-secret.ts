import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import type {Io} from './context.js';
import {usageError} from './exit.js';

/** Stands for stdin where a file is asked for. */
export const stdinName = '-';

/**
 * A token or a key out of a file, or from stdin, where a person at a terminal types it unseen. Never from a flag, which
 * other users can read in the list of processes. `what` names it to the person.
 */
export async function readSecret(io: Io, what: string, file = stdinName): Promise<string> {
	const read = file === stdinName ? await fromStdin(io, what) : await readFile(file, 'utf8');
	const secret = read.trim();
	if (!/^[\x21-\x7e]+$/.test(secret)) {
		const place = file === stdinName ? 'on stdin' : `in ${file}`;
		throw usageError(`There is no ${what} ${place}, or more than that.`);
	}

	return secret;
}

async function fromStdin(io: Io, what: string): Promise<string> {
	if (io.stdin.isTTY) {
		return ask(io, what);
	}

	const chunks: Buffer[] = [];
	for await (const chunk of io.stdin) {
		chunks.push(chunk);
	}

	return Buffer.concat(chunks).toString();
}

async function ask({stdin, stderr}: Io, what: string): Promise<string> {
	const [{createInterface}, {Writable}] = await Promise.all([import('node:readline'), import('node:stream')]);
	const output = new Writable({write: (_chunk, _encoding, done) => done()});
	const terminal = createInterface({input: stdin, output, terminal: true});
	terminal.once('SIGINT', () => {
		terminal.close();
		process.kill(process.pid, 'SIGINT');
	});
	stderr.write(`Paste the ${what}, which is not shown, and press Enter: `);
	try {
		const [line = ''] = await Promise.race([once(terminal, 'line'), once(terminal, 'close')]);
		return line;
	} finally {
		terminal.close();
		stderr.write('\n');
	}
}
