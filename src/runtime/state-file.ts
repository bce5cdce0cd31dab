import {rm} from 'node:fs/promises';
import path from 'node:path';
import {ensureDirectory, nodeFiles, readPrivateFile, replaceFile} from '../lib/io/files.js';
import type {HostPort} from '../lib/io/hosts.js';
import {isAlive} from '../lib/io/process-lock.js';

/** What a running daemon tells of itself. */
export type DaemonState = {
	readonly pid: number;
	/** With the pid it names the process for good: see lib/io/process-lock.ts. */
	readonly birth: string;
	readonly version: string;
	/** Base address of the API; ends in `/v1`. */
	readonly url: string;
	/** The same over TLS; null where it is not served so. */
	readonly https_url: string | null;
	/** Where this machine reaches it. */
	readonly smtp: HostPort;
	/** Where mail begins with TLS; null where none does. */
	readonly smtps: HostPort | null;
	readonly domain: string;
	readonly data_dir: string;
	/** URL of the database in which all is kept, without its password; null where that is the data directory. */
	readonly store: string | null;
	/** What it was started with, as `TINBOX_*` variables: see `settingsToKeep`. */
	readonly settings: Readonly<Record<string, string>>;
	/** Set while it is a part of the process of `tinbox run`. */
	readonly owner?: 'run' | undefined;
};

/**
 * The daemon that runs now; undefined when none does. A file that a killed daemon left behind does not count: its
 * process is gone, or its pid is somebody else's by now.
 */
export function readState(file: string): DaemonState | undefined {
	const state = parseState(file);
	return state !== undefined && isAlive(state) ? state : undefined;
}

/** Replaces the file as a whole; only its owner can read it or its folder. */
export async function writeState(file: string, state: DaemonState): Promise<void> {
	await ensureDirectory(nodeFiles, path.dirname(file));
	await replaceFile(nodeFiles, file, async draft => draft.writeFile(`${JSON.stringify(state)}\n`));
}

/** Removes the file if it still is this process's own. */
export async function removeState(file: string, {pid, birth}: Pick<DaemonState, 'pid' | 'birth'>): Promise<void> {
	const state = parseState(file);
	if (state?.pid === pid && state.birth === birth) {
		await rm(file, {force: true});
	}
}

function parseState(file: string): DaemonState | undefined {
	try {
		return JSON.parse(readPrivateFile(file));
	} catch {
		// None was written, a full disk cut it, or another user put it there: nobody can be found by it.
		return undefined;
	}
}
