import {readFileSync} from 'node:fs';
import {link, lstat, readdir, readFile, rm, stat, truncate, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {errorCode, UnsafePathError} from '../errors.js';
import {ensureDirectory, fileMode, guardFolder, nodeFiles} from './files.js';

/**
 * When a running process was born, in a form that only serves comparison; undefined when no such process runs.
 * Together with the pid it names a process for good: a reused pid has another birth.
 */
export function processBirth(pid: number): string | undefined {
	try {
		if (process.platform === 'linux') {
			const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
			const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
			// The command's name, in parentheses, may hold spaces: fields count from behind it. Start time is the 22nd.
			const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
			return fields[0] === 'Z' ? undefined : `${boot}:${fields[19]}`;
		}

		process.kill(pid, 0);
		// Loaded only here, where it is needed: every command comes by.
		const {execFileSync} = process.getBuiltinModule('node:child_process');
		return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {encoding: 'utf8'}).trim() || undefined;
	} catch {
		return undefined;
	}
}

/** A process, by its pid and by `processBirth`. */
export type KnownProcess = {readonly pid: number; readonly birth: string};

/** Whether the process that a record names still lives; a record that names none does not. */
export function isAlive(process: {readonly pid?: unknown; readonly birth?: unknown} | null): boolean {
	return (
		typeof process?.pid === 'number' && typeof process.birth === 'string' && processBirth(process.pid) === process.birth
	);
}

/** A lock that was taken, or the pid of the living process that holds it. */
export type Lock = {readonly release: () => Promise<void>} | {readonly holder: number};

/** A copy of the folder around a lock is another one: it has another inode. */
type Claim = {readonly pid: number; readonly birth: string | undefined; readonly inode: number};

/** Of a claim, or of the draft of one. */
const claimName = /^\d+(\.\d+-\d+)?$/;

/** How often a waiter looks whether the lock is free. */
const lookAgainMs = 25;

/**
 * Does the work while no other process, and nobody else in this one, does work under the same lock. Waits for a living
 * holder, takes over from a dead one, and gives up with an error after `deadlineMs`.
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
 * Takes a lock that lasts until it is released or this process ends, however it ends. Only a living process holds it,
 * this one included. `makeRoom` is called when the disk has no room for it.
 *
 * The lock is a folder of numbered claims, of which the highest counts. Whoever finds its maker dead or done adds the
 * next number, which only one can. The highest claim is never removed, so there is no moment in which a late comer
 * could take what somebody else has just taken over. Throws `UnsafePathError` when another user may have prepared the folder.
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

/** Claims are removed from it: it must be the one that was made here, and not a link to somebody's files. */
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

/** Undefined when the claim is done, gone, or was damaged together with the machine. */
async function readClaim(file: string): Promise<Claim | undefined> {
	try {
		return JSON.parse(await readFile(file, 'utf8')) ?? undefined;
	} catch {
		return undefined;
	}
}

/** Linked into place, so that a claim is never seen without its maker; false when somebody was faster. */
async function make(file: string, own: Claim, makeRoom: () => Promise<void>): Promise<boolean> {
	const draft = `${file}.${process.pid}-${process.hrtime.bigint()}`;
	const write = async () => writeFile(draft, JSON.stringify(own), {mode: fileMode});
	try {
		await write().catch(async () => makeRoom().then(write));
		await link(draft, file);
		return true;
	} catch (error) {
		// ENOENT: the holder has swept the draft away.
		if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') {
			return false;
		}

		throw error;
	} finally {
		await rm(draft, {force: true});
	}
}

/** The folder may have been removed as a whole meanwhile, and the lock with it. */
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
