import {chmod} from 'node:fs/promises';
import path from 'node:path';
import type Conf from 'conf';
import {errorCode} from '../lib/errors.js';
import {directoryMode, ensureDirectory, guardFolder, nodeFiles, readPrivateFile} from '../lib/io/files.js';

/** User and API key of the CLI at a daemon of this machine. */
export type StoredCredentials = {readonly userId: string; readonly apiKey: string};

/** Stored login: a daemon and the credentials for it. */
export type Profile = {
	/** Base address of the API; the daemon of this machine if absent. */
	readonly url?: string;
	/** Token for teams and keys. */
	readonly token: string;
	/** API key for inboxes, messages and webhooks. */
	readonly apiKey?: string;
	/** Id of the API key, if the CLI created it. */
	readonly keyId?: string;
};

export type SettingsFile = {
	/** Daemon settings by the name of the flag or of the `DaemonSettings` field, with values as the flags take them. */
	readonly daemon?: Readonly<Record<string, string | number | boolean>>;
	/** Credentials by data directory. */
	readonly credentials?: Readonly<Record<string, StoredCredentials>>;
	/** Profiles by name. */
	readonly profiles?: Readonly<Record<string, Profile>>;
};

/** Invalid flag, variable or entry of the settings file. The message names it. */
export class SettingError extends Error {
	override readonly name = 'SettingError';
}

/**
 * Reads the settings file with `JSON.parse` only, as every command does; a missing file is empty settings. The file holds
 * credentials, so it must not come from another user. With `mended`, removes the access of others.
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

/** Adds the credentials for the daemon of `dataDir` to the settings file, which only its owner can read. */
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

/** Opens the settings file for changes. Loads conf on demand, and makes the folder private whatever the umask was. */
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
		// Data directories and profile names may contain dots.
		accessPropertiesByDotNotation: false,
	});
}
