import {execFile} from 'node:child_process';
import {createHash, X509Certificate} from 'node:crypto';
import {existsSync} from 'node:fs';
import {access, constants, readdir, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {rootCertificates} from 'node:tls';
import {promisify} from 'node:util';
import {causeOf, errorCode} from '../lib/errors.js';
import {ensureDirectory, nodeFiles, replaceFile} from '../lib/io/files.js';
import {withLock} from '../lib/io/process-lock.js';
import type {Paths} from '../runtime/paths.js';
import type {Context} from './context.js';
import {Exit, exitCodes, usageError} from './output/exit.js';

/** Certificates in a PEM file, in base64-encoded DER. Ignores other content. */
function certificatesIn(pem: string): readonly string[] {
	return [...pem.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z\d+/=]+)-----END CERTIFICATE-----/g)].map(
		([, body = '']) => body.replace(/\s/g, ''),
	);
}

/** PEM file with certificates in base64-encoded DER. */
function pemOf(certificates: readonly string[]): string {
	return certificates
		.map(body => `-----BEGIN CERTIFICATE-----\n${body.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`)
		.join('');
}

/** File with the certificate in the folder of a CA. */
const authorityFile = 'authority.pem';

/** Stores a CA certificate (PEM) in a folder named by its fingerprint, and returns the folder. */
export async function keepAuthority(pem: string, {trustDir}: Pick<Paths, 'trustDir'>): Promise<string> {
	const {fingerprint256} = new X509Certificate(pem);
	const folder = path.join(trustDir, fingerprint256.replaceAll(':', '').slice(0, 16).toLowerCase());
	const file = path.join(folder, authorityFile);
	if (!existsSync(file)) {
		await ensureDirectory(nodeFiles, folder);
		await replaceFile(nodeFiles, file, async draft => draft.writeFile(pem));
	}

	return folder;
}

/** Folders of all stored CA certificates. */
export async function authorityFolders({trustDir}: Pick<Paths, 'trustDir'>): Promise<readonly string[]> {
	const names = await readdir(trustDir).catch(() => []);
	return names.map(name => path.join(trustDir, name)).filter(folder => existsSync(path.join(folder, authorityFile)));
}

/** CA bundles of Debian and Alpine, Fedora, openSUSE, and BSD. */
const files = [
	'/etc/ssl/certs/ca-certificates.crt',
	'/etc/pki/tls/certs/ca-bundle.crt',
	'/etc/ssl/ca-bundle.pem',
	'/etc/ssl/cert.pem',
];

/** Keychains of macOS: built-in authorities, and those added by an administrator. */
const keychains = ['/System/Library/Keychains/SystemRootCertificates.keychain', '/Library/Keychains/System.keychain'];

/** Authorities trusted by the system, in PEM. Falls back to the authorities of Node.js. */
export async function systemRoots(env: NodeJS.ProcessEnv, platform = process.platform): Promise<string> {
	if (platform === 'darwin') {
		const {stdout} = await promisify(execFile)('security', ['find-certificate', '-a', '-p', ...keychains], {
			env,
			maxBuffer: 16 * 1024 ** 2,
		});
		return stdout;
	}

	for (const file of files) {
		const pem = await readFile(file, 'utf8').catch(() => '');
		if (pem !== '') {
			return pem;
		}
	}

	return rootCertificates.join('\n');
}

/** Program and its arguments. */
export type CommandLine = readonly string[];

/** Trust store of an operating system. Each CA is identified by its folder (see `keepAuthority`). */
export type SystemStore = {
	/** Checks whether the CA is permanently trusted. */
	trusts(folder: string): Promise<boolean>;
	/** Checks whether any trace of the CA exists, for example after an interrupted change. */
	has(folder: string): Promise<boolean>;
	/** Commands that add the CA. They need root. */
	readonly add: (folder: string) => readonly CommandLine[];
	/** Commands that remove every trace of the CA. */
	readonly remove: (folder: string) => Promise<readonly CommandLine[]>;
};

/** Folders for additional authorities on Linux, and the programs that import them. */
const places = [
	// Fedora and derivatives, Arch, Debian and Alpine, openSUSE.
	{place: '/etc/pki/ca-trust/source/anchors', update: 'update-ca-trust'},
	{place: '/etc/ca-certificates/trust-source/anchors', update: 'update-ca-trust'},
	{place: '/usr/local/share/ca-certificates', update: 'update-ca-certificates'},
	{place: '/etc/pki/trust/anchors', update: 'update-ca-certificates'},
] as const;

/** List of authorities on Debian; a name after "!" is excluded. */
const debianList = '/etc/ca-certificates.conf';

const keychain = '/Library/Keychains/System.keychain';

/** Finds the trust store of this system. Returns undefined if it is not supported. */
export async function findSystemStore(
	env: NodeJS.ProcessEnv,
	platform = process.platform,
): Promise<SystemStore | undefined> {
	if (platform === 'darwin') {
		return macStore(env);
	}

	for (const {place, update} of platform === 'linux' ? places : []) {
		const program = await findProgram(update, env);
		if (program !== undefined && (await isThere(place))) {
			return folderStore(place, program, env);
		}
	}

	return undefined;
}

function folderStore(place: string, update: string, env: NodeJS.ProcessEnv): SystemStore {
	const placed = (folder: string) => path.join(place, `tinbox-${path.basename(folder)}.crt`);
	const isTakenIn = async (folder: string) => {
		const [authority = ''] = certificatesIn(await readFile(path.join(folder, authorityFile), 'utf8'));
		return certificatesIn(await systemRoots(env)).includes(authority);
	};
	return {
		trusts: async folder => (await isThere(placed(folder))) && isTakenIn(folder),
		has: async folder => (await isThere(placed(folder))) || isTakenIn(folder),
		add: folder => [['install', '-m', '644', path.join(folder, authorityFile), placed(folder)], [update]],
		async remove(folder) {
			const isDebian = await isThere('/etc/debian_version');
			const list = isDebian ? ['--certsconf', await listWithout(placed(folder), folder)] : [];
			return [
				['rm', '-f', placed(folder)],
				[update, ...list],
			];
		},
	};
}

/**
 * Writes a list of authorities that excludes a certificate, and returns its file. On Debian, deleting only the certificate
 * would leave a link to it, and hooks (for example for the Java trust store) would not be run.
 */
async function listWithout(file: string, folder: string): Promise<string> {
	const list = path.join(folder, 'removal.conf');
	const known = await readFile(debianList, 'utf8');
	await writeFile(list, `${known.trimEnd()}\n!${path.basename(file)}\n`);
	return list;
}

function macStore(env: NodeJS.ProcessEnv): SystemStore {
	const has = async (folder: string) => {
		const {stdout} = await promisify(execFile)('security', ['find-certificate', '-a', '-Z', keychain], {env});
		return stdout.includes(await sha1Of(folder));
	};
	return {
		trusts: has,
		has,
		add: folder => [
			['security', 'add-trusted-cert', '-d', '-r', 'trustRoot', '-k', keychain, path.join(folder, authorityFile)],
		],
		remove: async folder => [
			['security', 'remove-trusted-cert', '-d', path.join(folder, authorityFile)],
			['security', 'delete-certificate', '-Z', await sha1Of(folder), keychain],
		],
	};
}

async function sha1Of(folder: string): Promise<string> {
	const pem = await readFile(path.join(folder, authorityFile), 'utf8');
	return new X509Certificate(pem).fingerprint.replaceAll(':', '');
}

/** Finds a program in PATH and the sbin folders, which are often not in PATH. */
async function findProgram(name: string, {PATH = ''}: NodeJS.ProcessEnv): Promise<string | undefined> {
	for (const folder of [...PATH.split(path.delimiter).filter(Boolean), '/usr/sbin', '/sbin']) {
		const file = path.join(folder, name);
		if (await isThere(file, constants.X_OK)) {
			return file;
		}
	}

	return undefined;
}

async function isThere(file: string, mode = constants.F_OK): Promise<boolean> {
	return access(file, mode).then(
		() => true,
		() => false,
	);
}

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
