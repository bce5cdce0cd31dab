import path from 'node:path';
import {createSecureContext} from 'node:tls';
import fc from 'fast-check';
import {expect, test, vi} from 'vitest';
import {authorityInFolder, DaemonCertificate} from '../../../src/tls/authority.js';
import {issue} from '../../../src/tls/issue.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {heard, shownBy, shownFor, testCertificates, verdictOn} from './tls-test.js';

const day = 86_400_000;

/** A clock that a test turns. */
function turnedClock() {
	let at = Date.now();
	return {
		now: () => new Date(at),
		turn(ms: number) {
			at += ms;
		},
	};
}

test('clients that verify take it under every name and address listened on', async () => {
	const listening = {host: '127.0.0.2', hostNames: ['Mail', 'db.corp.example.'], domain: 'mine.test'};
	const {ca, contextFor} = await testCertificates({listening});
	for (const servername of ['localhost', 'mail', 'db.corp.example', 'mine.test', 'smtp.mine.test']) {
		expect(await verdictOn(contextFor, {ca, servername}), servername).toBe('');
	}

	const shown = await shownFor({contextFor} as never, null);
	expect(['127.0.0.1', '127.0.0.2', '::1'].map(address => shown.checkIP(address))).not.toContain(undefined);
	expect(await verdictOn(contextFor, {ca, servername: 'other.test'})).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

test('a domain for which the authority may not vouch spoils nothing', async () => {
	const listening = {host: '127.0.0.1', hostNames: [], domain: 'example.com'};
	const {ca, contextFor} = await testCertificates({listening});
	expect(await verdictOn(contextFor, {ca, servername: 'localhost'})).toBe('');
	expect(await verdictOn(contextFor, {ca, servername: 'example.com'})).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

test('it is what clients ask of one today', async () => {
	const shown = await shownFor(await testCertificates(), null);
	const {subject, keyUsage, validFrom, validTo, ca, serialNumber} = shown;
	expect({subject, keyUsage, ca}).toEqual({subject: 'O=tinbox', keyUsage: ['1.3.6.1.5.5.7.3.1'], ca: false});
	expect(Date.parse(validTo) - Date.parse(validFrom)).toBe(91 * day);
	expect(Date.parse(validFrom)).toBeLessThan(Date.now());
	expect(serialNumber.length).toBeGreaterThan(20);
});

test('it is kept for the next start', async () => {
	const folder = path.join(await tempDir(), 'tls');
	const [first, second] = [await testCertificates({folder}), await testCertificates({folder})];
	expect((await shownFor(second, null)).fingerprint256).toBe((await shownFor(first, null)).fingerprint256);
});

test('it is renewed while running when 30 days are left, and handshakes do not wait for that', async () => {
	const {now, turn} = turnedClock();
	const certificates = await testCertificates({now});
	const {fingerprint256: first} = await shownFor(certificates, null);
	turn(59 * day);
	expect((await shownFor(certificates, null)).fingerprint256).toBe(first);
	turn(2 * day);
	expect((await shownFor(certificates, null)).fingerprint256).toBe(first);
	await vi.waitFor(async () => expect((await shownFor(certificates, null)).fingerprint256).not.toBe(first));
	expect(Date.parse((await shownFor(certificates, null)).validTo)).toBeGreaterThan(now().getTime() + 89 * day);
});

test('one that ended while the machine slept is never shown', async () => {
	const {now, turn} = turnedClock();
	const certificates = await testCertificates({now});
	turn(200 * day);
	const shown = await Promise.all([shownFor(certificates, null), shownFor(certificates, 'localhost')]);
	expect(shown.map(({validTo}) => Date.parse(validTo) > now().getTime())).toEqual([true, true]);
	expect(shown[0]?.fingerprint256).toBe(shown[1]?.fingerprint256);
});

test('one that is not valid yet, as the clock was set back, is never shown', async () => {
	const {now, turn} = turnedClock();
	const certificates = await testCertificates({now});
	turn(-5 * day);
	const {validFrom} = await shownFor(certificates, null);
	expect(Date.parse(validFrom)).toBeLessThan(now().getTime());
});

test('it is made again when the names change, at the next start and while running', async () => {
	const {now, turn} = turnedClock();
	const folder = path.join(await tempDir(), 'tls');
	const addresses = ['10.0.0.5'];
	const machine = () => ({name: 'box', addresses});
	const listening = {host: '0.0.0.0', hostNames: [], domain: 'tinbox.test'};
	const certificates = await testCertificates({folder, now, machine, listening});
	addresses.push('10.0.0.6', '203.0.113.7');
	turn(10_000);
	await vi.waitFor(async () => expect((await shownFor(certificates, null)).checkIP('10.0.0.6')).toBe('10.0.0.6'));
	// For it the authority would have to be made anew, which nobody trusts: that has time until the next start.
	expect((await shownFor(certificates, null)).checkIP('203.0.113.7')).toBeUndefined();
	await certificates.close();
	const {log, sentences} = heard();
	const next = await testCertificates({folder, now, machine, listening: {...listening, domain: 'b.test'}, log});
	expect((await shownFor(next, null)).checkHost('b.test')).toBe('b.test');
	expect(sentences).toEqual([expect.stringContaining('203.0.113.7/32')]);
});

test('whatever name is asked for gets a certificate, and none of them is kept', async () => {
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

test('what cannot be made is told, and tried again for whoever asks next', async () => {
	const {log, sentences} = heard();
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
	expect(sentences).toEqual(['Creating a certificate failed']);
	expect(shownBy(await certificate.context()).subjectAltName).toBe('DNS:localhost');
	expect(shownBy(await certificate.context()).verify((await certificate.authority()).parsed.publicKey)).toBe(true);
	expect(tries).toBe(2);
});
