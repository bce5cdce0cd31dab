import {randomUUID} from 'node:crypto';
import type {Stats} from 'node:fs';
import {lstat, mkdtemp, readdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import path from 'node:path';
import {errorCode} from '../../lib/errors.js';
import {ensureDirectory, guardFolder, nodeFiles} from '../../lib/io/files.js';
import {isAlive, type KnownProcess, processBirth} from '../../lib/io/process-lock.js';
import {retry} from '../../lib/time/sleep.js';
import {isAbandonedHome, privateHome, resolvePaths} from '../../runtime/paths.js';
import {readState} from '../../runtime/state-file.js';
import {usageError} from '../output/exit.js';

/** What the names of homes begin with that go by themselves, and of those that are about to. */
const homePrefix = 'tinbox-run-';
const removedPrefix = 'tinbox-removed-';

/** In each home of a run until it is kept: names the process without which it is needless. */
const runFile = 'run.json';

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
async function removeNeedless(): Promise<void> {
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
	} else if (
		(isAbandonedHome(home) || (name.startsWith(homePrefix) && (await isOfEndedRun(home)))) &&
		!hasDaemon(home)
	) {
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

/** Makes a home for one run, and removes those that are needless. */
export async function makeHome(): Promise<string> {
	await removeNeedless();
	const home = await mkdtemp(path.join(tmpdir(), homePrefix));
	const run = {host: hostname(), pid: process.pid, birth: processBirth(process.pid)};
	await writeFile(path.join(home, runFile), JSON.stringify(run));
	return home;
}

/**
 * Works in a home that is there for as long as that process runs: one for all who name it. Each that works there, the daemon
 * too, removes it at last when the process has ended, so that nothing stays whoever is the last. Throws a usage error when there is
 * no such process, or no more.
 */
export async function inHomeWhile<T>(pid: number, work: (home: string, owner: KnownProcess) => Promise<T>): Promise<T> {
	const birth = processBirth(pid);
	if (birth === undefined) {
		throw usageError(
			`Process ${pid} is not running.`,
			'Pass the id of a running process. In a shell script: --until-exit $$',
		);
	}

	await removeNeedless();
	const home = privateHome(pid, birth);
	const owner = {pid, birth};
	try {
		await ensureDirectory(nodeFiles, home);
		await guardFolder(home, () => {});
		const result = await work(home, owner);
		if (isAlive(owner)) {
			return result;
		}
	} catch (error) {
		if (isAlive(owner)) {
			throw error;
		}
	}

	await removeHome(home);
	throw usageError(`Process ${pid} has exited, and its tinbox daemon was stopped.`);
}

/** Makes a folder of the user's the home of one run, to be kept for good. Throws a usage error when something is in it. */
export async function makeKeptHome(folder: string): Promise<string> {
	const home = path.resolve(folder);
	await ensureDirectory(nodeFiles, home);
	if ((await readdir(home)).length > 0) {
		throw usageError(
			`The folder ${home} is not empty.`,
			'Choose another folder with --keep <folder>, or empty this one.',
		);
	}

	return home;
}

/** Keeps the home, with what is in it. */
export async function keepHome(home: string): Promise<void> {
	await rm(path.join(home, runFile), {force: true});
}

/** Leaves the folder empty. */
export async function clearHome(home: string): Promise<void> {
	for (const name of await readdir(home)) {
		await rm(path.join(home, name), {recursive: true, force: true});
	}
}
