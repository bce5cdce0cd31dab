import {link, open, rename} from 'node:fs/promises';
import {errorCode} from '../../lib/errors.js';
import {createFile, fileMode, nodeFiles, removeFile, writeFully} from '../../lib/io/files.js';
import {Exit, exitCodes} from '../output/exit.js';
import type {Pieces} from './mbox-writer.js';

/** So much is written at a time. */
const writeBytes = 64 * 1024;

/** A file that is not there yet. */
export type NewFile = {
	readonly file: string;
	/** Where it is while it is written, on the same disk. */
	readonly draft: string;
	/** When the file is to have been changed; now unless given. */
	readonly changedAt?: Date;
};

/**
 * Writes a file for its owner alone, as a whole or not at all. What has its name already, were it a link, stays as it is: throws
 * `Exit`.
 */
export async function writeNewFile({file, draft, changedAt}: NewFile, pieces: Pieces): Promise<void> {
	const handle = await createFile(nodeFiles, draft);
	try {
		try {
			let size = 0;
			for await (const piece of joined(pieces)) {
				await writeFully(handle, piece, size);
				size += piece.length;
			}

			await (changedAt && handle.utimes(changedAt, changedAt));
		} finally {
			// Some file systems tell only now that they are full.
			await handle.close();
		}

		await place(draft, file);
	} catch (error) {
		throw explain(error, file);
	} finally {
		await removeFile(nodeFiles, draft).catch(() => {});
	}
}

/** What comes in small pieces is written together. */
async function* joined(pieces: Pieces): AsyncGenerator<Uint8Array> {
	let held: Uint8Array[] = [];
	let size = 0;
	for await (const piece of pieces) {
		held.push(piece);
		size += piece.length;
		if (size >= writeBytes) {
			yield Buffer.concat(held);
			held = [];
			size = 0;
		}
	}

	yield Buffer.concat(held);
}

/** Gives the draft its name, which nothing else may have. */
async function place(draft: string, file: string): Promise<void> {
	await link(draft, file).catch(async error => {
		if (errorCode(error) === 'EEXIST') {
			throw error;
		}

		// Some file systems have no links.
		await (await open(file, 'wx', fileMode)).close();
		await rename(draft, file);
	});
}

function explain(error: unknown, file: string): unknown {
	if (errorCode(error) === 'EEXIST') {
		return new Exit(exitCodes.failed, 'file_exists', `The file "${file}" already exists.`, {
			hint: 'Choose another location with --output.',
		});
	}

	// A write that failed does not say where.
	return error instanceof Error && 'syscall' in error && !('path' in error)
		? Object.assign(error, {path: file})
		: error;
}
