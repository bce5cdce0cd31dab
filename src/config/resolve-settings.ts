import {withoutPassword} from '../lib/read-url.js';
import {type DaemonFlags, type DaemonSettings, daemonSettings, flagOf, settingNames, variableOf} from './settings.js';
import {SettingError, type SettingsFile} from './settings-file.js';

export type SettingSources = {
	readonly flags: DaemonFlags;
	readonly env: NodeJS.ProcessEnv;
	readonly file: SettingsFile;
	/** Used where the others say nothing. */
	readonly defaults: DaemonSettings;
};

/**
 * Flags win over variables, these over the settings file, this over the defaults.
 * Throws a `SettingError` that names the flag, the variable or the entry that cannot be used.
 */
export function resolveSettings({flags, env, file, defaults}: SettingSources): DaemonSettings {
	assertNoStrangers(file);
	const {daemon = {}} = file;
	const resolve = <K extends keyof DaemonSettings>(name: K): DaemonSettings[K] => {
		const [entry = name, ...others] = [...new Set(entryNames(name))].filter(entry => Object.hasOwn(daemon, entry));
		if (others.length > 0) {
			throw new SettingError(
				`"daemon.${entry}" and "daemon.${name}" in the settings file are the same setting. Keep one.`,
			);
		}

		const sources = [
			[flagOf(name), flags[name]],
			// One that is empty counts as not set.
			[variableOf(name), env[variableOf(name)] || undefined],
			[`"daemon.${entry}" in the settings file`, daemon[entry]],
		] as const;
		const [source, value] = sources.find(([, value]) => value !== undefined) ?? [];
		return source === undefined ? defaults[name] : parseSetting(name, source, String(value));
	};

	return Object.fromEntries(settingNames.map(name => [name, resolve(name)])) as DaemonSettings;
}

/** How a setting may be written in the settings file: `smtp-port` or `smtpPort`. */
function entryNames(name: keyof DaemonSettings): readonly string[] {
	return [flagOf(name).slice(2), name];
}

/** What the settings file may hold besides the settings of the daemon; the last one is conf's own. */
const sections: readonly string[] = ['daemon', 'credentials', 'profiles', '__internal__'];

function assertNoStrangers({daemon = {}, ...file}: SettingsFile): void {
	const known = settingNames.flatMap(entryNames);
	const misplaced = Object.keys(file).find(entry => !sections.includes(entry));
	if (misplaced !== undefined) {
		throw new SettingError(
			known.includes(misplaced)
				? `"${misplaced}" is in the wrong place in the settings file. Move it into "daemon".`
				: `Unknown entry "${misplaced}" in the settings file. Daemon settings belong in "daemon".`,
		);
	}

	if (typeof daemon !== 'object' || daemon === null || Array.isArray(daemon)) {
		throw new SettingError('"daemon" in the settings file must be an object, such as {"smtp-port": 2525}.');
	}

	const stranger = Object.keys(daemon).find(entry => !known.includes(entry));
	if (stranger !== undefined) {
		throw new SettingError(
			`Unknown setting "daemon.${stranger}" in the settings file. Use the names of flags, such as "smtp-port". See: tinbox daemon start --help`,
		);
	}
}

/** Variables from which `resolveSettings` makes the same settings. */
export function settingsToEnv(settings: DaemonSettings): Record<string, string> {
	return Object.fromEntries(settingNames.map(name => [variableOf(name), formatSetting(name, settings)]));
}

/** The same without what the settings need not keep: the password of the database. */
export function settingsToKeep(settings: DaemonSettings): Record<string, string> {
	const {store} = settings;
	return settingsToEnv({...settings, store: store === null ? null : withoutPassword(store)});
}

function parseSetting<K extends keyof DaemonSettings>(name: K, source: string, text: string): DaemonSettings[K] {
	const {kind} = daemonSettings[name];
	const value = kind.parse(text);
	if (value === undefined) {
		throw new SettingError(`${source} must be ${kind.expects}${kind.isSecret ? '' : `, got "${text}"`}.`);
	}

	return value;
}

function formatSetting<K extends keyof DaemonSettings>(name: K, settings: DaemonSettings): string {
	const {format = String} = daemonSettings[name].kind;
	return format(settings[name]);
}
