import {randomUUID} from 'node:crypto';
import {lstatSync, type Stats} from 'node:fs';
import {lstat, readdir, rename, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {errorCode} from '../errors.js';
import {retry} from '../time/sleep.js';

/** Name prefix of folders that are being removed. */
const removedPrefix = 'tinbox-removed-';

/**
 * Folder for temporary folders with predictable names: `XDG_RUNTIME_DIR` if it belongs to this user, because other users cannot
 * create files in it (XDG Base Directory Specification); else the shared temporary folder.
 */
export function temporaryRoot(): string {
	const runtime = process.env['XDG_RUNTIME_DIR'] ?? '';
	try {
		const stats = lstatSync(runtime);
		return isOwn(stats) && (stats.mode & 0o077) === 0 ? path.resolve(runtime) : tmpdir();
	} catch {
		return tmpdir();
	}
}

/**
 * Removes a temporary folder of this user and its content; does nothing if it is gone or belongs to another user. Renames it
 * first, so that processes that still use it cannot create files in it, and nobody can replace it after the check of its owner.
 */
export async function removeTemporaryFolder(folder: string): Promise<void> {
	const removed = path.join(path.dirname(folder), removedPrefix + randomUUID());
	try {
		if (isOwn(await lstat(folder))) {
			await rename(folder, removed);
			await removeAll(removed);
		}
	} catch (error) {
		if (errorCode(error) !== 'ENOENT') {
			throw error;
		}
	}
}

/**
 * Removes temporary folders named `tinbox-…` that `isAbandoned` selects by their path, and those whose removal was interrupted.
 * Ignores folders of other users. Never rejects, because other processes do the same concurrently.
 */
export async function removeAbandonedFolders(isAbandoned: (folder: string) => Promise<boolean>): Promise<void> {
	for (const root of new Set([temporaryRoot(), tmpdir()])) {
		const names = (await readdir(root).catch(() => [])).filter(name => name.startsWith('tinbox-'));
		await Promise.all(
			names.map(async name => {
				const folder = path.join(root, name);
				try {
					if (isOwn(await lstat(folder)) && (name.startsWith(removedPrefix) || (await isAbandoned(folder)))) {
						await removeTemporaryFolder(folder);
					}
				} catch {}
			}),
		);
	}
}

/** Removes a folder, with retries because other processes may remove it at the same time. */
async function removeAll(folder: string): Promise<void> {
	if (isOwn(await lstat(folder))) {
		await retry(async () => rm(folder, {recursive: true, force: true}), {minMs: 10, maxMs: 200, maxTries: 10});
	}
}

function isOwn(folder: Stats): boolean {
	return folder.isDirectory() && folder.uid === (process.getuid?.() ?? folder.uid);
}
