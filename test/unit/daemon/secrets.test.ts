import {chmod, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {loadSecret} from '../../../src/daemon/resources.js';
import {UnsafePathError} from '../../../src/lib/errors.js';
import {createFileSecrets} from '../../../src/store/file-secrets.js';
import {silent} from '../../helpers/resources.js';
import {tempDir} from '../../helpers/temp-dir.js';

test('a secret is created once, readable only by its owner', async () => {
	const folder = await tempDir();
	const secret = await loadSecret(createFileSecrets(folder, silent), 'operator-token');
	expect(await loadSecret(createFileSecrets(folder, silent), 'operator-token')).toBe(secret);
	expect((await stat(path.join(folder, 'operator-token'))).mode & 0o777).toBe(0o600);
});

test('a secret that others can read is restricted to its owner, with a warning', async () => {
	const folder = await tempDir();
	const file = path.join(folder, 'token-secret');
	await writeFile(file, 'known\n');
	await chmod(file, 0o644);
	const warnings: string[] = [];
	const log = {...silent, warn: (_: object, message: string) => void warnings.push(message)};
	expect(await loadSecret(createFileSecrets(folder, log), 'token-secret')).toBe('known');
	expect((await stat(file)).mode & 0o777).toBe(0o600);
	expect(warnings).toEqual([expect.stringContaining(file)]);
});

test('a symbolic link in place of a secret is rejected', async () => {
	const folder = await tempDir();
	const known = path.join(folder, 'known');
	await writeFile(known, 'known');
	await symlink(known, path.join(folder, 'operator-token'));
	await expect(loadSecret(createFileSecrets(folder, silent), 'operator-token')).rejects.toThrow(UnsafePathError);
	expect(await readFile(known, 'utf8')).toBe('known');
});

test('a secret is replaced only by a caller that passes its current value', async () => {
	const secrets = createFileSecrets(await tempDir(), silent);
	expect(await secrets.put('name', 'first')).toBe('first');
	expect(await secrets.put('name', 'second')).toBe('first');
	expect(await secrets.put('name', 'second', 'other')).toBe('first');
	expect(await secrets.put('name', 'second', 'first')).toBe('second');
	expect(await secrets.get('name')).toBe('second');
});
