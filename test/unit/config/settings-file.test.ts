import {chown, mkdir, readFile, stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {forgetProfile, keepCredentials, keepProfile, readSettingsFile} from '../../../src/config/settings-file.js';
import {tempDir} from '../../helpers/temp-dir.js';

test('a missing settings file yields no settings', async () => {
	expect(readSettingsFile(path.join(await tempDir(), 'config.json'))).toEqual({});
});

test.each(['{', '[]', '"text"', 'null', ''])(
	'a settings file that contains %j is rejected with its path in the error',
	async text => {
		const file = path.join(await tempDir(), 'config.json');
		await writeFile(file, text);
		expect(() => readSettingsFile(file)).toThrow(`The settings file ${file} is not a JSON object.`);
	},
);

test('credentials are saved by data directory beside other settings, readable only by the owner', async () => {
	const file = path.join(await tempDir(), 'own', 'config.json');
	const ann = {userId: 'ann', apiKey: 'tbx_live_a'};
	const bob = {userId: 'bob', apiKey: 'tbx_live_b'};
	await keepCredentials(file, '/home/ann/.local/data', ann);
	const kept = JSON.parse(await readFile(file, 'utf8'));
	await writeFile(file, JSON.stringify({...kept, daemon: {smtpPort: 2525}}));
	await keepCredentials(file, '/tmp/b', bob);
	expect(readSettingsFile(file)).toEqual({
		daemon: {smtpPort: 2525},
		credentials: {'/home/ann/.local/data': ann, '/tmp/b': bob},
	});
	expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('profiles are saved and removed by name', async () => {
	const file = path.join(await tempDir(), 'own', 'config.json');
	const credentials = {userId: 'ann', apiKey: 'tbx_live_a'};
	await keepCredentials(file, '/data', credentials);
	await keepProfile(file, 'ann@example.com', {token: 'old'});
	await keepProfile(file, 'ann@example.com', {token: 'a', url: 'http://127.0.0.1:8025/v1'});
	await keepProfile(file, 'bob', {token: 'b', apiKey: 'tbx_live_b', keyId: 'k'});
	expect(readSettingsFile(file)).toEqual({
		credentials: {'/data': credentials},
		profiles: {
			'ann@example.com': {token: 'a', url: 'http://127.0.0.1:8025/v1'},
			bob: {token: 'b', apiKey: 'tbx_live_b', keyId: 'k'},
		},
	});
	await forgetProfile(file, 'ann@example.com');
	await forgetProfile(file, 'nobody');
	expect(readSettingsFile(file).profiles).toEqual({bob: {token: 'b', apiKey: 'tbx_live_b', keyId: 'k'}});
	expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('saving a profile restricts an existing settings folder to its owner', async () => {
	const folder = path.join(await tempDir(), 'config');
	await mkdir(folder, {mode: 0o755});
	await keepProfile(path.join(folder, 'config.json'), 'ann', {token: 'a'});
	expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

// Only root can change the owner of a file.
test.skipIf(process.getuid?.() !== 0)('a settings file that belongs to another user is rejected', async () => {
	const file = path.join(await tempDir(), 'config.json');
	await writeFile(file, '{}');
	await chown(file, 54_321, 54_321);
	expect(() => readSettingsFile(file)).toThrow('belongs to another user');
});
