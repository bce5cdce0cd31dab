/**
 * Operations of the suite `copy-kills` on data folders: `copy-store.js fill <folder> <messages>` creates one with rows of all
 * kinds, `digest <folder>` prints a digest of each table, and `delete <folder>` deletes a message.
 */
import fc from 'fast-check';
import {digestOf} from '../../../src/store/copy.js';
import {dumpTables} from '../../../src/store/dump.js';
import {openJsonStore} from '../../../src/store/json/open.js';
import type {Store} from '../../../src/store/port.js';
import {anyContent, fill, fullContent} from '../../unit/store/copy-rows.js';

const [verb = '', dir = '', messages = '0'] = process.argv.slice(2);
const print = (_: unknown, message: string) => console.error(message);

const work: Readonly<Record<string, (store: Store) => Promise<void>>> = {
	async fill(store) {
		for (const content of [...fc.sample(anyContent, {seed: 17, numRuns: 20}), fullContent(Number(messages))]) {
			await fill(store, content);
		}
	},
	async digest(store) {
		const digests = await Promise.all(
			dumpTables.map(async table => [table, await digestOf(store, table, () => {})] as const),
		);
		console.log(JSON.stringify(Object.fromEntries(digests)));
	},
	async delete({dump, messages}) {
		for await (const [message] of dump.read('messages', 0)) {
			await messages.delete(message?.id ?? '');
			break;
		}
	},
};

const store = await openJsonStore({dir, log: {info: () => {}, warn: print, error: print}, isForCopy: true});
await work[verb]?.(store);
await store.close();
