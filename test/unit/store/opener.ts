import {readFile, writeFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {openJsonStore} from '../../../src/store/json/open.js';

/**
 * A process that opens the data directories named on its channel and replies with `open` or the error. An empty name closes the
 * store. With the argument `naive`, it uses a lock that is not taken atomically.
 */
type Opened = {close(): Promise<void>};

const silent = {info() {}, warn() {}, error() {}};
const open = process.argv.includes('naive') ? openNaively : async (dir: string) => openJsonStore({dir, log: silent});
let opened: Opened | undefined;

process.on('message', async (dir: string) => {
	if (dir === '') {
		await opened?.close();
		process.send?.('closed');
		return;
	}

	try {
		opened = await open(dir);
		process.send?.('open');
	} catch (error) {
		process.send?.(error instanceof Error ? error.message : String(error));
	}
});
process.send?.('ready');

async function openNaively(file: string): Promise<Opened> {
	if ((await readFile(file, 'utf8').catch(() => '')) !== '') {
		throw new Error('The lock is held.');
	}

	await sleep(50);
	await writeFile(file, String(process.pid));
	return {close: async () => writeFile(file, '')};
}
