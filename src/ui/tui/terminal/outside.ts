import {spawnSync} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {errorCode} from '../../../lib/errors.js';
import {safeFileName} from '../../../lib/sanitize.js';

/** Shows a text in `$PAGER`, else in `less`. Control characters must be gone: some pagers hand them to the terminal. */
export function page(text: string): void {
	const pager = process.env['PAGER'] || 'less';
	const {error, status} = spawnSync(pager, {input: text, stdio: ['pipe', 'inherit', 'inherit'], shell: true});
	// Leaving the pager early is an error, too, but with a status.
	if (status === 127 || (error && status === null)) {
		throw new Error(`Could not start the pager "${pager}". Set PAGER to another program.`, {cause: error});
	}
}

const maxCopies = 100;

/**
 * Writes a new file into the working directory and resolves with its path. The name from a mail is never a path, and
 * an existing file is left alone: the new one gets a number.
 */
export async function saveFile(filename: string, bytes: Buffer): Promise<string> {
	const {name, ext} = path.parse(safeFileName(filename, 'attachment'));
	for (let copy = 0; copy < maxCopies; copy++) {
		const file = copy === 0 ? name + ext : `${name}-${copy}${ext}`;
		try {
			await writeFile(file, bytes, {flag: 'wx'});
			return path.resolve(file);
		} catch (error) {
			if (errorCode(error) !== 'EEXIST') {
				throw error;
			}
		}
	}

	throw new Error(`The folder already has ${maxCopies} files named ${name}${ext}. Delete or move some.`);
}
