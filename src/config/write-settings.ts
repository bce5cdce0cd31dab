import path from 'node:path';
import Conf from 'conf';
import type {Profile, SettingsFile, StoredCredentials} from './settings-file.js';

/** Adds what opens the daemon of `dataDir` to the settings file, which only its owner can read. */
export function keepCredentials(settingsFile: string, dataDir: string, credentials: StoredCredentials): void {
	const settings = openSettings(settingsFile);
	settings.set('credentials', {...settings.get('credentials'), [dataDir]: credentials});
}

/** Adds or replaces a profile. */
export function keepProfile(settingsFile: string, name: string, profile: Profile): void {
	const settings = openSettings(settingsFile);
	settings.set('profiles', {...settings.get('profiles'), [name]: profile});
}

export function forgetProfile(settingsFile: string, name: string): void {
	const settings = openSettings(settingsFile);
	const {[name]: _, ...others} = settings.get('profiles') ?? {};
	settings.set('profiles', others);
}

function openSettings(settingsFile: string): Conf<SettingsFile> {
	return new Conf<SettingsFile>({
		cwd: path.dirname(settingsFile),
		configName: path.basename(settingsFile, '.json'),
		projectSuffix: '',
		configFileMode: 0o600,
		// Data directories and profiles may hold dots.
		accessPropertiesByDotNotation: false,
	});
}
