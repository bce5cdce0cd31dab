import {chmod, mkdir, open, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {ensureDirectory, nodeFiles, replaceFile} from '../../../../src/lib/io/files.js';
import {tempDir} from '../../../helpers/temp-dir.js';

test('a directory is made with those above it, for its owner alone, and kept when it is there', async () => {
	const folder = path.join(await tempDir(), 'a', 'b', 'c');
	await Promise.all([ensureDirectory(nodeFiles, folder), ensureDirectory(nodeFiles, folder)]);
	expect((await stat(path.dirname(folder))).mode & 0o777).toBe(0o700);
	await mkdir(path.join(folder, 'kept'));
	await ensureDirectory(nodeFiles, folder);
	expect(await readdir(folder)).toEqual(['kept']);
	await ensureDirectory(nodeFiles, '/');
});

test('a file in its place, or on the way to it, is an error', async () => {
	const file = path.join(await tempDir(), 'file');
	await writeFile(file, '');
	await expect(ensureDirectory(nodeFiles, file)).rejects.toMatchObject({code: 'EEXIST'});
	await expect(ensureDirectory(nodeFiles, path.join(file, 'a', 'b'))).rejects.toMatchObject({code: 'ENOTDIR'});
});

test.runIf(process.platform === 'linux')('a place where none can be made is an error at once', async () => {
	await expect(ensureDirectory(nodeFiles, '/proc/1/x')).rejects.toMatchObject({code: 'ENOENT'});
	await expect(ensureDirectory(nodeFiles, '/proc/1/x/y/z')).rejects.toMatchObject({code: 'ENOENT'});
});

test('a draft that somebody else has put there is not written to', async () => {
	const folder = await tempDir();
	const file = path.join(folder, 'token');
	const draft = `${file}.tmp`;
	const known = path.join(folder, 'known');
	await writeFile(known, 'known');
	await symlink(known, draft);
	await replaceFile(nodeFiles, file, async handle => handle.writeFile('first'));
	expect(await readFile(known, 'utf8')).toBe('known');

	await writeFile(draft, '');
	await chmod(draft, 0o666);
	const held = await open(draft, 'r');
	await replaceFile(nodeFiles, file, async handle => handle.writeFile('second'));
	expect(await held.readFile('utf8')).toBe('');
	await held.close();
	expect(await readFile(file, 'utf8')).toBe('second');
	expect((await stat(file)).mode & 0o777).toBe(0o600);
	expect((await readdir(folder)).sort()).toEqual(['known', 'token']);
});
