import {readFileSync} from 'node:fs';
import {link, lstat, readdir, readFile, rm, stat, truncate, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {errorCode, UnsafePathError} from '../errors.js';
import {ensureDirectory, fileMode, guardFolder, nodeFiles} from './files.js';

/**
 * Start time of a running process as an opaque text; undefined if no such process runs. It identifies a process together
 * with its pid, because a reused pid has a different start time.
 */
export function processBirth(pid: number): string | undefined {
	try {
		if (process.platform === 'linux') {
			const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
			const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
			// The command name is in parentheses and may contain spaces. The start time is the 22nd field.
			const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
			return fields[0] === 'Z' ? undefined : `${boot}:${fields[19]}`;
		}

		process.kill(pid, 0);
		// Loaded on demand, because every command imports this file.
		const {execFileSync} = process.getBuiltinModule('node:child_process');
		return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {encoding: 'utf8'}).trim() || undefined;
	} catch {
		return undefined;
	}
}

/** Process identified by its pid and `processBirth`. */
export type KnownProcess = {readonly pid: number; readonly birth: string};

/** True if the process named by a record is running. False if the record names none. */
export function isAlive(process: {readonly pid?: unknown; readonly birth?: unknown} | null): boolean {
	return (
		typeof process?.pid === 'number' && typeof process.birth === 'string' && processBirth(process.pid) === process.birth
	);
}

/** Acquired lock, or the pid of the running process that holds it. */
export type Lock = {readonly release: () => Promise<void>} | {readonly holder: number};

/** Content of a claim file. `inode`: inode of the parent folder, so that claims in a copied folder do not count. */
type Claim = {readonly pid: number; readonly birth: string | undefined; readonly inode: number};

/** Name of a claim or of its draft. */
const claimName = /^\d+(\.\d+-\d+)?$/;

/** Interval at which a waiter checks the lock. */
const lookAgainMs = 25;

/**
 * Runs `work` while holding the lock, which excludes other processes and other callers in this one. Waits for a running
 * holder and takes over from a dead one. Throws after `deadlineMs`.
 */
export async function withLock<T>(folder: string, work: () => Promise<T>, deadlineMs = 60_000): Promise<T> {
	const deadline = performance.now() + deadlineMs;
	for (;;) {
		const lock = await takeLock(folder);
		if ('release' in lock) {
			return work().finally(lock.release);
		}

		if (performance.now() > deadline) {
			throw new Error(
				`Another tinbox (process ${lock.holder}) holds the lock ${folder} and does not release it. Stop that process and try again.`,
			);
		}

		await sleep(lookAgainMs);
	}
}

/**
 * Acquires a lock until it is released or this process ends in any way. Calls `makeRoom` if the disk is full. Throws
 * `UnsafePathError` if another user may have prepared the folder.
 *
 * The lock is a folder of numbered claims, of which the highest counts. A process that finds the highest claim released, or
 * its owner dead, creates the next number, which succeeds for only one. The highest claim is never removed, so that no
 * process can take a lock that another has just taken over.
 */
export async function takeLock(folder: string, makeRoom = async () => {}): Promise<Lock> {
	await makeFolder(folder);
	const {ino: inode} = await stat(path.dirname(folder));
	const own: Claim = {pid: process.pid, birth: processBirth(process.pid), inode};
	for (;;) {
		const highest = await highestClaim(folder);
		const claim = await readClaim(path.join(folder, String(highest)));
		if (claim?.inode === inode && isAlive(claim)) {
			return {holder: claim.pid};
		}

		const file = path.join(folder, String(highest + 1));
		if (await make(file, own, makeRoom)) {
			if ((await highestClaim(folder)) === highest + 1) {
				await removeOthers(folder, file);
				return {release: async () => release(file)};
			}

			await rm(file, {force: true});
		}
	}
}

/** Claims are removed from the folder, so it must not be a link to other files. */
async function makeFolder(folder: string): Promise<void> {
	const known = await lstat(folder).catch(() => undefined);
	if (known?.isSymbolicLink()) {
		throw new UnsafePathError(`${folder} is a symbolic link, which another user may have created. Remove it.`);
	}

	await ensureDirectory(nodeFiles, folder);
	await guardFolder(folder, () => {});
}

async function highestClaim(folder: string): Promise<number> {
	return Math.max(0, ...(await readdir(folder)).map(Number).filter(Number.isInteger));
}

/** Returns undefined for a released, removed or damaged claim. */
async function readClaim(file: string): Promise<Claim | undefined> {
	try {
		return JSON.parse(await readFile(file, 'utf8')) ?? undefined;
	} catch {
		return undefined;
	}
}

/** Creates the claim with its content atomically, by `link`. Returns false if another process was faster. */
async function make(file: string, own: Claim, makeRoom: () => Promise<void>): Promise<boolean> {
	const draft = `${file}.${process.pid}-${process.hrtime.bigint()}`;
	const write = async () => writeFile(draft, JSON.stringify(own), {mode: fileMode});
	try {
		await write().catch(async () => makeRoom().then(write));
		await link(draft, file);
		return true;
	} catch (error) {
		// ENOENT: the holder removed the draft.
		if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') {
			return false;
		}

		throw error;
	} finally {
		await rm(draft, {force: true});
	}
}

/** The folder may have been removed meanwhile. */
async function release(file: string): Promise<void> {
	await truncate(file, 0).catch(error => (errorCode(error) === 'ENOENT' ? undefined : Promise.reject(error)));
}

async function removeOthers(folder: string, file: string): Promise<void> {
	for (const name of await readdir(folder)) {
		if (name !== path.basename(file) && claimName.test(name)) {
			await rm(path.join(folder, name), {force: true});
		}
	}
}
