import {execFileSync, spawnSync} from 'node:child_process';
import {createHash, X509Certificate} from 'node:crypto';
import {readFile, rm, stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {rootCertificates} from 'node:tls';
import {expect, test} from 'vitest';
import {trustEnv, trustVariables} from '../../../../src/cli/trust.js';
import {resolvePaths} from '../../../../src/runtime/paths.js';
import {tempDir} from '../../../helpers/temp-dir.js';

const [authority = '', ...others] = rootCertificates;

const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256;

/** Fingerprints of the certificates in a file. */
async function fingerprintsIn(file: string): Promise<readonly string[]> {
	const text = await readFile(file, 'utf8');
	return (text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(fingerprint);
}

async function openHome() {
	const home = await tempDir();
	const paths = resolvePaths({TINBOX_HOME: home});
	const file = async (name: string, ...certificates: readonly string[]) => {
		const certificateFile = path.join(home, name);
		await writeFile(certificateFile, certificates.join('\n'));
		return certificateFile;
	};
	return {home, file, createEnv: (env: NodeJS.ProcessEnv = {}) => trustEnv(authority, env, paths)};
}

test('the trust variables add the authority to the system roots', async () => {
	const {createEnv} = await openHome();
	const env = await createEnv();
	expect(Object.keys(env)).toEqual(trustVariables);
	expect(await fingerprintsIn(env.NODE_EXTRA_CA_CERTS)).toEqual([fingerprint(authority)]);
	const bundle = await fingerprintsIn(env.SSL_CERT_FILE);
	expect(bundle[0]).toBe(fingerprint(authority));
	expect(bundle.length).toBeGreaterThan(50);
	expect(new Set(bundle).size).toBe(bundle.length);
	const {SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, AWS_CA_BUNDLE} = env;
	expect(new Set([SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, AWS_CA_BUNDLE]).size).toBe(1);
});

test('the trust variables keep the certificates of files that they named before', async () => {
	const {file, createEnv} = await openHome();
	const [mine = '', corporate = '', requests = ''] = others;
	const env = await createEnv({
		NODE_EXTRA_CA_CERTS: await file('mine.pem', `# mine\r\n${mine.replaceAll('\n', '\r\n')}`, 'no certificate'),
		SSL_CERT_FILE: await file('corporate.pem', corporate, mine),
		REQUESTS_CA_BUNDLE: await file('requests.pem', requests),
		CURL_CA_BUNDLE: await file('curl.pem', corporate),
		AWS_CA_BUNDLE: await file('aws.pem', corporate),
		JAVA_TOOL_OPTIONS: '-Xmx1g',
	});
	expect(await fingerprintsIn(env.NODE_EXTRA_CA_CERTS)).toEqual([authority, mine].map(fingerprint));
	expect(await fingerprintsIn(env.SSL_CERT_FILE)).toEqual([authority, corporate, mine, requests].map(fingerprint));
	expect(env.JAVA_TOOL_OPTIONS).toMatch(/^-Xmx1g -Djavax\.net\.ssl\.trustStore=\S+ -D/);
});

test.each([
	["a b's", `"a b's/state/`],
	["b's", `"b's/state/`],
	['a"b', `"a"'"'"b/state/`],
])('JAVA_TOOL_OPTIONS quotes a path below %s as one word', async (name, quoted) => {
	const {home} = await openHome();
	const paths = resolvePaths({TINBOX_HOME: path.join(home, name)});
	const {JAVA_TOOL_OPTIONS} = await trustEnv(authority, {}, paths);
	expect(JAVA_TOOL_OPTIONS.replace(`${home}/`, '')).toMatch(`trustStore=${quoted}`);
	const java = spawnSync('java', ['-XshowSettings:properties', '-version'], {
		env: {PATH: process.env['PATH'], JAVA_TOOL_OPTIONS},
	});
	if (!java.error) {
		expect(String(java.stderr)).toContain(`javax.net.ssl.trustStore = ${home}/${name}/state/`);
	}
});

test('the trust variables are unchanged if they are already set', async () => {
	const {file, createEnv} = await openHome();
	const env = await createEnv({
		SSL_CERT_FILE: await file('corporate.pem', ...others.slice(0, 1)),
		JAVA_TOOL_OPTIONS: '-Xmx1g',
	});
	const before = await fingerprintsIn(env.SSL_CERT_FILE);
	expect(await createEnv(env)).toEqual(env);
	expect(await fingerprintsIn(env.SSL_CERT_FILE)).toEqual(before);
});

test('a missing file of the user is an error that names the variable, and a missing own file is created again', async () => {
	const {home, createEnv} = await openHome();
	await expect(createEnv({CURL_CA_BUNDLE: '/nowhere/ca.pem'})).rejects.toThrow(
		/^Cannot read \/nowhere\/ca\.pem, which is set in CURL_CA_BUNDLE: ENOENT/,
	);
	const env = await createEnv();
	await rm(path.join(home, 'state'), {recursive: true});
	expect(await createEnv(env)).toEqual(env);
	expect(await fingerprintsIn(env.NODE_EXTRA_CA_CERTS)).toEqual([fingerprint(authority)]);
});

test('the trust files are readable only by their owner', async () => {
	const {createEnv} = await openHome();
	const {SSL_CERT_FILE} = await createEnv();
	expect((await stat(SSL_CERT_FILE)).mode & 0o077).toBe(0);
	expect((await stat(path.dirname(SSL_CERT_FILE))).mode & 0o077).toBe(0);
});

test('the Java trust store contains the certificates of the bundle and a valid digest', async () => {
	const {file, createEnv} = await openHome();
	const env = await createEnv({SSL_CERT_FILE: await file('one.pem', ...others.slice(0, 1))});
	const [, store = ''] = /trustStore=(\S+)/.exec(env.JAVA_TOOL_OPTIONS) ?? [];
	const bytes = await readFile(store);
	expect(bytes.subarray(0, 12).toString('hex')).toMatch(/^feedfeed00000002/);
	expect(bytes.readUInt32BE(8)).toBe((await fingerprintsIn(env.SSL_CERT_FILE)).length);
	const digest = createHash('sha1').update(Buffer.from('changeit', 'utf16le').swap16()).update('Mighty Aphrodite');
	expect(digest.update(bytes.subarray(0, -20)).digest()).toEqual(bytes.subarray(-20));
});

test.skipIf(spawnSync('keytool', ['-help']).error)('keytool reads the trust store', async () => {
	const {createEnv} = await openHome();
	const env = await createEnv();
	const [, store = ''] = /trustStore=(\S+)/.exec(env.JAVA_TOOL_OPTIONS) ?? [];
	const list = execFileSync('keytool', ['-list', '-keystore', store, '-storepass', 'changeit'], {encoding: 'utf8'});
	expect(list).toContain(fingerprint(authority));
	expect(list).toContain(`contains ${(await fingerprintsIn(env.SSL_CERT_FILE)).length} entries`);
});
