import {closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readFileSync, type Stats} from 'node:fs';
import {chmod, lstat, readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {errorCode, UnsafePathError} from './errors.js';
import {fileMode} from './files.js';

/** By these bits a group or all others write, and do anything at all. */
const othersWrite = 0o022;
const othersAny = 0o077;

/** Set-id and sticky bits: a folder that has one is shared on purpose. */
const shared = 0o7000;

export type PrivateFileOptions = {
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
