import {randomBytes} from 'node:crypto';
import {readdir} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {SourceKeeper} from '../../../../src/services/messages/request-sources.js';
import {openTinbox} from '../../../helpers/tinbox.js';

const mebibyte = 1024 * 1024;

test('the mails of a request are moved to disk beyond 4 MiB, are read back unchanged, and leave no files', async () => {
	const {store, dir} = await openTinbox();
	const files = async () => readdir(path.join(dir, 'sources'));
	const before = await files();
	const sources = new SourceKeeper(store.sources).open('ann');
	const mails = Array.from({length: 14}, (_, index) => randomBytes(mebibyte + index));
	const kept = [];
	for (const mail of mails) {
		kept.push(await sources.add(mail));
	}

	expect((await files()).length - before.length).toBe(3);
	expect(kept.map(({head}) => head.buffer.byteLength > mebibyte).filter(Boolean)).toHaveLength(2);
	for (const [index, source] of kept.entries()) {
		expect(source.length).toBe(mails[index]?.length);
		expect((await source.read()).equals(mails[index] ?? Buffer.alloc(0))).toBe(true);
	}

	await sources.discard();
	expect(await files()).toEqual(before);
});

test('requests of one holder leave room on disk for the requests of others', async () => {
	const {store} = await openTinbox();
	const keeper = new SourceKeeper(store.sources);
	const mail = Buffer.alloc(4 * mebibyte);
	let done = 0;
	const send = async (holder: string) => {
		const sources = keeper.open(holder);
		await sources.add(mail);
		await sources.add(mail);
		done += 1;
		return sources;
	};
	const [first, second] = await Promise.all([send('eve'), send('eve')]);
	const waiting = send('eve');
	const other = await send('ann');
	expect(done).toBe(3);
	await first?.discard();
	const third = await waiting;
	await Promise.all([second, third, other].map(async sources => sources.discard()));
});
