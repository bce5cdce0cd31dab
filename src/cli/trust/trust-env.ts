import {createHash, X509Certificate} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {causeOf, errorCode} from '../../lib/errors.js';
import {nodeFiles, replaceFile} from '../../lib/io/files.js';
import {withLock} from '../../lib/io/process-lock.js';
import type {Paths} from '../../runtime/paths.js';
import type {Context} from '../context.js';
import {Exit, exitCodes, usageError} from '../output/exit.js';
import {certificatesIn, keepAuthority, pemOf, systemRoots} from './system-store.js';

/** Default password of Java trust stores, which is not a secret. */
const javaStorePassword = 'changeit';

/** Constants of the JKS format (`sun.security.provider.JavaKeyStore`). Numbers are big-endian. */
const magic = 0xfe_ed_fe_ed;
const version = 2;
const trustedCertificate = 2;
const whitener = 'Mighty Aphrodite';

/** JKS trust store with these certificates (base64-encoded DER). The output is deterministic. */
function javaTrustStore(certificates: readonly string[]): Buffer {
	const entries = certificates.flatMap((body, index) => {
		const der = Buffer.from(body, 'base64');
		const date = Buffer.alloc(8);
		return [int(trustedCertificate), text(`authority-${index}`), date, text('X.509'), int(der.length), der];
	});
	const store = Buffer.concat([int(magic), int(version), int(certificates.length), ...entries]);
	const password = Buffer.from(javaStorePassword, 'utf16le').swap16();
	return Buffer.concat([store, createHash('sha1').update(password).update(whitener).update(store).digest()]);
}

function int(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

function text(ascii: string): Buffer {
	const bytes = Buffer.from(ascii, 'ascii');
	return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

/** Variables with the path of a complete CA bundle. */
const bundleVariables = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'AWS_CA_BUNDLE'] as const;

/** Variables set by `trustEnv`, in order. */
export const trustVariables = ['NODE_EXTRA_CA_CERTS', ...bundleVariables, 'JAVA_TOOL_OPTIONS'] as const;

type TrustPaths = Pick<Paths, 'trustDir' | 'startLock'>;

/**
 * Writes CA files, and returns the variables that make programs trust the CA in addition to all authorities that they trust
 * already: from the files named by `env`, or the system.
 */
export async function trustEnv(
	authority: string,
	env: NodeJS.ProcessEnv,
	paths: TrustPaths,
): Promise<Record<(typeof trustVariables)[number], string>> {
	return withLock(paths.startLock, async () => {
		const folder = await keepAuthority(authority, paths);
		const inside = (name: string) => path.join(folder, name);
		const node = inside('node.pem');
		const bundle = inside('bundle.pem');
		const java = inside('java.jks');
		const added = await namedBy('NODE_EXTRA_CA_CERTS', env, paths);
		const trusted = await Promise.all(
			bundleVariables.map(async name => (await namedBy(name, env, paths)) ?? systemRoots(env)),
		);
		const all = distinct(authority, ...trusted);
		await put(node, pemOf(distinct(authority, added ?? '')));
		await put(bundle, pemOf(all));
		await put(java, javaTrustStore(all));
		return {
			NODE_EXTRA_CA_CERTS: node,
			SSL_CERT_FILE: bundle,
			REQUESTS_CA_BUNDLE: bundle,
			CURL_CA_BUNDLE: bundle,
			AWS_CA_BUNDLE: bundle,
			JAVA_TOOL_OPTIONS: javaOptions(java, env['JAVA_TOOL_OPTIONS'] ?? ''),
		};
	});
}

async function put(file: string, content: string | Buffer): Promise<void> {
	await replaceFile(nodeFiles, file, async draft => draft.writeFile(content));
}

/** Distinct certificates of PEM files, in order. */
function distinct(...files: readonly string[]): readonly string[] {
	return [...new Set(files.flatMap(certificatesIn))];
}

/** Content of the file named by a variable; undefined if it is not set, or names a deleted file of tinbox. */
async function namedBy(variable: string, env: NodeJS.ProcessEnv, {trustDir}: TrustPaths): Promise<string | undefined> {
	const file = env[variable];
	return file
		? readFile(file, 'utf8').catch(error => {
				if (errorCode(error) === 'ENOENT' && file.startsWith(trustDir)) {
					return undefined;
				}

				throw usageError(
					`Cannot read ${file}, which is set in ${variable}: ${causeOf(error)}.`,
					`To continue without this file: unset ${variable}`,
				);
			})
		: undefined;
}

/** Appends the trust store to Java options, because the last of repeated options wins. */
function javaOptions(store: string, given: string): string {
	// Like a shell, Java joins adjacent quoted parts. It has no escape character for quotes.
	const quoted = /[\s'"]/.test(store) ? `"${store.replaceAll('"', `"'"'"`)}"` : store;
	const ours = [
		`-Djavax.net.ssl.trustStore=${quoted}`,
		'-Djavax.net.ssl.trustStoreType=JKS',
		`-Djavax.net.ssl.trustStorePassword=${javaStorePassword}`,
	].join(' ');
	return [given.replace(ours, '').trim(), ours].filter(Boolean).join(' ');
}

/** CA certificate of the daemon in use, in PEM. Throws `Exit` if its TLS is disabled. */
export async function authorityOf({api}: Pick<Context, 'api'>): Promise<string> {
	const {tls} = await (await api()).daemon.get();
	if (tls.ca === null) {
		throw new Exit(exitCodes.failed, 'no_tls', 'TLS is disabled on this daemon.', {
			hint: 'Enable TLS: tinbox daemon restart --tls offer',
		});
	}

	// Parsing drops any other text in the response of a remote daemon.
	return new X509Certificate(tls.ca).toString();
}
