import {mkdtemp, readdir, rm, writeFile} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import path from 'node:path';
import {ensureDirectory, guardFolder, nodeFiles} from '../../lib/io/files.js';
import {isAlive, type KnownProcess, processBirth} from '../../lib/io/process-lock.js';
import {homeWhile} from '../../runtime/paths.js';
import {usageError} from '../output/exit.js';
import {homePrefix, removeHome, removeNeedless, runFile} from './remove-home.js';

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
	const home = homeWhile(pid, birth);
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
