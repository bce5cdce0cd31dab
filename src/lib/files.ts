import fs, {type FileHandle} from 'node:fs/promises';
import path from 'node:path';
import {errorCode} from './errors.js';

/** The calls to the file system that are handed to whoever writes data. Tests have them fail. */
export type Files = Pick<typeof fs, 'open' | 'mkdir' | 'readdir' | 'rename' | 'stat' | 'statfs' | 'unlink'>;

export const nodeFiles: Files = fs;

/** The permissions of data: for its owner alone. */
export const fileMode = 0o600;
export const directoryMode = 0o700;

/** Makes the names in a directory durable: without this, a file can be gone after a power cut although it was synced. */
export async function syncDirectory(files: Files, directory: string): Promise<void> {
	await using(await files.open(directory, 'r'), async handle => handle.sync());
}

/**
 * Makes a directory, durably, if it is not there, and those above it. Where none can be made it fails at once: Node's own
 * way to make all of them never ends in a place such as /proc.
 */
export async function ensureDirectory(files: Files, directory: string): Promise<void> {
	if (await makeDirectory(files, directory)) {
		await syncDirectory(files, path.dirname(directory));
	}
}

/** False when it is there. */
async function makeDirectory(files: Files, directory: string): Promise<boolean> {
	const make = async () =>
		files.mkdir(directory, {mode: directoryMode}).then(
			() => true,
			async error => {
				const known = await files.stat(directory).catch(() => undefined);
				return known?.isDirectory() ? false : Promise.reject(error);
			},
		);
	return make().catch(async error => {
		const parent = path.dirname(directory);
		if (errorCode(error) !== 'ENOENT' || parent === directory) {
			throw error;
		}

		await ensureDirectory(files, parent);
		return make();
	});
}

/** Writes all bytes at the position: a single `write` may stop short, as on a disk that fills up. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
	let written = 0;
	while (written < bytes.length) {
		const {bytesWritten} = await handle.write(bytes, written, bytes.length - written, position + written);
		written += bytesWritten;
	}
}

/** Closes the file after the work, whatever came of it. */
export async function using<T>(handle: FileHandle, work: (handle: FileHandle) => Promise<T>): Promise<T> {
	try {
		return await work(handle);
	} finally {
		await handle.close().catch(() => {});
	}
}

/**
 * Opens a new file, for its owner alone. What has its name, were it a link that somebody else has put there, is removed and
 * never written to.
 */
export async function createFile(files: Files, file: string): Promise<FileHandle> {
	const create = async () => files.open(file, 'wx', fileMode);
	return create().catch(async error => {
		if (errorCode(error) !== 'EEXIST') {
			throw error;
		}

		await removeFile(files, file);
		return create();
	});
}

/**
 * Puts a file in place as a whole, durably, or leaves what was there. `fill` writes it: a draft beside the place, which
 * only its owner can read. One writer of a file at a time.
 */
export async function replaceFile(
	files: Files,
	file: string,
	fill: (draft: FileHandle) => Promise<void>,
): Promise<void> {
	const draft = `${file}.tmp`;
	try {
		await using(await createFile(files, draft), async handle => {
			await fill(handle);
			await handle.sync();
		});
		await files.rename(draft, file);
		await syncDirectory(files, path.dirname(file));
	} catch (error) {
		await removeFile(files, draft).catch(() => {});
		throw error;
	}
}

/** Removes a file; that it was not there is fine. */
export async function removeFile(files: Files, file: string): Promise<void> {
	await files.unlink(file).catch(error => {
		if (errorCode(error) !== 'ENOENT') {
			throw error;
		}
	});
}
