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

/** The certificates of a file, by fingerprint. */
async function held(file: string): Promise<readonly string[]> {
	const text = await readFile(file, 'utf8');
	return (text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(fingerprint);
}

async function world() {
	const home = await tempDir();
	const paths = resolvePaths({TINBOX_HOME: home});
	const file = async (name: string, ...certificates: readonly string[]) => {
		const place = path.join(home, name);
		await writeFile(place, certificates.join('\n'));
		return place;
	};
	return {home, file, make: (env: NodeJS.ProcessEnv = {}) => trustEnv(authority, env, paths)};
}

test('programs trust the authority besides what the system does', async () => {
	const {make} = await world();
	const env = await make();
	expect(Object.keys(env)).toEqual(trustVariables);
	expect(await held(env.NODE_EXTRA_CA_CERTS)).toEqual([fingerprint(authority)]);
	const bundle = await held(env.SSL_CERT_FILE);
	expect(bundle[0]).toBe(fingerprint(authority));
	expect(bundle.length).toBeGreaterThan(50);
	expect(new Set(bundle).size).toBe(bundle.length);
	const {SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, AWS_CA_BUNDLE} = env;
	expect(new Set([SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, AWS_CA_BUNDLE]).size).toBe(1);
});

test('what the variables named before is trusted further on', async () => {
	const {file, make} = await world();
	const [mine = '', corporate = '', requests = ''] = others;
	const env = await make({
		NODE_EXTRA_CA_CERTS: await file('mine.pem', `# mine\r\n${mine.replaceAll('\n', '\r\n')}`, 'no certificate'),
		SSL_CERT_FILE: await file('corporate.pem', corporate, mine),
		REQUESTS_CA_BUNDLE: await file('requests.pem', requests),
		CURL_CA_BUNDLE: await file('curl.pem', corporate),
		AWS_CA_BUNDLE: await file('aws.pem', corporate),
		JAVA_TOOL_OPTIONS: '-Xmx1g',
	});
	expect(await held(env.NODE_EXTRA_CA_CERTS)).toEqual([authority, mine].map(fingerprint));
	expect(await held(env.SSL_CERT_FILE)).toEqual([authority, corporate, mine, requests].map(fingerprint));
	expect(env.JAVA_TOOL_OPTIONS).toMatch(/^-Xmx1g -Djavax\.net\.ssl\.trustStore=\S+ -D/);
});

test.each([
	["a b's", `"a b's/state/`],
	["b's", `"b's/state/`],
	['a"b', `"a"'"'"b/state/`],
])('Java takes the path below %s for one word', async (name, quoted) => {
	const {home} = await world();
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

test('set again, in an environment that has them, they are the same', async () => {
	const {file, make} = await world();
	const env = await make({
		SSL_CERT_FILE: await file('corporate.pem', ...others.slice(0, 1)),
		JAVA_TOOL_OPTIONS: '-Xmx1g',
	});
	const before = await held(env.SSL_CERT_FILE);
	expect(await make(env)).toEqual(env);
	expect(await held(env.SSL_CERT_FILE)).toEqual(before);
});

test('a variable whose file is gone is told by its name; a file of ours is made anew', async () => {
	const {home, make} = await world();
	await expect(make({CURL_CA_BUNDLE: '/nowhere/ca.pem'})).rejects.toThrow(
		/^Cannot read \/nowhere\/ca\.pem, which is set in CURL_CA_BUNDLE: ENOENT/,
	);
	const env = await make();
	await rm(path.join(home, 'state'), {recursive: true});
	expect(await make(env)).toEqual(env);
	expect(await held(env.NODE_EXTRA_CA_CERTS)).toEqual([fingerprint(authority)]);
});

test('the files are for their owner alone', async () => {
	const {make} = await world();
	const {SSL_CERT_FILE} = await make();
	expect((await stat(SSL_CERT_FILE)).mode & 0o077).toBe(0);
	expect((await stat(path.dirname(SSL_CERT_FILE))).mode & 0o077).toBe(0);
});

test("Java's trust store holds what the bundle does, and is sealed with its password", async () => {
	const {file, make} = await world();
	const env = await make({SSL_CERT_FILE: await file('one.pem', ...others.slice(0, 1))});
	const [, store = ''] = /trustStore=(\S+)/.exec(env.JAVA_TOOL_OPTIONS) ?? [];
	const bytes = await readFile(store);
	expect(bytes.subarray(0, 12).toString('hex')).toMatch(/^feedfeed00000002/);
	expect(bytes.readUInt32BE(8)).toBe((await held(env.SSL_CERT_FILE)).length);
	const seal = createHash('sha1').update(Buffer.from('changeit', 'utf16le').swap16()).update('Mighty Aphrodite');
	expect(seal.update(bytes.subarray(0, -20)).digest()).toEqual(bytes.subarray(-20));
});

test.skipIf(spawnSync('keytool', ['-help']).error)('keytool reads the trust store', async () => {
	const {make} = await world();
	const env = await make();
	const [, store = ''] = /trustStore=(\S+)/.exec(env.JAVA_TOOL_OPTIONS) ?? [];
	const list = execFileSync('keytool', ['-list', '-keystore', store, '-storepass', 'changeit'], {encoding: 'utf8'});
	expect(list).toContain(fingerprint(authority));
	expect(list).toContain(`contains ${(await held(env.SSL_CERT_FILE)).length} entries`);
});
