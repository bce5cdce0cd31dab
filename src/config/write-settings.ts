import {chmod} from 'node:fs/promises';
import path from 'node:path';
import Conf from 'conf';
import {directoryMode, ensureDirectory, nodeFiles} from '../lib/files.js';
import {guardFolder} from '../lib/private-files.js';
import type {Profile, SettingsFile, StoredCredentials} from './settings-file.js';

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
	return new Conf<SettingsFile>({
		cwd: folder,
		configName: path.basename(settingsFile, '.json'),
		projectSuffix: '',
		configFileMode: 0o600,
		// Data directories and profiles may hold dots.
		accessPropertiesByDotNotation: false,
	});
}
