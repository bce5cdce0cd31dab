import {closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readFileSync, type Stats} from 'node:fs';
import fs, {chmod, type FileHandle, lstat, readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {errorCode, UnsafePathError} from '../errors.js';

/** File system calls used to write data. Tests replace them to simulate failures. */
export type Files = Pick<typeof fs, 'open' | 'mkdir' | 'readdir' | 'rename' | 'stat' | 'statfs' | 'unlink'>;

export const nodeFiles: Files = fs;

/** Permissions of data: owner only. */
export const fileMode = 0o600;
export const directoryMode = 0o700;

/** Syncs the names in a directory. Without this, a synced file can be missing after a power cut. */
export async function syncDirectory(files: Files, directory: string): Promise<void> {
	await using(await files.open(directory, 'r'), async handle => handle.sync());
}

/**
 * Creates a directory and its parents, durably. Fails immediately if one cannot be created; the recursive `mkdir` of Node.js
 * never ends in a place such as `/proc`.
 */
export async function ensureDirectory(files: Files, directory: string): Promise<void> {
	if (await makeDirectory(files, directory)) {
		await syncDirectory(files, path.dirname(directory));
	}
}

/** Returns false if the directory exists. */
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

/** Writes all bytes at the position. A single `write` may be short, for example on a full disk. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
	let written = 0;
	while (written < bytes.length) {
		const {bytesWritten} = await handle.write(bytes, written, bytes.length - written, position + written);
		written += bytesWritten;
	}
}

/** Runs `work` and then closes the file, even after a failure. */
export async function using<T>(handle: FileHandle, work: (handle: FileHandle) => Promise<T>): Promise<T> {
	try {
		return await work(handle);
	} finally {
		await handle.close().catch(() => {});
	}
}

/** Opens a new file with owner-only permissions. An existing file or link of this name is removed and never written to. */
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
 * Replaces a file atomically and durably, or leaves it unchanged. `fill` writes a draft beside it. A file must have only one
 * writer at a time.
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

/** Removes a file if it exists. */
export async function removeFile(files: Files, file: string): Promise<void> {
	await files.unlink(file).catch(error => {
		if (errorCode(error) !== 'ENOENT') {
			throw error;
		}
	});
}

/** Permission bits of group and others: write, and any access. */
const othersWrite = 0o022;
const othersAny = 0o077;

/** Set-id and sticky bits. A folder with one of them is shared on purpose. */
const shared = 0o7000;

type PrivateFileOptions = {
	/** Accepts a symbolic link if it and its target belong to the user. */
	readonly links?: boolean;
	/** If given, removes the access of other users from the file and receives a sentence that says so. */
	readonly mended?: ((sentence: string) => void) | undefined;
};

/**
 * Reads a file that must be trusted: a secret, credentials, or the address of the daemon. It must belong to this user or
 * root, so that no other user can have created it. Throws `UnsafePathError` or a system error.
 */
export function readPrivateFile(file: string, {links = false, mended}: PrivateFileOptions = {}): string {
	const descriptor = open(file, links);
	try {
		const stats = fstatSync(descriptor);
		assertOwn(stats, file);
		if (!stats.isFile()) {
			throw new UnsafePathError(`${file} is not a regular file. Remove it.`);
		}

		if (mended && isOfThisUser(stats) && (stats.mode & othersAny) !== 0) {
			fchmodSync(descriptor, fileMode);
			mended(`Removed the access of other users to ${file}.`);
		}

		return readFileSync(descriptor, 'utf8');
	} finally {
		closeSync(descriptor);
	}
}

/** Opens a file for appending and creates it if needed. It must not be a link, and belong to this user or root. */
export function openToAppend(file: string): number {
	const {O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK} = constants;
	const descriptor = withoutLink(file, () =>
		openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, fileMode),
	);
	try {
		assertOwn(fstatSync(descriptor), file);
		return descriptor;
	} catch (error) {
		closeSync(descriptor);
		throw error;
	}
}

/**
 * Ensures that no other user can write to a folder. It must belong to this user or root, and so must a link in its place. If
 * others could write to it, it must contain no links and no files of others; their access is then removed. Throws
 * `UnsafePathError` or a system error.
 */
export async function guardFolder(folder: string, mended: (sentence: string) => void): Promise<void> {
	assertOwn(await lstat(folder), folder);
	const stats = await stat(folder);
	assertOwn(stats, folder);
	if ((stats.mode & othersWrite) === 0) {
		return;
	}

	if ((stats.mode & shared) !== 0 || !isOfThisUser(stats)) {
		throw new UnsafePathError(
			`The folder ${folder} is shared with other users. Use a private folder, for example a new subfolder.`,
		);
	}

	await assertNothingPrepared(folder);
	await chmod(folder, stats.mode & ~othersWrite);
	// Checks again for changes made meanwhile, and restores the mode on failure so that the next start fails, too.
	await assertNothingPrepared(folder).catch(async error => {
		await chmod(folder, stats.mode);
		throw error;
	});
	mended(`Removed the write access of other users to the folder ${folder}.`);
}

async function assertNothingPrepared(folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		const entry = path.join(folder, name);
		// A draft of another start may be gone.
		const stats = await lstat(entry).catch(() => undefined);
		if (stats) {
			assertOwn(stats, entry);
		}

		if (stats?.isSymbolicLink()) {
			throw new UnsafePathError(
				`Other users could write to the folder ${folder}, and ${entry} is a symbolic link. Remove the link.`,
			);
		}
	}
}

function open(file: string, links: boolean): number {
	if (links) {
		assertOwn(lstatSync(file), file);
	}

	// O_NONBLOCK: a named pipe in its place must not block.
	const {O_RDONLY, O_NONBLOCK, O_NOFOLLOW} = constants;
	return withoutLink(file, () => openSync(file, O_RDONLY | O_NONBLOCK | (links ? 0 : O_NOFOLLOW)));
}

function withoutLink(file: string, open: () => number): number {
	try {
		return open();
	} catch (error) {
		throw errorCode(error) === 'ELOOP'
			? new UnsafePathError(
					`${file} is a symbolic link, which another user may have created. Replace it with the file itself.`,
				)
			: error;
	}
}

function assertOwn({uid}: Stats, path: string): void {
	if (process.getuid !== undefined && uid !== 0 && uid !== process.getuid()) {
		throw new UnsafePathError(
			`${path} belongs to another user (uid ${uid}), who may have tampered with it. Remove it, or take ownership with chown.`,
		);
	}
}

/** Returns false on systems without user ids, where modes have no meaning. */
function isOfThisUser({uid}: Stats): boolean {
	return uid === process.getuid?.();
}
