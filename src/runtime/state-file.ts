import {rm} from 'node:fs/promises';
import path from 'node:path';
import {ensureDirectory, nodeFiles, readPrivateFile, replaceFile} from '../lib/io/files.js';
import type {HostPort} from '../lib/io/hosts.js';
import {isAlive} from '../lib/io/process-lock.js';

/** Content of the state file of a running daemon. */
export type DaemonState = {
	readonly pid: number;
	/** Start time of the process, see lib/io/process-lock.ts. */
	readonly birth: string;
	readonly version: string;
	/** Base address of the API; ends in `/v1`. */
	readonly url: string;
	/** Base address with TLS; null if TLS is off. */
	readonly https_url: string | null;
	/** SMTP address for clients on this machine. */
	readonly smtp: HostPort;
	/** SMTP address with implicit TLS, or null. */
	readonly smtps: HostPort | null;
	readonly domain: string;
	readonly data_dir: string;
	/** URL of the database without its password; null for the file store. */
	readonly store: string | null;
	/** Settings of the daemon as `TINBOX_*` variables, see `settingsToKeep`. */
	readonly settings: Readonly<Record<string, string>>;
	/** Set if the daemon is part of a `tinbox run` process. */
	readonly owner?: 'run' | undefined;
};

/**
 * State of the running daemon; undefined if none is running. Ignores the file of a killed daemon, even if its pid was
 * reused.
 */
export function readState(file: string): DaemonState | undefined {
	const state = parseState(file);
	return state !== undefined && isAlive(state) ? state : undefined;
}

/** Replaces the file atomically; only its owner can read it. */
export async function writeState(file: string, state: DaemonState): Promise<void> {
	await ensureDirectory(nodeFiles, path.dirname(file));
	await replaceFile(nodeFiles, file, async draft => draft.writeFile(`${JSON.stringify(state)}\n`));
}

/** Removes the file if it still belongs to this process. */
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
		// The file is missing, cut by a full disk, or was created by another user.
		return undefined;
	}
}
