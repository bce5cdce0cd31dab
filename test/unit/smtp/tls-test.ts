import {readFileSync} from 'node:fs';
import tls from 'node:tls';
import type {SmtpTls} from '../../../src/smtp/tls.js';

/** A file of the certificates that tests use, valid for a hundred years. */
export function pem(name: string): string {
	return readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
}

/** TLS with a certificate for `localhost`, `mail.test` and `*.mail.test`; `old-tls.mail.test` takes TLS 1.1 at most. */
export function testTls(mode: SmtpTls['mode'] = 'offer', clientAuthority?: string): SmtpTls {
	const pair = {cert: pem('server'), key: pem('server-key'), sessionIdContext: 'tinbox', ca: clientAuthority};
	const usual = tls.createSecureContext(pair);
	const old = {...pair, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0'} as const;
	const contextFor = async (servername: string | null) =>
		servername?.startsWith('old-tls.') ? tls.createSecureContext(old) : usual;
	return {mode, port: 0, certificates: {contextFor, clientAuthority}};
}

/** What a client knows that verifies certificates. */
export const trusting: tls.ConnectionOptions = {ca: pem('ca'), servername: 'mail.test'};
