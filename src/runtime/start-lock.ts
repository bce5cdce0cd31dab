import {link, mkdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {errorCode} from '../lib/error-code.js';
import {isAlive, processBirth} from '../lib/process-birth.js';

const lookAgainMs = 25;

/**
 * Does the work while no other process does work under the same lock. Waits for a living holder, takes over from a
 * dead one, and gives up with an error after `deadlineMs`.
 */
export async function withStartLock<T>(file: string, work: () => Promise<T>, deadlineMs = 60_000): Promise<T> {
	const release = await acquire(file, deadlineMs);
	try {
		return await work();
	} finally {
		await release();
	}
}

async function acquire(file: string, deadlineMs: number): Promise<() => Promise<void>> {
	await mkdir(path.dirname(file), {recursive: true, mode: 0o700});
	const own = `${file}.${process.pid}-${process.hrtime.bigint()}`;
	// Linked into place, so that the lock is never seen without its holder's name.
	await writeFile(own, JSON.stringify({pid: process.pid, birth: processBirth(process.pid)}), {mode: 0o600});
	try {
		const deadline = performance.now() + deadlineMs;
		while (!(await linked(own, file))) {
			await removeIfAbandoned(file, `${own}-taken`);
			if (performance.now() > deadline) {
				throw new Error(
					`Another tinbox (process ${await holderOf(file)}) holds ${file} and does not finish. End it and try again.`,
				);
			}

			await sleep(lookAgainMs);
		}
	} finally {
		await rm(own, {force: true});
	}

	return async () => rm(file, {force: true});
}

async function linked(own: string, file: string): Promise<boolean> {
	try {
		await link(own, file);
		return true;
	} catch (error) {
		if (errorCode(error) === 'EEXIST') {
			return false;
		}

		throw error;
	}
}

async function removeIfAbandoned(file: string, taken: string): Promise<void> {
	const seen = await readFile(file, 'utf8').catch(() => undefined);
	if (seen === undefined || isHeld(seen)) {
		return;
	}

	// Moved before it is removed: somebody faster may have put a new lock in its place, which then goes back.
	await rename(file, taken).catch(() => {});
	const moved = await readFile(taken, 'utf8').catch(() => undefined);
	if (moved !== undefined && moved !== seen) {
		await link(taken, file).catch(() => {});
	}

	await rm(taken, {force: true});
}

function isHeld(lock: string): boolean {
	try {
		return isAlive(JSON.parse(lock));
	} catch {
		return false;
	}
}

async function holderOf(file: string): Promise<string> {
	return /"pid":(\d+)/.exec(await readFile(file, 'utf8').catch(() => ''))?.[1] ?? 'unknown';
}
