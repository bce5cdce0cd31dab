import {createHash} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {causeOf, errorCode} from '../../lib/errors.js';
import {nodeFiles, replaceFile} from '../../lib/io/files.js';
import {withLock} from '../../lib/io/process-lock.js';
import type {Paths} from '../../runtime/paths.js';
import {usageError} from '../output/exit.js';
import {certificatesIn, keepAuthority, pemOf, systemRoots} from './system-store.js';

/** What Java's own trust stores are locked with; it keeps nothing secret. */
const javaStorePassword = 'changeit';

/** See `sun.security.provider.JavaKeyStore`, which every JDK has: numbers are big-endian. */
const magic = 0xfe_ed_fe_ed;
const version = 2;
const trustedCertificate = 2;
const whitener = 'Mighty Aphrodite';

/** A trust store of type JKS with these certificates, of which each is the base64 of its DER form. Same input, same bytes. */
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

/** These name a file with all authorities that a program trusts. */
const bundleVariables = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'AWS_CA_BUNDLE'] as const;

/** What `trustEnv` sets, in this order. */
export const trustVariables = ['NODE_EXTRA_CA_CERTS', ...bundleVariables, 'JAVA_TOOL_OPTIONS'] as const;

type TrustPaths = Pick<Paths, 'trustDir' | 'startLock'>;

/**
 * Variables by which programs trust the authority besides all that they trust now: what `env` names and, where it names
 * nothing, what the system does. The files that they name are made anew.
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

/** The certificates of these files, each once, in this order. */
function distinct(...files: readonly string[]): readonly string[] {
	return [...new Set(files.flatMap(certificatesIn))];
}

/** What is in the file that a variable names; undefined when it names none, or one of ours that is gone. */
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

/** Of options said twice the last one counts, so ours stand at the end, once. */
function javaOptions(store: string, given: string): string {
	// Java takes quoted parts that touch for one word, as a shell does, and knows no other way to say a quote.
	const quoted = /[\s'"]/.test(store) ? `"${store.replaceAll('"', `"'"'"`)}"` : store;
	const ours = [
		`-Djavax.net.ssl.trustStore=${quoted}`,
		'-Djavax.net.ssl.trustStoreType=JKS',
		`-Djavax.net.ssl.trustStorePassword=${javaStorePassword}`,
	].join(' ');
	return [given.replace(ours, '').trim(), ours].filter(Boolean).join(' ');
}
