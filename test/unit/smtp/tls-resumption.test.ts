import path from 'node:path';
import type {ConnectionOptions, TLSSocket} from 'node:tls';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {testCertificates} from '../tls/test-certificates.js';
import {pem, RawClient, startServer} from './test-server.js';

const fixtures = fileURLToPath(new URL('../../fixtures/tls', import.meta.url));

test.each([null, path.join(fixtures, 'ca.pem')])(
	'a TLS session is resumed with the client authority %s',
	async file => {
		const certificates = await testCertificates({clientAuthority: file});
		const running = await startServer({tls: {mode: 'offer', port: 0, certificates}});
		const options: ConnectionOptions = {
			...{ca: certificates.ca, servername: 'localhost', maxVersion: 'TLSv1.2'},
			...{cert: pem('client'), key: pem('client-key')},
		};
		const first = await RawClient.openTls(running, 'implicit', options);
		const session = (first.socket as TLSSocket).getSession();
		const second = await RawClient.openTls(running, 'STARTTLS', {...options, ...(session && {session})});
		expect((second.socket as TLSSocket).isSessionReused()).toBe(true);
		await second.beginMail();
		expect(await second.say('.')).toMatch(/^250 /);
		expect(running.sessions[0]?.tls?.client).toBe(file === null ? undefined : 'O=Shop, CN=app');
	},
);
