import {existsSync} from 'node:fs';
import path from 'node:path';
import {StoreError} from '../lib/errors.js';
import type {Log} from '../lib/log.js';
import {createParser} from '../mime/parser.js';
import {type CopyOptions, type CopyReport, copyStore} from '../store/copy.js';
import {openJsonStore} from '../store/json/open.js';
import type {Store} from '../store/store.js';

export type CopyPlaces = {
	/** A data directory, or the URL of a database. */
	readonly from: string;
	readonly to: string;
	readonly log: Log;
};

/**
 * Copies a store of which no daemon makes use, as `copyStore` does. Throws `StoreError` or `DataDirError`, with a sentence, when
 * one of the places cannot be used.
 */
export async function copyBetween(
	{from, to, log}: CopyPlaces,
	follow: Pick<CopyOptions, 'onProgress' | 'signal'>,
): Promise<CopyReport> {
	assertStore(from);
	return withStore(from, log, async source =>
		withStore(to, log, async target => copyStore({from: source, to: target, ...follow})),
	);
}

async function withStore<T>(place: string, log: Log, work: (store: Store) => Promise<T>): Promise<T> {
	const parser = createParser();
	try {
		const summarize = async (mail: Buffer) => parser.summarize('store', mail);
		const store = await openJsonStore({dir: place, log, summarize, isForCopy: true});
		try {
			return await work(store);
		} finally {
			await store.close();
		}
	} finally {
		await parser.stop();
	}
}

/** A folder that is none yet would be made one. */
function assertStore(folder: string): void {
	if (!existsSync(path.join(folder, 'journal'))) {
		throw new StoreError(`There is no store in ${path.resolve(folder)}. A data directory has a folder "journal".`);
	}
}
