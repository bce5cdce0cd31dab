import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {errorCode} from '../../lib/error-code.js';
import {safeFileName} from '../../lib/safe-file-name.js';

const mostCopies = 100;

/**
 * Writes a new file into the working directory, and tells its name. What a mail calls its attachment is a name in that
 * folder at most, and a file that exists is left alone: the new one gets a number.
 */
export async function saveFile(filename: string, bytes: Buffer): Promise<string> {
	const {name, ext} = path.parse(safeFileName(filename, 'attachment'));
	for (let copy = 0; copy < mostCopies; copy++) {
		const file = copy === 0 ? name + ext : `${name}-${copy}${ext}`;
		try {
			await writeFile(file, bytes, {flag: 'wx'});
			return file;
		} catch (error) {
			if (errorCode(error) !== 'EEXIST') {
				throw error;
			}
		}
	}

	throw new Error(`There are ${mostCopies} files of the name ${name}${ext} already.`);
}
