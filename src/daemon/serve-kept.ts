import {defaultSettings} from '../config/settings.js';
import {startAll} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import {assemble} from './assemble.js';
import {openResources} from './resources.js';

/**
 * Answers for the data of a daemon that has ended, on a free port of this machine, until `stop`. All is as it was `at` that
 * time: nothing expires, no webhook is sent, and no mail is taken. Rejects when a daemon has the data.
 */
export async function serveKept(dataDir: string, at: Date, log: Log) {
	const settings = {...defaultSettings(dataDir), httpPort: 0, tls: 'off' as const};
	const {http, readingParts} = assemble(settings, {...(await openResources(settings, log)), now: () => at});
	const stop = await startAll(readingParts);
	return {url: http.url, stop};
}
