import {expect, test} from 'vitest';
import {describeSession} from '../../../src/contract/descriptions.js';
import type {SessionBody} from '../../../src/contract/messages.js';

const tls = {version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', servername: null};
const client = {host: '127.0.0.1', helo: 'app'};

test.each<[expected: string, session: SessionBody]>([
	['unencrypted, from 127.0.0.1', {tls: null, auth: null, client: {host: '127.0.0.1', helo: null}}],
	[
		'TLSv1.3 (TLS_AES_256_GCM_SHA384), login PLAIN as "ann, from 10.0.0.1", from 127.0.0.1 (app)',
		{tls, auth: {mechanism: 'PLAIN', user: 'ann, from 10.0.0.1'}, client},
	],
	[
		'TLSv1.3 (TLS_AES_256_GCM_SHA384) for mail.test, certificate CN=app, from 127.0.0.1 (app)',
		{tls: {...tls, servername: 'mail.test', client: 'CN=app'}, auth: null, client},
	],
])('the line for a session is "%s"', (expected, session) => {
	expect(describeSession(session)).toBe(expected);
});
