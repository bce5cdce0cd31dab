import {mkdir, readdir, readFile, stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {processBirth, withLock} from '../../src/lib/process-lock.js';
import {tempDir} from '../helpers/temp-dir.js';

const lockFolder = async () => path.join(await tempDir(), 'state', 'lock');

/** Claims the lock for somebody else. */
async function claim(folder: string, text: string): Promise<void> {
	await mkdir(folder, {recursive: true});
	await writeFile(path.join(folder, '7'), text);
}

test('of many only one works at a time, and each gets its turn', async () => {
	const folder = await lockFolder();
	let inside = 0;
	let max = 0;
	const work = async () => {
		max = Math.max(max, ++inside);
		await readdir(folder);
		inside--;
	};
	await Promise.all(Array.from({length: 12}, () => withLock(folder, work)));
	expect(max).toBe(1);
	expect(await readdir(folder)).toHaveLength(1);
});

test('the lock is free again after an error', async () => {
	const folder = await lockFolder();
	await expect(
		withLock(folder, async () => {
			throw new Error('no');
		}),
	).rejects.toThrow('no');
	expect(await withLock(folder, async () => 'yes')).toBe('yes');
});

test.each(['{"pid":999999999,"birth":"x"}', `{"pid":${process.pid},"birth":"earlier"}`, '', '{}', 'null', 'not JSON'])(
	'a lock whose holder is dead is taken over: %s',
	async text => {
		const folder = await lockFolder();
		await claim(folder, text);
		let inside = 0;
		const work = async () => {
			expect(++inside).toBe(1);
			await readdir(folder);
			inside--;
		};
		await Promise.all(Array.from({length: 6}, () => withLock(folder, work)));
		expect(await readdir(folder)).toHaveLength(1);
	},
);

test('a living holder that does not finish is named', async () => {
	const folder = await lockFolder();
	await mkdir(folder, {recursive: true});
	const {ino: inode} = await stat(path.dirname(folder));
	const holder = JSON.stringify({pid: process.pid, birth: processBirth(process.pid), inode});
	await claim(folder, holder);
	await expect(withLock(folder, async () => {}, 60)).rejects.toThrow(`(process ${process.pid})`);
	expect(await readFile(path.join(folder, '7'), 'utf8')).toBe(holder);
});
