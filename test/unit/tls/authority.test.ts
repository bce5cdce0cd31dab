import {execFile} from 'node:child_process';
import {X509Certificate} from 'node:crypto';
import {chown, copyFile, mkdir, readFile, stat, truncate, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {createSecureContext} from 'node:tls';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import {UnsafePathError} from '../../../src/lib/errors.js';
import {issueLeaf} from '../../../src/tls/issue.js';
import {constraintsOf} from '../../../src/tls/names.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {certificateFor, handshakeError, recordingLog, testCertificates} from './test-certificates.js';

const day = 86_400_000;
const run = promisify(execFile);
const isInstalled = async (program: string) =>
	run(program, ['version']).then(
		() => true,
		() => false,
	);
const [hasOpenssl, hasGo] = await Promise.all([isInstalled('openssl'), isInstalled('go')]);

const newFolder = async () => path.join(await tempDir(), 'tls');
const modeOf = async (file: string) => (await stat(file)).mode & 0o777;
const listening = (...hostNames: string[]) => ({host: '127.0.0.1', hostNames, domain: 'tinbox.test'});

describe('the certificate authority', () => {
	test('is created once, readable only by its owner', async () => {
		const folder = await newFolder();
		const {ca} = await testCertificates({folder});
		expect((await testCertificates({folder})).ca).toBe(ca);
		expect(await modeOf(folder)).toBe(0o700);
		for (const file of ['ca.pem', 'ca-key.pem', 'cert.pem', 'key.pem']) {
			expect(await modeOf(path.join(folder, file))).toBe(0o600);
		}
	});

	test('names its machine and is constrained to local names', async () => {
		const parsed = new X509Certificate((await testCertificates()).ca);
		expect(parsed.subject).toMatch(/^O=tinbox\nCN=tinbox on box \([0-9a-f]{6}\)$/);
		expect(parsed.ca).toBe(true);
		expect(parsed.publicKey.asymmetricKeyDetails).toEqual({namedCurve: 'prime256v1'});
		expect(constraintsOf(parsed)).toEqual(['localhost', 'test', '127.0.0.0/8', '::1/128']);
	});

	test('is replaced when it must cover more names, and keeps the old ones', async () => {
		const folder = await newFolder();
		const before = await testCertificates({folder});
		const {messages, log} = recordingLog();
		const after = await testCertificates({folder, listening: listening('mail', '10.1.2.3'), log});
		expect(messages).toEqual([
			'Creating a new certificate authority: it must cover mail, 10.0.0.0/8; clients that trusted the old one must trust the new one',
		]);
		const leaf = await certificateFor(after, null);
		expect(leaf.verify(new X509Certificate(after.ca).publicKey)).toBe(true);
		expect(after.ca).not.toBe(before.ca);
		expect(new X509Certificate(after.ca).subject).not.toBe(new X509Certificate(before.ca).subject);
		expect((await testCertificates({folder})).ca).toBe(after.ca);
		expect((await testCertificates({folder, listening: listening('mail')})).ca).toBe(after.ca);
	});

	test('covers the machine and the networks of a listener on all addresses', async () => {
		const machine = () => ({name: 'Box.lan', addresses: ['172.17.0.2', '203.0.113.7', 'fd00::5']});
		const certificates = await testCertificates({listening: {...listening(), host: '0.0.0.0'}, machine});
		expect(constraintsOf(new X509Certificate(certificates.ca))?.slice(4)).toEqual([
			'box.lan',
			'172.16.0.0/12',
			'203.0.113.7/32',
			'fc00::/7',
		]);
		const leaf = await certificateFor(certificates, null);
		expect(leaf.checkHost('box.lan')).toBe('box.lan');
		expect(['172.17.0.2', '203.0.113.7', 'fd00::5'].map(address => leaf.checkIP(address))).not.toContain(undefined);
	});

	test('omits names that no certificate can contain', async () => {
		const certificates = await testCertificates({listening: listening('.', '-', 'a..b', 'x'.repeat(64), 'db_1')});
		expect(constraintsOf(new X509Certificate(certificates.ca))?.slice(4)).toEqual(['-', 'db_1']);
		expect(await handshakeError(certificates.contextFor, {ca: certificates.ca, servername: 'db_1'})).toBe('');
	});

	test('is replaced 180 days before it expires', async () => {
		const folder = await newFolder();
		const {ca} = await testCertificates({folder});
		const ends = Date.parse(new X509Certificate(ca).validTo);
		const later = await testCertificates({folder, now: () => new Date(ends - 181 * day)});
		expect(later.ca).toBe(ca);
		await later.close();
		const {messages, log} = recordingLog();
		expect((await testCertificates({folder, log, now: () => new Date(ends - 179 * day)})).ca).not.toBe(ca);
		expect(messages).toEqual([expect.stringContaining('the old one expires soon')]);
	});

	test.each(['ca.pem', 'ca-key.pem', 'cert.pem', 'key.pem'])(
		'is replaced with a warning if %s is truncated',
		async name => {
			const folder = await newFolder();
			await testCertificates({folder});
			await truncate(path.join(folder, name), 20);
			const {messages, log} = recordingLog();
			const certificates = await testCertificates({folder, log});
			expect(messages).toEqual([expect.stringMatching(/pem and .*pem are damaged; creating new ones$/)]);
			expect(await handshakeError(certificates.contextFor, {ca: certificates.ca, servername: 'localhost'})).toBe('');
		},
	);

	test('is replaced if it was created while the clock was ahead', async () => {
		const folder = await newFolder();
		const ahead = await testCertificates({folder, now: () => new Date(Date.now() + 400 * day)});
		await ahead.close();
		const {messages, log} = recordingLog();
		const {ca, contextFor} = await testCertificates({folder, log});
		expect(ca).not.toBe(ahead.ca);
		expect(messages).toEqual([expect.stringContaining('the old one was created while the clock was ahead')]);
		expect(await handshakeError(contextFor, {ca, servername: 'localhost'})).toBe('');
	});

	test('is replaced if its key belongs to another authority', async () => {
		const [folder, other] = [await newFolder(), await newFolder()];
		await testCertificates({folder});
		await testCertificates({folder: other});
		await copyFile(path.join(other, 'ca-key.pem'), path.join(folder, 'ca-key.pem'));
		const {messages, log} = recordingLog();
		await testCertificates({folder, log});
		expect(messages).toEqual([expect.stringContaining('ca-key.pem are damaged')]);
	});

	test('works with a warning if it cannot be saved', async () => {
		const folder = await newFolder();
		await mkdir(path.join(folder, 'ca-key.pem.tmp'), {recursive: true});
		const {messages, log} = recordingLog();
		const certificates = await testCertificates({folder, log});
		expect(messages).toEqual([expect.stringContaining('ca.pem could not be saved for the next start')]);
		expect(await handshakeError(certificates.contextFor, {ca: certificates.ca, servername: 'localhost'})).toBe('');
	});

	test.skipIf(process.getuid?.() !== 0).each(['ca.pem', 'ca-key.pem', 'cert.pem', 'key.pem', '.'])(
		'is rejected if another user owns %s',
		async name => {
			const folder = await newFolder();
			await testCertificates({folder});
			await chown(path.join(folder, name), 54_321, 54_321);
			await expect(testCertificates({folder})).rejects.toThrow(UnsafePathError);
		},
	);
});

/** Issues a certificate with the key of the authority, as a thief of the key could. */
async function issueWithStolenKey(...names: string[]) {
	const folder = await newFolder();
	const {ca} = await testCertificates({folder});
	const key = await readFile(path.join(folder, 'ca-key.pem'), 'utf8');
	const validity = {notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day)};
	const leaf = await issueLeaf(names, validity, {certificate: ca, key});
	return {folder, ca, leaf};
}

describe('a certificate issued with a stolen authority key', () => {
	test.each([
		['localhost', ''],
		['shop.test', ''],
		['127.1.2.3', ''],
		['example.com', 'permitted subtree violation'],
		['localhost.example.com', 'permitted subtree violation'],
		['203.0.113.7', 'permitted subtree violation'],
		['2001:db8::1', 'permitted subtree violation'],
	])('is verified by Node.js within the name constraints: %s "%s"', async (name, verdict) => {
		const {ca, leaf} = await issueWithStolenKey(name);
		const context = createSecureContext({cert: leaf.certificate, key: leaf.key, ca});
		// Skips the host name check, which follows the chain verification.
		const options = {ca, servername: 'localhost', checkServerIdentity: () => undefined};
		expect(await handshakeError(async () => context, options)).toBe(verdict);
	});

	test.skipIf(!hasOpenssl).each([
		['shop.test', true],
		['127.0.0.1', true],
		['example.com', false],
		['203.0.113.7', false],
	])('is verified by OpenSSL within the name constraints: %s %s', async (name, isTaken) => {
		const {folder, leaf} = await issueWithStolenKey(name);
		const file = path.join(folder, 'leaf.pem');
		await writeFile(file, leaf.certificate);
		const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', path.join(folder, 'ca.pem'), file];
		const verdict = run('openssl', args).then(
			({stdout}) => stdout,
			({stderr}) => stderr,
		);
		expect(await verdict).toContain(isTaken ? `${file}: OK` : 'permitted subtree violation');
	});

	// Go compiles its standard library on first use.
	test.skipIf(!hasGo)('is verified by Go within the name constraints', {timeout: 300_000}, async () => {
		const verify = path.join(await tempDir(), 'verify');
		await run('go', ['build', '-o', verify, path.join(import.meta.dirname, 'verify.go')]);
		const verdicts = ['shop.test', '127.0.0.1', 'example.com', '203.0.113.7'].map(async name => {
			const {folder, leaf} = await issueWithStolenKey(name);
			const file = path.join(folder, 'leaf.pem');
			await writeFile(file, leaf.certificate);
			return (await run(verify, [path.join(folder, 'ca.pem'), file])).stdout;
		});
		expect(await Promise.all(verdicts)).toEqual([
			'<nil>\n',
			'<nil>\n',
			expect.stringContaining('"example.com" is not permitted by any constraint'),
			expect.stringContaining('"203.0.113.7" is not permitted by any constraint'),
		]);
	});
});
