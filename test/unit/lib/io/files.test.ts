import {chmod, mkdir, open, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {ensureDirectory, nodeFiles, replaceFile} from '../../../../src/lib/io/files.js';
import {tempDir} from '../../../helpers/temp-dir.js';

test('ensureDirectory creates missing parents with mode 0700 and keeps an existing directory', async () => {
	const folder = path.join(await tempDir(), 'a', 'b', 'c');
	await Promise.all([ensureDirectory(nodeFiles, folder), ensureDirectory(nodeFiles, folder)]);
	expect((await stat(path.dirname(folder))).mode & 0o777).toBe(0o700);
	await mkdir(path.join(folder, 'kept'));
	await ensureDirectory(nodeFiles, folder);
	expect(await readdir(folder)).toEqual(['kept']);
	await ensureDirectory(nodeFiles, '/');
});

test('ensureDirectory rejects a path that is a file or contains one', async () => {
	const file = path.join(await tempDir(), 'file');
	await writeFile(file, '');
	await expect(ensureDirectory(nodeFiles, file)).rejects.toMatchObject({code: 'EEXIST'});
	await expect(ensureDirectory(nodeFiles, path.join(file, 'a', 'b'))).rejects.toMatchObject({code: 'ENOTDIR'});
});

test.runIf(process.platform === 'linux')(
	'ensureDirectory rejects a path where no directory can be created',
	async () => {
		await expect(ensureDirectory(nodeFiles, '/proc/1/x')).rejects.toMatchObject({code: 'ENOENT'});
		await expect(ensureDirectory(nodeFiles, '/proc/1/x/y/z')).rejects.toMatchObject({code: 'ENOENT'});
	},
);

test('replaceFile does not write to an existing draft file or through a symbolic link in its place', async () => {
	const folder = await tempDir();
	const file = path.join(folder, 'token');
	const draft = `${file}.tmp`;
	const target = path.join(folder, 'target');
	await writeFile(target, 'target');
	await symlink(target, draft);
	await replaceFile(nodeFiles, file, async handle => handle.writeFile('first'));
	expect(await readFile(target, 'utf8')).toBe('target');

	await writeFile(draft, '');
	await chmod(draft, 0o666);
	const reader = await open(draft, 'r');
	await replaceFile(nodeFiles, file, async handle => handle.writeFile('second'));
	expect(await reader.readFile('utf8')).toBe('');
	await reader.close();
	expect(await readFile(file, 'utf8')).toBe('second');
	expect((await stat(file)).mode & 0o777).toBe(0o600);
	expect((await readdir(folder)).sort()).toEqual(['target', 'token']);
});
