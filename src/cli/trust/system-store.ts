import {execFile} from 'node:child_process';
import {X509Certificate} from 'node:crypto';
import {existsSync} from 'node:fs';
import {access, constants, readdir, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {rootCertificates} from 'node:tls';
import {promisify} from 'node:util';
import {ensureDirectory, nodeFiles, replaceFile} from '../../lib/io/files.js';
import type {Paths} from '../../runtime/paths.js';

/** The certificates of a file in PEM, each as the base64 of its DER form; whatever else is in it is passed over. */
export function certificatesIn(pem: string): readonly string[] {
	return [...pem.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z\d+/=]+)-----END CERTIFICATE-----/g)].map(
		([, body = '']) => body.replace(/\s/g, ''),
	);
}

/** Undoes `certificatesIn`. */
export function pemOf(certificates: readonly string[]): string {
	return certificates
		.map(body => `-----BEGIN CERTIFICATE-----\n${body.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`)
		.join('');
}

/** In the folder of an authority: its certificate alone. */
const authorityFile = 'authority.pem';

/** Writes an authority, which is in PEM, to a folder of its own, named after its fingerprint, and returns that folder. */
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

/** The folders of all authorities that this tinbox has had. */
export async function authorityFolders({trustDir}: Pick<Paths, 'trustDir'>): Promise<readonly string[]> {
	const names = await readdir(trustDir).catch(() => []);
	return names.map(name => path.join(trustDir, name)).filter(folder => existsSync(path.join(folder, authorityFile)));
}

/** Where systems keep all authorities in one file: Debian and Alpine, Fedora, openSUSE, BSD. */
const files = [
	'/etc/ssl/certs/ca-certificates.crt',
	'/etc/pki/tls/certs/ca-bundle.crt',
	'/etc/ssl/ca-bundle.pem',
	'/etc/ssl/cert.pem',
];

/** Those of macOS: its own, and what an administrator added. */
const keychains = ['/System/Library/Keychains/SystemRootCertificates.keychain', '/Library/Keychains/System.keychain'];

/** The authorities that this system trusts, in PEM; those of Node.js where it has no place for them. */
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

/** A program with its arguments. */
export type CommandLine = readonly string[];

/** The store of authorities of an operating system. Each authority is named by its folder: see `keepAuthority`. */
export type SystemStore = {
	/** Whether it trusts the authority, and goes on doing so. */
	trusts(folder: string): Promise<boolean>;
	/** Whether it has anything of it, as after a change that was broken off. */
	has(folder: string): Promise<boolean>;
	/** What makes it do so; only root may. */
	readonly add: (folder: string) => readonly CommandLine[];
	/** Undoes `add`, all of it. */
	readonly remove: (folder: string) => Promise<readonly CommandLine[]>;
};

/** On Linux: where administrators put authorities, and what then takes them in. */
const places = [
	// Fedora and its kin, Arch, Debian and Alpine, openSUSE.
	{place: '/etc/pki/ca-trust/source/anchors', update: 'update-ca-trust'},
	{place: '/etc/ca-certificates/trust-source/anchors', update: 'update-ca-trust'},
	{place: '/usr/local/share/ca-certificates', update: 'update-ca-certificates'},
	{place: '/etc/pki/trust/anchors', update: 'update-ca-certificates'},
] as const;

/** The list of authorities on Debian; a name behind "!" is taken out. */
const debianList = '/etc/ca-certificates.conf';

const keychain = '/Library/Keychains/System.keychain';

/** The one of this system; undefined where there is none that we know. */
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
 * Only what a list takes out is gone without a trace on Debian, also where others keep the authorities, as Java does: of a file
 * that is gone a link stays, and nobody is told.
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

/** Also where programs for root are, which is not on everybody's PATH. */
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
