import type {Stats} from 'node:fs';
import {lstat, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import path from 'node:path';
import {errorCode} from '../../lib/errors.js';
import {ensureDirectory, nodeFiles} from '../../lib/files.js';
import {guardFolder} from '../../lib/private-files.js';
import {isAlive, processBirth} from '../../lib/process-lock.js';
import {homePrefix, homeWhile} from '../../runtime/home-while.js';
import {resolvePaths} from '../../runtime/paths.js';
import {readState} from '../../runtime/state-file.js';
import {usageError} from '../output/exit.js';

/** In each home until it is kept: names the process without which it is needless. */
const runFile = 'run.json';

/** How long homes are kept. */
const keptMs = 24 * 60 * 60 * 1000;

/** Makes a home for one run. Homes of runs that were killed are removed, and those that were kept for a day. */
export async function makeHome(): Promise<string> {
	await removeNeedless();
	const home = await mkdtemp(path.join(tmpdir(), homePrefix));
	await bindHome(home, process.pid, processBirth(process.pid));
	return home;
}

/** The same for as long as that process runs: one for all who ask for it. Throws a usage error when there is no such process. */
export async function makeHomeWhile(pid: number): Promise<string> {
	const birth = processBirth(pid);
	if (birth === undefined) {
		throw usageError(`No process ${pid} runs.`, 'Name one that does, as a shell names itself: --while $$');
	}

	await removeNeedless();
	const home = homeWhile(pid, birth);
	await ensureDirectory(nodeFiles, home);
	await guardFolder(home, () => {});
	await bindHome(home, pid, birth);
	return home;
}

async function bindHome(home: string, pid: number, birth: string | undefined): Promise<void> {
	await writeFile(path.join(home, runFile), JSON.stringify({host: hostname(), pid, birth}));
}

/** Makes a folder of the user's the home of one run, to be kept for good. Throws a usage error when something is in it. */
export async function makeKeptHome(folder: string): Promise<string> {
	const home = path.resolve(folder);
	await ensureDirectory(nodeFiles, home);
	if ((await readdir(home)).length > 0) {
		throw usageError(`The folder ${home} is not empty.`, 'Choose another one with --keep <folder>, or empty it.');
	}

	return home;
}

/** Keeps the home, with what is in it. */
export async function keepHome(home: string): Promise<void> {
	await rm(path.join(home, runFile), {force: true});
}

export async function removeHome(home: string): Promise<void> {
	await rm(home, {recursive: true, force: true});
}

/** Leaves the folder empty. */
export async function clearHome(home: string): Promise<void> {
	for (const name of await readdir(home)) {
		await removeHome(path.join(home, name));
	}
}

/** Never rejects: other runs clean up the same temporary folder at the same time. */
async function removeNeedless(): Promise<void> {
	const names = await readdir(tmpdir()).catch(() => []);
	const homes = names.filter(name => name.startsWith(homePrefix)).map(name => path.join(tmpdir(), name));
	await Promise.all(homes.map(async home => ((await isNeedless(home)) ? removeHome(home) : undefined))).catch(() => {});
}

async function isNeedless(home: string): Promise<boolean> {
	try {
		const folder = await lstat(home);
		const isOwn = folder.isDirectory() && folder.uid === (process.getuid?.() ?? folder.uid);
		return isOwn && ((await isAbandoned(home)) ?? isOld(folder)) && !hasDaemon(home);
	} catch {
		return false;
	}
}

/** Undefined when its run has ended. */
async function isAbandoned(home: string): Promise<boolean | undefined> {
	const text = await readFile(path.join(home, runFile), 'utf8').catch(error => {
		if (errorCode(error) !== 'ENOENT') {
			throw error;
		}
	});
	const run = text === undefined ? undefined : JSON.parse(text);
	// A process of another machine or container, with which the folder is shared, cannot be looked up here.
	return run && run.host === hostname() && run.birth !== undefined && !isAlive(run);
}

/** Whether it was kept long ago. */
function isOld({mtimeMs}: Stats): boolean {
	return Date.now() - mtimeMs > keptMs;
}

function hasDaemon(home: string): boolean {
	return readState(resolvePaths({TINBOX_HOME: home}).stateFile) !== undefined;
}
