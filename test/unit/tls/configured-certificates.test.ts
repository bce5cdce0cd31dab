import {execFileSync} from 'node:child_process';
import {rename, rm, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {CertificateError} from '../../../src/lib/errors.js';
import {issueAuthority, issueLeaf} from '../../../src/tls/issue.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {certificateFor, handshakeError, recordingLog, testCertificates} from './test-certificates.js';

const day = 86_400_000;
const validity = (from = -1, to = 30) => ({
	notBefore: new Date(Date.now() + from * day),
	notAfter: new Date(Date.now() + to * day),
});

/** Certificate and key files of a user; `put` replaces both. */
async function userFiles() {
	const folder = await tempDir();
	const files = {certificate: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem')};
	const authority = await issueAuthority('my own', validity());
	const put = async (...names: string[]) => {
		const pair = await issueLeaf(names, validity(), authority);
		await writeFile(files.certificate, pair.certificate + authority.certificate);
		await writeFile(files.key, pair.key);
	};
	return {folder, files, put, ca: authority.certificate};
}

test('each configured certificate is served only for its name', async () => {
	const [one, two] = [await userFiles(), await userFiles()];
	await one.put('mail.example.com');
	await two.put('*.example.com');
	const own = [
		{name: 'Mail.example.com.', ...one.files},
		{name: '*.example.com', ...two.files},
	];
	const {contextFor, ca} = await testCertificates({own});
	expect(await handshakeError(contextFor, {ca: one.ca, servername: 'mail.example.com'})).toBe('');
	expect(await handshakeError(contextFor, {ca: one.ca, servername: 'MAIL.example.com'})).toBe('');
	expect(await handshakeError(contextFor, {ca: two.ca, servername: 'smtp.example.com'})).toBe('');
	expect(await handshakeError(contextFor, {ca, servername: 'localhost'})).toBe('');
	const shown = await Promise.all(
		['a.b.example.com', 'example.com', null].map(name => certificateFor({contextFor} as never, name)),
	);
	expect(shown.map(({subjectAltName}) => subjectAltName?.includes('example.com'))).toEqual([false, false, false]);
});

test('changed certificate files are reloaded, also through changed symbolic links', async () => {
	const {folder, files, put} = await userFiles();
	let at = Date.now();
	const now = () => new Date(at);
	await put('first.example.com');
	const [links, other] = [await tempDir(), await userFiles()];
	const linked = {certificate: path.join(links, 'cert.pem'), key: path.join(links, 'key.pem')};
	await symlink(files.certificate, linked.certificate);
	await symlink(files.key, linked.key);
	const {log, messages} = recordingLog();
	const certificates = await testCertificates({own: [{name: 'mine', ...linked}], now, log});
	const shown = async () => {
		at += 1000;
		return (await certificateFor(certificates, 'mine')).subjectAltName;
	};
	expect(await shown()).toBe('DNS:first.example.com');
	await put('second.example.com');
	expect(await shown()).toBe('DNS:second.example.com');
	await other.put('third.example.com');
	for (const part of ['certificate', 'key'] as const) {
		await symlink(other.files[part], `${linked[part]}.new`);
		await rename(`${linked[part]}.new`, linked[part]);
	}

	expect(await shown()).toBe('DNS:third.example.com');
	expect(messages).toEqual([]);
	expect(folder).not.toBe(links);
});

test('an invalid replacement is logged once, and the previous certificate is kept', async () => {
	const {files, put} = await userFiles();
	let at = Date.now();
	await put('good.example.com');
	const {log, messages} = recordingLog();
	const certificates = await testCertificates({own: [{name: 'mine', ...files}], now: () => new Date(at), log});
	const shown = async () => {
		at += 1000;
		return (await certificateFor(certificates, 'mine')).subjectAltName;
	};
	await writeFile(files.key, 'nothing');
	expect([await shown(), await shown()]).toEqual(['DNS:good.example.com', 'DNS:good.example.com']);
	expect(messages).toEqual([
		`${files.key} is not the private key of ${files.certificate}. The key must be in PEM format, without a passphrase. Keeping the previous certificate`,
	]);
	await rm(files.certificate);
	expect(await shown()).toBe('DNS:good.example.com');
	expect(messages).toHaveLength(2);
	await put('new.example.com');
	expect(await shown()).toBe('DNS:new.example.com');
});

test.each([
	['cert.pem', undefined, 'cert.pem cannot be read: ENOENT'],
	['key.pem', undefined, 'key.pem cannot be read: ENOENT'],
	['cert.pem', 'nothing', 'cert.pem does not contain a certificate in PEM format.'],
	['key.pem', 'nothing', 'key.pem is not the private key of'],
])('a %s that is %s is rejected because %s', async (name, content, reason) => {
	const {folder, files, put} = await userFiles();
	await put('mail.example.com');
	await (content === undefined ? rm(path.join(folder, name)) : writeFile(path.join(folder, name), content));
	const opening = testCertificates({own: [{name: 'mine', ...files}]});
	await expect(opening).rejects.toThrow(CertificateError);
	await expect(opening).rejects.toThrow(path.join(folder, reason));
});

test('a named pipe is rejected as a certificate file', async () => {
	const {files, put} = await userFiles();
	await put('mail.example.com');
	await rm(files.key);
	execFileSync('mkfifo', [files.key]);
	const opening = testCertificates({own: [{name: 'mine', ...files}]});
	await expect(opening).rejects.toThrow(new CertificateError(`${files.key} is not a file.`));
});

test('the key of another certificate is rejected', async () => {
	const [one, two] = [await userFiles(), await userFiles()];
	await one.put('mail.example.com');
	await two.put('mail.example.com');
	const own = [{name: 'mine', certificate: one.files.certificate, key: two.files.key}];
	await expect(testCertificates({own})).rejects.toThrow(
		`${two.files.key} is not the private key of ${one.files.certificate}`,
	);
});

test('a chain that is damaged after its first certificate is rejected', async () => {
	const {files, put} = await userFiles();
	await put('mail.example.com');
	const damaged = '-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----\n';
	const {certificate} = await issueLeaf(['x.test'], validity());
	await writeFile(files.certificate, certificate + damaged);
	await expect(testCertificates({own: [{name: 'mine', ...files}]})).rejects.toThrow(CertificateError);
});

test('an expired configured certificate is served with a warning', async () => {
	const {files} = await userFiles();
	const pair = await issueLeaf(['mail.example.com'], validity(-9, -1));
	await writeFile(files.certificate, pair.certificate);
	await writeFile(files.key, pair.key);
	const {log, messages} = recordingLog();
	const certificates = await testCertificates({own: [{name: 'mine', ...files}], log});
	expect(messages).toEqual([`Certificate ${files.certificate} has expired`]);
	expect((await certificateFor(certificates, 'mine')).subjectAltName).toBe('DNS:mail.example.com');
});

test('the client CA file must contain a certificate', async () => {
	const {files, ca} = await userFiles();
	await writeFile(files.certificate, ca);
	expect((await testCertificates({clientAuthority: files.certificate})).clientAuthority).toBe(ca);
	await writeFile(files.certificate, 'nothing');
	await expect(testCertificates({clientAuthority: files.certificate})).rejects.toThrow(
		`${files.certificate} does not contain a CA certificate in PEM format`,
	);
	await expect(testCertificates({clientAuthority: files.key})).rejects.toThrow(`${files.key} cannot be read: ENOENT`);
});
