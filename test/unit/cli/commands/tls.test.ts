import {X509Certificate} from 'node:crypto';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {DaemonBody} from '../../../../src/contract/daemon.js';
import {resolvePaths} from '../../../../src/runtime/paths.js';
import {issueAuthority} from '../../../../src/tls/issue.js';
import {runFake} from '../../../helpers/context.js';
import {tempDir} from '../../../helpers/temp-dir.js';

const subtrees = ['localhost', 'test', '127.0.0.0/8'];
const validity = {notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2036-01-01T00:00:00Z')};
const {certificate} = await issueAuthority('tinbox on box', validity, subtrees);

type Tls = DaemonBody['tls'];

const offered: Tls = {mode: 'offer', smtps: {host: '127.0.0.1', port: 1465}, https_url: null, ca: certificate};

/** Runs `tinbox tls` against a daemon that reports this TLS state. */
async function runTls(args: readonly string[], tls: Tls = offered, env: NodeJS.ProcessEnv = {}) {
	const paths = resolvePaths({TINBOX_HOME: await tempDir()});
	const body: DaemonBody = {
		version: '0',
		domain: 'tinbox.test',
		smtp: {host: '127.0.0.1', port: 1025, auth_mode: 'any', auth: null, auth_needs_tls: false},
		tls,
	};
	return runFake(['tls', ...args], {daemon: {get: async () => body}}, {paths, env});
}

describe('tls show', () => {
	test('prints the TLS listeners and the constraints of the certificate authority', async () => {
		const {fingerprint256} = new X509Certificate(certificate);
		const {stdout} = await runTls(['show', '--json']);
		expect(JSON.parse(stdout)).toEqual({
			mode: 'offer',
			smtp: {host: '127.0.0.1', port: 1025},
			smtps: {host: '127.0.0.1', port: 1465},
			https_url: null,
			subject: 'O=tinbox, CN=tinbox on box',
			fingerprint: fingerprint256,
			expires_at: '2036-01-01T00:00:00.000Z',
			names: subtrees,
		});
		expect((await runTls(['show'])).stdout.split('\n')).toEqual([
			'mode\toffer',
			'smtp\t127.0.0.1:1025',
			'smtps\t127.0.0.1:1465',
			'https_url\t',
			'subject\tO=tinbox, CN=tinbox on box',
			`fingerprint\t${fingerprint256}`,
			'expires_at\t2036-01-01T00:00:00.000Z',
			'names\tlocalhost test 127.0.0.0/8',
			'',
		]);
	});
});

describe('tls ca', () => {
	test('prints only the certificate, without other text of the response', async () => {
		const {stdout} = await runTls(['ca'], {...offered, ca: `\u001b[31m\n${certificate}\n\u001b]0;title\u0007`});
		expect(stdout).toBe(new X509Certificate(certificate).toString());
	});
});

describe('tls env', () => {
	test('prints export statements for eval', async () => {
		const {stdout} = await runTls(['env']);
		const names = [...stdout.matchAll(/^export (\w+)=\S/gm)].map(([, name]) => name);
		expect(names).toEqual([
			'NODE_EXTRA_CA_CERTS',
			'SSL_CERT_FILE',
			'REQUESTS_CA_BUNDLE',
			'CURL_CA_BUNDLE',
			'AWS_CA_BUNDLE',
			'JAVA_TOOL_OPTIONS',
		]);
	});

	test('prints the selected variables as JSON', async () => {
		const {stdout} = await runTls(['env', '--json=CURL_CA_BUNDLE']);
		expect(JSON.parse(stdout)).toEqual({CURL_CA_BUNDLE: expect.stringMatching(/\/bundle\.pem$/)});
	});

	test('names the variable whose certificate file cannot be read', async () => {
		expect(await runTls(['env'], offered, {SSL_CERT_FILE: path.sep})).toMatchObject({
			exitCode: 2,
			stdout: '',
			stderr: expect.stringMatching(/^Cannot read \/, which is set in SSL_CERT_FILE: EISDIR.*unset SSL_CERT_FILE\n$/s),
		});
	});
});

test.each(['show', 'ca', 'env', 'trust'])('tls %s says how to enable TLS if the daemon has none', async command => {
	expect(await runTls([command], {...offered, mode: 'off', ca: null})).toMatchObject({
		exitCode: 1,
		stdout: '',
		stderr: 'TLS is disabled on this daemon.\nEnable TLS: tinbox daemon restart --tls offer\n',
	});
});
