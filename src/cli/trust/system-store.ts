import {execFile} from 'node:child_process';
import {X509Certificate} from 'node:crypto';
import {access, constants, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {promisify} from 'node:util';
import {authorityFile} from './authority-folders.js';
import {certificatesIn} from './certificates.js';
import {systemRoots} from './system-roots.js';

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
