import {readFileSync} from 'node:fs';
import {SettingError} from './setting-error.js';

/** What the CLI keeps for one daemon: its data directory names it. */
export type Credentials = {readonly userId: string; readonly apiKey: string};

export type SettingsFile = {
	/** Entries are named after `DaemonSettings` and written as their flags take them. */
	readonly daemon?: Readonly<Record<string, string | number>>;
	/** By data directory. */
	readonly credentials?: Readonly<Record<string, Credentials>>;
};

/** Reads the settings with nothing but `JSON.parse`, for every command does it; no file is no settings. */
export function readSettingsFile(file: string): SettingsFile {
	try {
		const settings: unknown = JSON.parse(readFileSync(file, 'utf8'));
		if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) {
			return settings;
		}
	} catch (error) {
		if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
			return {};
		}

		if (!(error instanceof SyntaxError)) {
			throw error;
		}
	}

	throw new SettingError(`The settings file ${file} is not a JSON object. Repair or remove it.`);
}
