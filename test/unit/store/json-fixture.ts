import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {onTestFinished} from 'vitest';
import type {Log} from '../../../src/lib/log.js';
import {type JsonStoreOptions, openJsonStore} from '../../../src/store/json/open.js';
import type {Store} from '../../../src/store/port.js';

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-store-'));
	onTestFinished(async () => rm(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 100}));
	return folder;
}

export type LogEntry = {
	readonly level: keyof Log;
	readonly message: string;
	readonly fields: Readonly<Record<string, unknown>>;
};

/** A log that records its entries. */
export function recordingLog(): {log: Log; entries: LogEntry[]} {
	const entries: LogEntry[] = [];
	const at = (level: keyof Log) => (fields: Readonly<Record<string, unknown>>, message: string) => {
		entries.push({level, message, fields});
	};
	return {entries, log: {info: at('info'), warn: at('warn'), error: at('error')}};
}

/** Opens a store that is closed after the test. */
export async function openStore(dir: string, options: Partial<JsonStoreOptions> = {}): Promise<Store> {
	const store = await openJsonStore({dir, log: recordingLog().log, ...options});
	onTestFinished(async () => store.close());
	return store;
}
