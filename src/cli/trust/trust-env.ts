import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {causeOf, errorCode} from '../../lib/errors.js';
import {nodeFiles, replaceFile} from '../../lib/io/files.js';
import {withLock} from '../../lib/io/process-lock.js';
import type {Paths} from '../../runtime/paths.js';
import {usageError} from '../output/exit.js';
import {keepAuthority} from './authority-folders.js';
import {certificatesIn, pemOf} from './certificates.js';
import {javaStorePassword, javaTrustStore} from './java-trust-store.js';
import {systemRoots} from './system-roots.js';

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
