import {chmod} from 'node:fs/promises';
import path from 'node:path';
import type Conf from 'conf';
import {errorCode} from '../lib/errors.js';
import {directoryMode, ensureDirectory, guardFolder, nodeFiles, readPrivateFile} from '../lib/io/files.js';

/** The CLI's own user and key at a daemon of this machine. */
export type StoredCredentials = {readonly userId: string; readonly apiKey: string};

/** What a login keeps: a daemon, and who the user is there. */
export type Profile = {
	/** Base address of the API; without one it is the daemon of this machine. */
	readonly url?: string;
	/** Opens teams and keys. */
	readonly token: string;
	/** Opens inboxes, messages and webhooks. */
	readonly apiKey?: string;
	/** Set when the CLI made that key for itself. */
	readonly keyId?: string;
};

export type SettingsFile = {
	/** Entries have the names of the flags, or those of `DaemonSettings`, and what the flags take. */
	readonly daemon?: Readonly<Record<string, string | number | boolean>>;
	/** By data directory. */
	readonly credentials?: Readonly<Record<string, StoredCredentials>>;
	/** By name. */
	readonly profiles?: Readonly<Record<string, Profile>>;
};

/** A flag, a variable or the settings file says something that cannot be used; the message names it. */
export class SettingError extends Error {
	override readonly name = 'SettingError';
}

/**
 * Reads the settings with nothing but `JSON.parse`, for every command does it; no file is no settings. They hold what opens
 * daemons, so that nobody else may have put them there; with `mended`, nobody else reads or writes them from now on.
 */
export function readSettingsFile(file: string, mended?: (sentence: string) => void): SettingsFile {
	try {
		const settings: unknown = JSON.parse(readPrivateFile(file, {links: true, mended}));
		if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) {
			return settings;
		}
	} catch (error) {
		if (errorCode(error) === 'ENOENT') {
			return {};
		}

		if (!(error instanceof SyntaxError)) {
			throw error;
		}
	}

	throw new SettingError(`The settings file ${file} is not a JSON object. Repair or remove it.`);
}

/** Adds what opens the daemon of `dataDir` to the settings file, which only its owner can read. */
export async function keepCredentials(
	settingsFile: string,
	dataDir: string,
	credentials: StoredCredentials,
): Promise<void> {
	const settings = await openSettings(settingsFile);
	settings.set('credentials', {...settings.get('credentials'), [dataDir]: credentials});
}

/** Adds or replaces a profile. */
export async function keepProfile(settingsFile: string, name: string, profile: Profile): Promise<void> {
	const settings = await openSettings(settingsFile);
	settings.set('profiles', {...settings.get('profiles'), [name]: profile});
}

export async function forgetProfile(settingsFile: string, name: string): Promise<void> {
	const settings = await openSettings(settingsFile);
	const {[name]: _, ...others} = settings.get('profiles') ?? {};
	settings.set('profiles', others);
}

/** Nobody else may look into their folder, whatever the umask was when it was made. */
async function openSettings(settingsFile: string): Promise<Conf<SettingsFile>> {
	const folder = path.dirname(settingsFile);
	await ensureDirectory(nodeFiles, folder);
	await guardFolder(folder, () => {});
	await chmod(folder, directoryMode);
	const {default: Settings} = await import('conf');
	return new Settings<SettingsFile>({
		cwd: folder,
		configName: path.basename(settingsFile, '.json'),
		projectSuffix: '',
		configFileMode: 0o600,
		// Data directories and profiles may hold dots.
		accessPropertiesByDotNotation: false,
	});
}
