import {chmod, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {authorityFolders, findSystemStore, keepAuthority, systemRoots} from '../../../../src/cli/trust.js';
import {issueAuthority} from '../../../../src/tls/issue.js';
import {tempDir} from '../../../helpers/temp-dir.js';

const keychain = '/Library/Keychains/System.keychain';
const validity = {notBefore: new Date(), notAfter: new Date(Date.now() + 86_400_000)};

/** An environment with a `security` command that prints this text and its arguments. */
async function withSecurity(printed: string) {
	const folder = await tempDir();
	const command = path.join(folder, 'security');
	await writeFile(command, `#!/bin/sh\necho '${printed}'\necho "$@"\n`);
	await chmod(command, 0o755);
	return {PATH: folder};
}

test('the system roots on macOS come from the system and the administrator keychain', async () => {
	expect(await systemRoots(await withSecurity('PEM'), 'darwin')).toBe(
		`PEM\nfind-certificate -a -p /System/Library/Keychains/SystemRootCertificates.keychain ${keychain}\n`,
	);
});

test('the macOS trust store adds the certificate authority to the keychain and removes it completely', async () => {
	const {certificate} = await issueAuthority('tinbox on box', validity, ['test']);
	const trustDir = await tempDir();
	await writeFile(path.join(trustDir, '.DS_Store'), '');
	const folder = await keepAuthority(certificate, {trustDir});
	expect(await authorityFolders({trustDir})).toEqual([folder]);
	const file = path.join(folder, 'authority.pem');
	const store = await findSystemStore(await withSecurity('SHA-1 hash: 00'), 'darwin');
	expect(store?.add(folder)).toEqual([['security', 'add-trusted-cert', '-d', '-r', 'trustRoot', '-k', keychain, file]]);
	const lines = (await store?.remove(folder)) ?? [];
	const [sha1 = ''] = lines[1]?.slice(3, 4) ?? [];
	expect(lines).toEqual([
		['security', 'remove-trusted-cert', '-d', file],
		['security', 'delete-certificate', '-Z', expect.stringMatching(/^[\dA-F]{40}$/), keychain],
	]);
	expect(await store?.has(folder)).toBe(false);
	const after = await findSystemStore(await withSecurity(`SHA-1 hash: ${sha1}`), 'darwin');
	expect(await after?.has(folder)).toBe(true);
});

test('a platform without a supported trust store has none', async () => {
	expect(await findSystemStore({PATH: ''}, 'win32')).toBeUndefined();
});
