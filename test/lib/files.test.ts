import {mkdir, readdir, stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {ensureDirectory, nodeFiles} from '../../src/lib/files.js';
import {tempDir} from '../helpers/temp-dir.js';

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
