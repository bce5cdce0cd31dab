import {X509Certificate} from 'node:crypto';
import path from 'node:path';
import {describe, expect, test, vi} from 'vitest';
import {createFileSecrets} from '../../../src/store/file-secrets.js';
import {sharedAuthority} from '../../../src/tls/authority.js';
import type {CertificatesOptions} from '../../../src/tls/certificates.js';
import {silent} from '../../helpers/resources.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {certificateFor, handshakeError, recordingLog, testCertificates} from './test-certificates.js';

/** Returns a function that opens the certificates of one more daemon on the same store. */
async function createOpener() {
	const secrets = createFileSecrets(await tempDir(), silent);
	return async (own: Partial<CertificatesOptions> = {}) =>
		testCertificates({folder: path.join(await tempDir(), 'tls'), kept: sharedAuthority(secrets), ...own});
}

const everywhere = {host: '0.0.0.0', hostNames: ['mail.example.com'], domain: 'tinbox.test'};
const machine = (name: string, address: string) => () => ({name, addresses: [address]});

describe('an authority shared by daemons', () => {
	test('is created once on concurrent starts and covers all of them', async () => {
		const open = await createOpener();
		const [one, other] = await Promise.all([
			open({listening: everywhere, machine: machine('one', '10.0.0.1')}),
			open({listening: everywhere, machine: machine('other', '192.168.0.2')}),
		]);
		expect(one.ca).toBe(other.ca);
		for (const {contextFor} of [one, other]) {
			expect(await handshakeError(contextFor, {ca: one.ca, servername: 'mail.example.com'})).toBe('');
		}

		const {messages, log} = recordingLog();
		const later = await open({listening: everywhere, machine: machine('third', '172.16.0.3'), log});
		expect([later.ca, messages]).toEqual([one.ca, []]);
		expect((await certificateFor(later, null)).checkIP('172.16.0.3')).toBe('172.16.0.3');
	});

	test('is replaced for all daemons when one must cover more names', async () => {
		const open = await createOpener();
		let now = new Date();
		const first = await open({listening: everywhere, now: () => now});
		const second = await open({listening: {...everywhere, hostNames: ['mail.example.org']}});
		expect(second.ca).not.toBe(first.ca);
		expect(new X509Certificate(await first.authority()).subject).toBe(new X509Certificate(first.ca).subject);
		now = new Date(now.getTime() + 20_000);
		await vi.waitFor(async () => {
			expect(await handshakeError(first.contextFor, {ca: second.ca, servername: 'localhost'})).toBe('');
		});
		expect(await first.authority()).toBe(second.ca);
	});
});
