import {lstat, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import path from 'node:path';
import {isAlive, processBirth} from '../../lib/process-lock.js';

const prefix = 'tinbox-run-';

/** In each home until it is kept: names the process that has to remove it. */
const runFile = 'run.json';

/** Makes a home for one run. Homes of runs that were killed are removed. */
export async function makeHome(): Promise<string> {
	await removeAbandoned();
	const home = await mkdtemp(path.join(tmpdir(), prefix));
	const run = {host: hostname(), pid: process.pid, birth: processBirth(process.pid)};
	await writeFile(path.join(home, runFile), JSON.stringify(run));
	return home;
}

/** Keeps the home for good, with what is in it. */
export async function keepHome(home: string): Promise<void> {
	await rm(path.join(home, runFile), {force: true});
}

export async function removeHome(home: string): Promise<void> {
	await rm(home, {recursive: true, force: true});
}

/** Never rejects: other runs clean up the same temporary folder at the same time. */
async function removeAbandoned(): Promise<void> {
	const names = await readdir(tmpdir()).catch(() => []);
	const homes = names.filter(name => name.startsWith(prefix)).map(name => path.join(tmpdir(), name));
	await Promise.all(homes.map(async home => ((await isAbandoned(home)) ? removeHome(home) : undefined))).catch(
		() => {},
	);
}

async function isAbandoned(home: string): Promise<boolean> {
	try {
		const folder = await lstat(home);
		const isOwn = folder.isDirectory() && folder.uid === (process.getuid?.() ?? folder.uid);
		const run = JSON.parse(await readFile(path.join(home, runFile), 'utf8'));
		// A process of another machine or container, with which the folder is shared, cannot be looked up here.
		const isKnown = run.host === hostname() && run.birth !== undefined;
		return isOwn && isKnown && !isAlive(run);
	} catch {
		return false;
	}
}
