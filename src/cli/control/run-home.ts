import {lstat, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import path from 'node:path';
import {errorCode} from '../../lib/errors.js';
import {ensureDirectory, guardFolder, nodeFiles} from '../../lib/io/files.js';
import {isAlive, type KnownProcess, processBirth} from '../../lib/io/process-lock.js';
import {removeAbandonedFolders, removeTemporaryFolder} from '../../lib/io/temporary-folders.js';
import {isAbandonedHome, privateHome, resolvePaths} from '../../runtime/paths.js';
import {readState} from '../../runtime/state-file.js';
import {usageError} from '../output/exit.js';

/** Creates a temporary home for a run, and removes stale ones. */
export async function makeHome(): Promise<string> {
	await removeNeedless();
	const home = await mkdtemp(path.join(tmpdir(), homePrefix));
	const run = {host: hostname(), pid: process.pid, birth: processBirth(process.pid)};
	await writeFile(path.join(home, runFile), JSON.stringify(run));
	return home;
}

/**
 * Calls `work` with a home that exists as long as the process `pid`; all calls with the same process share it. When the
 * process has ended, each user of the home, including the daemon, removes it, so that the last one leaves nothing. Throws
 * a usage error if the process is not running, or exits during the call.
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

	await removeTemporaryFolder(home);
	throw usageError(`Process ${pid} has exited, and its tinbox daemon was stopped.`);
}

/** Uses a folder of the user as home, and keeps it. Throws a usage error unless it is empty. */
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

/** Marks a home as kept. */
export async function keepHome(home: string): Promise<void> {
	await rm(path.join(home, runFile), {force: true});
}

/** Deletes the content of a folder. */
export async function clearHome(home: string): Promise<void> {
	for (const name of await readdir(home)) {
		await rm(path.join(home, name), {recursive: true, force: true});
	}
}

/** Name prefix of temporary homes. */
const homePrefix = 'tinbox-run-';

/** File in the home of a run that identifies its process; deleted when the home is kept. */
const runFile = 'run.json';

/** Retention of homes after failed runs. */
const keptMs = 24 * 60 * 60 * 1000;

/** Removes homes of killed processes, and expired homes. */
async function removeNeedless(): Promise<void> {
	await removeAbandonedFolders(
		async home =>
			(isAbandonedHome(home) || (path.basename(home).startsWith(homePrefix) && (await isOfEndedRun(home)))) &&
			!hasDaemon(home),
	);
}

/** Checks whether the process of the home has ended, or its retention has expired. */
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
	// On a shared folder, the process may run on another machine or in another container.
	return run.host === hostname() && run.birth !== undefined && !isAlive(run);
}

function hasDaemon(home: string): boolean {
	return readState(resolvePaths({TINBOX_HOME: home}).stateFile) !== undefined;
}
