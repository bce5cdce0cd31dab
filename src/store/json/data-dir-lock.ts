import {randomUUID} from 'node:crypto';
import {link, mkdir, readdir, readFile, rm, stat, truncate, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {DataDirError} from '../../lib/data-dir-error.js';
import {errorCode} from '../../lib/error-code.js';
import {processBirth} from '../../lib/process-birth.js';
import {directoryMode, fileMode} from './files.js';
import type {Layout} from './layout.js';

/** Who holds a data directory. A copy of the directory is another one: it has another inode. */
type Holder = {readonly pid: number; readonly birth: string | undefined; readonly inode: number};

/**
 * Takes the data directory for this process; the result gives it back. Throws `DataDirError` while a living process
 * holds it, this one included.
 *
 * The lock is a folder of numbered claims, of which the highest counts. Whoever finds its maker dead or done adds the
 * next number, which only one can. The highest claim is never removed, so there is no moment in which a late comer
 * could take what somebody else has just taken over.
 */
export async function lockDataDir({dir, lock: folder, reserve}: Layout): Promise<() => Promise<void>> {
	await mkdir(folder, {recursive: true, mode: directoryMode});
	const own: Holder = {pid: process.pid, birth: processBirth(process.pid), inode: (await stat(dir)).ino};
	for (;;) {
		const highest = await highestClaim(folder);
		const holder = await holderOf(path.join(folder, String(highest)));
		if (holder && isHeld(holder, own.inode)) {
			throw new DataDirError(
				`The data directory ${dir} is in use by process ${holder.pid}. Stop that daemon, or choose another directory.`,
			);
		}

		const claim = path.join(folder, String(highest + 1));
		if (await make(claim, own, reserve)) {
			if ((await highestClaim(folder)) === highest + 1) {
				await removeOthers(folder, claim);
				return async () => truncate(claim, 0);
			}

			await rm(claim, {force: true});
		}
	}
}

async function highestClaim(folder: string): Promise<number> {
	return Math.max(0, ...(await readdir(folder)).map(Number).filter(Number.isInteger));
}

/** Undefined when the claim is done, gone, or was damaged together with the machine. */
async function holderOf(claim: string): Promise<Holder | undefined> {
	try {
		return JSON.parse(await readFile(claim, 'utf8'));
	} catch {
		return undefined;
	}
}

function isHeld({pid, birth, inode}: Holder, ownInode: number): boolean {
	return inode === ownInode && birth !== undefined && processBirth(pid) === birth;
}

/** Linked into place, so that a claim is never seen without its maker; false when somebody was faster. */
async function make(claim: string, own: Holder, reserve: string): Promise<boolean> {
	const draft = `${claim}.${randomUUID()}`;
	const write = async () => writeFile(draft, JSON.stringify(own), {mode: fileMode});
	try {
		// On a full disk, what is kept back makes room: nobody holds the directory, and it can be kept back again.
		await write().catch(async () => rm(reserve, {force: true}).then(write));
		await link(draft, claim);
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

async function removeOthers(folder: string, claim: string): Promise<void> {
	for (const name of await readdir(folder)) {
		if (name !== path.basename(claim)) {
			await rm(path.join(folder, name), {force: true});
		}
	}
}
