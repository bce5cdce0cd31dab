import {closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readFileSync, type Stats} from 'node:fs';
import fs, {chmod, type FileHandle, lstat, readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {errorCode, UnsafePathError} from '../errors.js';

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

/** By these bits a group or all others write, and do anything at all. */
const othersWrite = 0o022;
const othersAny = 0o077;

/** Set-id and sticky bits: a folder that has one is shared on purpose. */
const shared = 0o7000;

type PrivateFileOptions = {
	/** Whether a link will do, if it and what it leads to belong to the user. */
	readonly links?: boolean;
	/** What others may do with the file is taken from them, and this is told so in a sentence. */
	readonly mended?: ((sentence: string) => void) | undefined;
};

/**
 * Reads a file that says whom to trust: a secret, credentials, where the daemon is. It must belong to this user or to root,
 * lest somebody else has put it there. Throws `UnsafePathError`, or as the system does.
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

/** Opens a file to add to it. It is no link, belongs as `readPrivateFile` says, and is made when it is not there. */
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
 * Makes sure that nobody else can put anything into a folder, or has: it must belong to this user or to root, and so must a
 * link in its place; others may not write to it any more. One to which they could must hold no links and nothing of theirs.
 * Throws as `readPrivateFile`.
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
	// Somebody may have been faster, and the next start is to find it, too.
	await assertNothingPrepared(folder).catch(async error => {
		await chmod(folder, stats.mode);
		throw error;
	});
	mended(`Removed the write access of other users to the folder ${folder}.`);
}

async function assertNothingPrepared(folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		const entry = path.join(folder, name);
		// What is gone by now was the draft of another start.
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

	// Not waiting for the other end of a pipe that stands in its place.
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

/** Elsewhere than on Unix, modes say nothing. */
function isOfThisUser({uid}: Stats): boolean {
	return uid === process.getuid?.();
}
