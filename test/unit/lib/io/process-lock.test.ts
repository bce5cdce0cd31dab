import {chown, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {UnsafePathError} from '../../../../src/lib/errors.js';
import {processBirth, withLock} from '../../../../src/lib/io/process-lock.js';
import {tempDir} from '../../../helpers/temp-dir.js';

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

test("a link in the lock's place is refused, and nothing behind it is touched", async () => {
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

test('nothing but claims is removed', async () => {
	const folder = await lockFolder();
	await claim(folder, '');
	await writeFile(path.join(folder, '6.12-34'), '');
	await writeFile(path.join(folder, 'notes'), '');
	await withLock(folder, async () => {});
	expect((await readdir(folder)).sort()).toEqual(['8', 'notes']);
});

// Only root can give files away.
test.skipIf(process.getuid?.() !== 0)('the lock of another user is refused', async () => {
	const folder = await lockFolder();
	await claim(folder, '');
	await chown(folder, 54_321, 54_321);
	await expect(withLock(folder, async () => {})).rejects.toThrow(UnsafePathError);
	expect(await readdir(folder)).toEqual(['7']);
});
