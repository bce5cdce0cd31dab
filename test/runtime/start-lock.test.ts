import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {processBirth} from '../../src/lib/process-birth.js';
import {withStartLock} from '../../src/runtime/start-lock.js';
import {tempDir} from '../helpers/temp-dir.js';

const lockFile = async () => path.join(await tempDir(), 'state', 'start.lock');

test('of many only one works at a time, and each gets its turn', async () => {
	const file = await lockFile();
	let inside = 0;
	let most = 0;
	const work = async () => {
		most = Math.max(most, ++inside);
		await new Promise(resolve => setTimeout(resolve, 2));
		inside--;
	};
	await Promise.all(Array.from({length: 12}, () => withStartLock(file, work)));
	expect(most).toBe(1);
	expect(await readdir(path.dirname(file))).toEqual([]);
});

test('the lock is free again after an error', async () => {
	const file = await lockFile();
	await expect(
		withStartLock(file, async () => {
			throw new Error('no');
		}),
	).rejects.toThrow('no');
	expect(await withStartLock(file, async () => 'yes')).toBe('yes');
});

test.each(['{"pid":999999999,"birth":"x"}', `{"pid":${process.pid},"birth":"earlier"}`, '', '{}', 'null', 'not JSON'])(
	'a lock whose holder is dead is taken over: %s',
	async text => {
		const file = await lockFile();
		await mkdir(path.dirname(file), {recursive: true});
		await writeFile(file, text);
		let inside = 0;
		const work = async () => {
			expect(++inside).toBe(1);
			await new Promise(resolve => setTimeout(resolve, 2));
			inside--;
		};
		await Promise.all(Array.from({length: 6}, () => withStartLock(file, work)));
		expect(await readdir(path.dirname(file))).toEqual([]);
	},
);

test('a living holder that does not finish is named', async () => {
	const file = await lockFile();
	const holder = JSON.stringify({pid: process.pid, birth: processBirth(process.pid)});
	await mkdir(path.dirname(file), {recursive: true});
	await writeFile(file, holder);
	await expect(withStartLock(file, async () => {}, 60)).rejects.toThrow(`(process ${process.pid})`);
	expect(await readFile(file, 'utf8')).toBe(holder);
});
