import {randomUUID} from 'node:crypto';
import type {Stats} from 'node:fs';
import {lstat, readdir, readFile, rename, rm} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import path from 'node:path';
import {errorCode} from '../../lib/errors.js';
import {isAlive} from '../../lib/io/process-lock.js';
import {retry} from '../../lib/time/sleep.js';
import {isHomeOfEnded, resolvePaths} from '../../runtime/paths.js';
import {readState} from '../../runtime/state-file.js';

/** What the names of homes begin with that go by themselves, and of those that are about to. */
export const homePrefix = 'tinbox-run-';
const removedPrefix = 'tinbox-removed-';

/** In each home of a run until it is kept: names the process without which it is needless. */
export const runFile = 'run.json';

/** How long homes are kept. */
const keptMs = 24 * 60 * 60 * 1000;

/** Removes it at one go: whoever still works there finds nothing, and cannot keep the folder from being removed. */
export async function removeHome(home: string): Promise<void> {
	const removed = path.join(path.dirname(home), removedPrefix + randomUUID());
	try {
		await rename(home, removed);
	} catch (error) {
		if (errorCode(error) === 'ENOENT') {
			return;
		}

		throw error;
	}

	await removeAll(removed);
}

/** Removes what is there, also when others are about to do the same. */
async function removeAll(folder: string): Promise<void> {
	await retry(async () => rm(folder, {recursive: true, force: true}), {minMs: 10, maxMs: 200, maxTries: 10});
}

/** Removes homes of processes that were killed, and those that were kept for a day. Never rejects: other runs do the same at the same time. */
export async function removeNeedless(): Promise<void> {
	const names = await readdir(tmpdir()).catch(() => []);
	await Promise.all(names.map(async name => removeIfNeedless(path.join(tmpdir(), name)).catch(() => {})));
}

async function removeIfNeedless(home: string): Promise<void> {
	const name = path.basename(home);
	if (!name.startsWith('tinbox-') || !isOwn(await lstat(home))) {
		return;
	}

	if (name.startsWith(removedPrefix)) {
		await removeAll(home);
	} else if ((isHomeOfEnded(home) || (name.startsWith(homePrefix) && (await isOfEndedRun(home)))) && !hasDaemon(home)) {
		await removeHome(home);
	}
}

function isOwn(folder: Stats): boolean {
	return folder.isDirectory() && folder.uid === (process.getuid?.() ?? folder.uid);
}

/** Whether the run was killed, or its home was kept long ago. */
async function isOfEndedRun(home: string): Promise<boolean> {
	const text = await readFile(path.join(home, runFile), 'utf8').catch(error => {
		if (errorCode(error) !== 'ENOENT') {
			throw error;
		}
	});
	if (text === undefined) {
		return Date.now() - (await lstat(home)).mtimeMs > keptMs;
	}

	const run = JSON.parse(text);
	// A process of another machine or container, with which the folder is shared, cannot be looked up here.
	return run.host === hostname() && run.birth !== undefined && !isAlive(run);
}

function hasDaemon(home: string): boolean {
	return readState(resolvePaths({TINBOX_HOME: home}).stateFile) !== undefined;
}
