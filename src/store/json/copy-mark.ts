import {readFile} from 'node:fs/promises';
import {DataDirError, errorCode} from '../../lib/errors.js';
import {replaceFile} from '../../lib/files.js';
import type {CopyMark} from '../dump-store.js';
import type {DataDir} from './data-dir.js';

/** What the data directory is a copy of; undefined when it is none. */
export async function readCopyMark({copyMark}: DataDir): Promise<CopyMark | undefined> {
	try {
		return JSON.parse(await readFile(copyMark, 'utf8'));
	} catch (error) {
		if (errorCode(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	}
}

export async function writeCopyMark({files, copyMark}: DataDir, mark: CopyMark): Promise<void> {
	await replaceFile(files, copyMark, async draft => draft.writeFile(`${JSON.stringify(mark)}\n`));
}

/** Throws for a copy of which a part is missing: who used it would take it for the whole. */
export async function assertWholeFolder(dataDir: DataDir): Promise<void> {
	const mark = await readCopyMark(dataDir);
	if (mark?.isWhole === false) {
		throw new DataDirError(`The data folder ${dataDir.path} is an unfinished copy. Finish it: tinbox store copy`);
	}
}
