import path from 'node:path';
import Conf from 'conf';
import type {Credentials, SettingsFile} from './settings-file.js';

/** Adds what opens the daemon of `dataDir` to the settings file, which only its owner can read. */
export function keepCredentials(settingsFile: string, dataDir: string, credentials: Credentials): void {
	const settings = new Conf<SettingsFile>({
		cwd: path.dirname(settingsFile),
		configName: path.basename(settingsFile, '.json'),
		projectSuffix: '',
		configFileMode: 0o600,
		// Data directories hold dots.
		accessPropertiesByDotNotation: false,
	});
	settings.set('credentials', {...settings.get('credentials'), [dataDir]: credentials});
}
