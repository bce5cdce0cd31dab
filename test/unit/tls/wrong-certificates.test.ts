import {describe, expect, test} from 'vitest';
import {certificateFor, handshake, handshakeError, testCertificates} from './test-certificates.js';

const domains = ['tinbox.test', 'localhost', 'mail'];
const listening = {host: '127.0.0.1', hostNames: ['mail'], domain: 'tinbox.test'};

describe.each(domains)('a TLS client below %s', domain => {
	test.each([
		['expired', 'CERT_HAS_EXPIRED'],
		['wrong-host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
		['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
		['untrusted', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
	])('rejects the %s certificate with %s, unless it skips verification', async (label, error) => {
		const {ca, contextFor} = await testCertificates({listening});
		const servername = `${label}.${domain}`;
		expect(await handshakeError(contextFor, {ca, servername})).toBe(error);
		expect(await handshakeError(contextFor, {ca, servername, rejectUnauthorized: false})).toBe('');
	});
});

test('each wrong certificate is created once for concurrent requests in any spelling', async () => {
	const {contextFor} = await testCertificates({listening});
	const names = ['expired.tinbox.test', 'EXPIRED.Tinbox.test', 'expired.tinbox.test.'];
	expect(new Set(await Promise.all(names.map(contextFor))).size).toBe(1);
});

test('the certificate for old TLS is valid, and only its names accept old TLS', async () => {
	const certificates = await testCertificates({listening});
	const {ca, contextFor, speaksOldTls} = certificates;
	expect((await certificateFor(certificates, 'old-tls.localhost')).subjectAltName).toBe('DNS:old-tls.localhost');
	expect(['old-tls.tinbox.test', 'Old-TLS.mail.', 'old-tls.localhost'].map(speaksOldTls)).toEqual([true, true, true]);
	expect(['old-tls', 'old-tls.example.com', 'expired.localhost', ''].map(speaksOldTls)).toEqual(Array(4).fill(false));
	const options = {ca, servername: 'old-tls.localhost'};
	expect(await handshakeError(contextFor, options)).toMatch(/^ERR_SSL_/);
	const old = {minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0'} as const;
	const {socket, error} = await handshake(contextFor, {...options, ...old});
	expect([error, socket.getProtocol()]).toEqual(['', 'TLSv1.1']);
});
