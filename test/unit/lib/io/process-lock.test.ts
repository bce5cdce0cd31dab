import {chown, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {UnsafePathError} from '../../../../src/lib/errors.js';
import {processBirth, withLock} from '../../../../src/lib/io/process-lock.js';
import {tempDir} from '../../../helpers/temp-dir.js';

const lockFolder = async () => path.join(await tempDir(), 'state', 'lock');

/** Creates the claim file of another process. */
async function claim(folder: string, text: string): Promise<void> {
	await mkdir(folder, {recursive: true});
	await writeFile(path.join(folder, '7'), text);
}

test('concurrent holders of a process lock run one at a time, and all of them run', async () => {
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

test('a process lock is released after an error of its holder', async () => {
	const folder = await lockFolder();
	await expect(
		withLock(folder, async () => {
			throw new Error('no');
		}),
	).rejects.toThrow('no');
	expect(await withLock(folder, async () => 'yes')).toBe('yes');
});

test.each(['{"pid":999999999,"birth":"x"}', `{"pid":${process.pid},"birth":"earlier"}`, '', '{}', 'null', 'not JSON'])(
	'a process lock with the claim %s of a dead or unknown holder is taken over',
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

test('the timeout error names a running holder of the lock, whose claim remains', async () => {
	const folder = await lockFolder();
	await mkdir(folder, {recursive: true});
	const {ino: inode} = await stat(path.dirname(folder));
	const holder = JSON.stringify({pid: process.pid, birth: processBirth(process.pid), inode});
	await claim(folder, holder);
	await expect(withLock(folder, async () => {}, 60)).rejects.toThrow(`(process ${process.pid})`);
	expect(await readFile(path.join(folder, '7'), 'utf8')).toBe(holder);
});

test('a symbolic link in place of the lock folder is rejected, and its target is unchanged', async () => {
	const folder = await lockFolder();
	const others = await tempDir();
	await writeFile(path.join(others, '3'), '');
	await mkdir(path.dirname(folder));
	await symlink(others, folder);
	await expect(withLock(folder, async () => {})).rejects.toThrow(
		new UnsafePathError(`${folder} is a symbolic link, which another user may have created. Remove it.`),
	);
	expect(await readdir(others)).toEqual(['3']);
});

test('only claims are removed from the lock folder', async () => {
	const folder = await lockFolder();
	await claim(folder, '');
	await writeFile(path.join(folder, '6.12-34'), '');
	await writeFile(path.join(folder, 'notes'), '');
	await withLock(folder, async () => {});
	expect((await readdir(folder)).sort()).toEqual(['8', 'notes']);
});

// Only root can change the owner of a file.
test.skipIf(process.getuid?.() !== 0)('a lock folder that belongs to another user is rejected', async () => {
	const folder = await lockFolder();
	await claim(folder, '');
	await chown(folder, 54_321, 54_321);
	await expect(withLock(folder, async () => {})).rejects.toThrow(UnsafePathError);
	expect(await readdir(folder)).toEqual(['7']);
});
