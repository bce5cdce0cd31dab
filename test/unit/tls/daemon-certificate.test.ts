import path from 'node:path';
import {createSecureContext} from 'node:tls';
import fc from 'fast-check';
import {expect, test, vi} from 'vitest';
import {authorityInFolder, DaemonCertificate} from '../../../src/tls/authority.js';
import {issue} from '../../../src/tls/issue.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {certificateFor, certificateOf, handshakeError, recordingLog, testCertificates} from './test-certificates.js';

const day = 86_400_000;

/** Clock that a test can change. */
function adjustableClock() {
	let at = Date.now();
	return {
		now: () => new Date(at),
		advance(ms: number) {
			at += ms;
		},
	};
}

test('the daemon certificate is valid for every host name and address of the listener', async () => {
	const listening = {host: '127.0.0.2', hostNames: ['Mail', 'db.corp.example.'], domain: 'mine.test'};
	const {ca, contextFor} = await testCertificates({listening});
	for (const servername of ['localhost', 'mail', 'db.corp.example', 'mine.test', 'smtp.mine.test']) {
		expect(await handshakeError(contextFor, {ca, servername}), servername).toBe('');
	}

	const served = await certificateFor({contextFor} as never, null);
	expect(['127.0.0.1', '127.0.0.2', '::1'].map(address => served.checkIP(address))).not.toContain(undefined);
	expect(await handshakeError(contextFor, {ca, servername: 'other.test'})).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

test('a domain outside the constraints of the authority is omitted from the certificate', async () => {
	const listening = {host: '127.0.0.1', hostNames: [], domain: 'example.com'};
	const {ca, contextFor} = await testCertificates({listening});
	expect(await handshakeError(contextFor, {ca, servername: 'localhost'})).toBe('');
	expect(await handshakeError(contextFor, {ca, servername: 'example.com'})).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

test('the daemon certificate has the fields that clients require', async () => {
	const served = await certificateFor(await testCertificates(), null);
	const {subject, keyUsage, validFrom, validTo, ca, serialNumber} = served;
	expect({subject, keyUsage, ca}).toEqual({subject: 'O=tinbox', keyUsage: ['1.3.6.1.5.5.7.3.1'], ca: false});
	expect(Date.parse(validTo) - Date.parse(validFrom)).toBe(91 * day);
	expect(Date.parse(validFrom)).toBeLessThan(Date.now());
	expect(serialNumber.length).toBeGreaterThan(20);
});

test('the daemon certificate is kept across restarts', async () => {
	const folder = path.join(await tempDir(), 'tls');
	const [first, second] = [await testCertificates({folder}), await testCertificates({folder})];
	expect((await certificateFor(second, null)).fingerprint256).toBe((await certificateFor(first, null)).fingerprint256);
});

test('the daemon certificate is renewed 30 days before it expires, without delaying handshakes', async () => {
	const {now, advance} = adjustableClock();
	const certificates = await testCertificates({now});
	const {fingerprint256: first} = await certificateFor(certificates, null);
	advance(59 * day);
	expect((await certificateFor(certificates, null)).fingerprint256).toBe(first);
	advance(2 * day);
	expect((await certificateFor(certificates, null)).fingerprint256).toBe(first);
	await vi.waitFor(async () => expect((await certificateFor(certificates, null)).fingerprint256).not.toBe(first));
	expect(Date.parse((await certificateFor(certificates, null)).validTo)).toBeGreaterThan(now().getTime() + 89 * day);
});

test('a certificate that expired while the machine slept is never served', async () => {
	const {now, advance} = adjustableClock();
	const certificates = await testCertificates({now});
	advance(200 * day);
	const served = await Promise.all([certificateFor(certificates, null), certificateFor(certificates, 'localhost')]);
	expect(served.map(({validTo}) => Date.parse(validTo) > now().getTime())).toEqual([true, true]);
	expect(served[0]?.fingerprint256).toBe(served[1]?.fingerprint256);
});

test('a certificate that is not valid yet because the clock was set back is never served', async () => {
	const {now, advance} = adjustableClock();
	const certificates = await testCertificates({now});
	advance(-5 * day);
	const {validFrom} = await certificateFor(certificates, null);
	expect(Date.parse(validFrom)).toBeLessThan(now().getTime());
});

test('the daemon certificate is reissued when its names change, on restart and while running', async () => {
	const {now, advance} = adjustableClock();
	const folder = path.join(await tempDir(), 'tls');
	const addresses = ['10.0.0.5'];
	const machine = () => ({name: 'box', addresses});
	const listening = {host: '0.0.0.0', hostNames: [], domain: 'tinbox.test'};
	const certificates = await testCertificates({folder, now, machine, listening});
	addresses.push('10.0.0.6', '203.0.113.7');
	advance(10_000);
	await vi.waitFor(async () => expect((await certificateFor(certificates, null)).checkIP('10.0.0.6')).toBe('10.0.0.6'));
	// An address outside the constraints needs a new authority, which is created only at the next start.
	expect((await certificateFor(certificates, null)).checkIP('203.0.113.7')).toBeUndefined();
	await certificates.close();
	const {log, messages} = recordingLog();
	const next = await testCertificates({folder, now, machine, listening: {...listening, domain: 'b.test'}, log});
	expect((await certificateFor(next, null)).checkHost('b.test')).toBe('b.test');
	expect(messages).toEqual([expect.stringContaining('203.0.113.7/32')]);
});

test('every server name gets the same certificate, except the names with wrong certificates', async () => {
	const {contextFor} = await testCertificates();
	const usual = await contextFor(null);
	const name = fc.oneof(
		fc.string(),
		fc.domain(),
		fc.ipV6(),
		fc.stringMatching(/^(expired|old-tls|untrusted|\*)?\.{0,2}(test|localhost|tinbox\.test|fe80::1%\w)?\.?$/),
		fc.string({unit: 'binary', maxLength: 300}),
	);
	await fc.assert(
		fc.asyncProperty(name, async servername => {
			const isWrong = /^(expired|old-tls|untrusted)\.(localhost|tinbox\.test)\.?$/i.test(servername);
			expect((await contextFor(servername)) === usual).toBe(!isWrong);
		}),
	);
});

test('a failed creation of a certificate is logged and retried on the next request', async () => {
	const {log, messages} = recordingLog();
	const folder = await tempDir();
	let tries = 0;
	const certificate = new DaemonCertificate(
		{
			folder,
			kept: authorityInFolder(folder, log),
			names: () => ['localhost'],
			async issue(order) {
				tries++;
				return tries === 1 ? Promise.reject(new Error('no thread')) : issue(order);
			},
			createContext: ({certificate, key}) => createSecureContext({cert: certificate, key}),
			now: () => new Date(),
			log,
		},
		{
			commonName: 'box',
			validity: {notBefore: new Date(), notAfter: new Date(Date.now() + 365 * day)},
			subtrees: ['localhost'],
		},
	);
	await expect(certificate.context()).rejects.toThrow('it could not be created');
	expect(messages).toEqual(['Creating a certificate failed']);
	expect(certificateOf(await certificate.context()).subjectAltName).toBe('DNS:localhost');
	expect(certificateOf(await certificate.context()).verify((await certificate.authority()).parsed.publicKey)).toBe(
		true,
	);
	expect(tries).toBe(2);
});
