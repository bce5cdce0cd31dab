import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {onTestFinished} from 'vitest';
import type {Log} from '../../../src/lib/log.js';
import {type JsonStoreOptions, openJsonStore} from '../../../src/store/json/open.js';
import type {Store} from '../../../src/store/port.js';

/** A folder that goes when the test is over. */
export async function temporaryFolder(): Promise<string> {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-store-'));
	onTestFinished(async () => rm(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 100}));
	return folder;
}

export type Said = {
	readonly level: keyof Log;
	readonly message: string;
	readonly fields: Readonly<Record<string, unknown>>;
};

/** A log that remembers what was said. */
export function rememberingLog(): {log: Log; said: Said[]} {
	const said: Said[] = [];
	const at = (level: keyof Log) => (fields: Readonly<Record<string, unknown>>, message: string) => {
		said.push({level, message, fields});
	};
	return {said, log: {info: at('info'), warn: at('warn'), error: at('error')}};
}

/** Opens a store that is closed when the test is over. */
export async function openStore(dir: string, options: Partial<JsonStoreOptions> = {}): Promise<Store> {
	const store = await openJsonStore({dir, log: rememberingLog().log, ...options});
	onTestFinished(async () => store.close());
	return store;
}
