import {closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readFileSync, type Stats} from 'node:fs';
import {chmod, lstat, stat} from 'node:fs/promises';
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
			throw new UnsafePathError(`${file} is no file. Remove it.`);
		}

		if (mended && isOfThisUser(stats) && (stats.mode & othersAny) !== 0) {
			fchmodSync(descriptor, fileMode);
			mended(`Others could read or write ${file}; now they cannot.`);
		}

		return readFileSync(descriptor, 'utf8');
	} finally {
		closeSync(descriptor);
	}
}

/**
 * Makes sure that nobody else can put anything into a folder: it must belong to this user or to root, and so must a link in
 * its place; others may not write to it any more. Throws as `readPrivateFile`.
 */
export async function guardFolder(folder: string, mended: (sentence: string) => void): Promise<void> {
	assertOwn(await lstat(folder), folder);
	const stats = await stat(folder);
	assertOwn(stats, folder);
	if ((stats.mode & othersWrite) === 0) {
		return;
	}

	if ((stats.mode & shared) !== 0 || !isOfThisUser(stats)) {
		throw new UnsafePathError(`The folder ${folder} is shared with other users. Choose one of your own.`);
	}

	await chmod(folder, stats.mode & ~othersWrite);
	mended(`Others could write to the folder ${folder}; now they cannot.`);
}

function open(file: string, links: boolean): number {
	try {
		if (links) {
			assertOwn(lstatSync(file), file);
		}

		// Not waiting for the other end of a pipe that stands in its place.
		return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | (links ? 0 : constants.O_NOFOLLOW));
	} catch (error) {
		throw errorCode(error) === 'ELOOP'
			? new UnsafePathError(`${file} is a link, which anybody could have made. Put the file itself there.`)
			: error;
	}
}

function assertOwn({uid}: Stats, path: string): void {
	if (process.getuid !== undefined && uid !== 0 && uid !== process.getuid()) {
		throw new UnsafePathError(
			`${path} belongs to another user (uid ${uid}), who may have prepared it. Remove it, or make it yours with chown.`,
		);
	}
}

/** Elsewhere than on Unix, modes say nothing. */
function isOfThisUser({uid}: Stats): boolean {
	return uid === process.getuid?.();
}
