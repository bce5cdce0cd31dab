import {
	count,
	domainName,
	duration,
	folder,
	host,
	hostNames,
	type Kind,
	type Login,
	login,
	port,
	size,
	subnets,
} from './setting.js';
import {SettingError} from './setting-error.js';
import type {SettingsFile} from './settings-file.js';

/** Everything that can be chosen about a daemon. */
export type DaemonSettings = {
	/** Both listeners bind it. */
	readonly host: string;
	/** 0 is any free port, here and for HTTP. */
	readonly smtpPort: number;
	readonly httpPort: number;
	/** New inboxes get their addresses here. */
	readonly domain: string;
	/** Absolute. */
	readonly dataDir: string;
	/** The n-th wait between attempts is n times this. */
	readonly webhookRetryDelayMs: number;
	/** Finished deliveries that the log of each webhook endpoint keeps. */
	readonly webhookKeep: number;
	/** How long it keeps them. */
	readonly webhookKeepForMs: number;
	/** Further names by which the API may be called, as that of a container. */
	readonly hostNames: readonly string[];
	/** Local addresses and subnets that webhooks may go to even when the API is open to the network. */
	readonly webhookAllow: readonly string[];
	/** Bytes of one mail. */
	readonly maxMessageSize: number;
	/** SMTP connections open at the same time. */
	readonly maxConnections: number;
	/** The only login that SMTP takes; null takes any, and mail without one. */
	readonly smtpAuth: Login | null;
};

/** Raw texts of the flags that were given. */
export type DaemonFlags = {readonly [K in keyof DaemonSettings]?: string};

type Setting<T> = {readonly kind: Kind<T>; readonly placeholder: string; readonly description: string};

/** The settings in the order of the help; a flag, a variable and an entry of the settings file exist for each. */
export const daemonSettings: {readonly [K in keyof DaemonSettings]: Setting<DaemonSettings[K]>} = {
	smtpPort: {kind: port, placeholder: 'port', description: 'port for mail, 0 for any free one (default: 1025)'},
	httpPort: {kind: port, placeholder: 'port', description: 'port for the API, 0 for any free one (default: 8025)'},
	host: {kind: host, placeholder: 'address', description: 'address to listen on (default: 127.0.0.1)'},
	hostNames: {kind: hostNames, placeholder: 'names', description: 'further names by which the API may be called'},
	domain: {kind: domainName, placeholder: 'name', description: 'domain of new inboxes (default: tinbox.test)'},
	dataDir: {kind: folder, placeholder: 'folder', description: 'where the mail is kept'},
	webhookRetryDelayMs: {
		kind: duration,
		placeholder: 'duration',
		description: 'wait before a webhook is tried again, times the attempts made (default: 30s)',
	},
	webhookKeep: {
		kind: count,
		placeholder: 'number',
		description: 'most deliveries that the log of a webhook endpoint keeps (default: 1000)',
	},
	webhookKeepForMs: {
		kind: duration,
		placeholder: 'duration',
		description: 'how long it keeps them (default: 30d)',
	},
	webhookAllow: {
		kind: subnets,
		placeholder: 'subnets',
		description: 'local addresses that webhooks may go to when --host is not loopback',
	},
	maxMessageSize: {kind: size, placeholder: 'size', description: 'largest mail taken (default: 25M)'},
	maxConnections: {kind: count, placeholder: 'number', description: 'most SMTP connections at once (default: 20000)'},
	smtpAuth: {kind: login, placeholder: 'user:password', description: 'the only login SMTP takes (default: any)'},
};

export const settingNames = Object.keys(daemonSettings) as ReadonlyArray<keyof DaemonSettings>;

/** `webhookRetryDelayMs` is `--webhook-retry-delay`: flags carry their unit in the value. */
export function flagOf(name: keyof DaemonSettings): string {
	return `--${name.replace(/Ms$/, '').replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}

/** `--smtp-port` is `TINBOX_SMTP_PORT`. */
export function variableOf(name: keyof DaemonSettings): string {
	return `TINBOX_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`;
}

/** What counts when nothing else is said. */
export function defaultSettings(dataDir: string): DaemonSettings {
	return {
		host: '127.0.0.1',
		smtpPort: 1025,
		httpPort: 8025,
		domain: 'tinbox.test',
		dataDir,
		webhookRetryDelayMs: 30_000,
		webhookKeep: 1000,
		webhookKeepForMs: 30 * 86_400_000,
		hostNames: [],
		webhookAllow: [],
		maxMessageSize: 25 * 1024 * 1024,
		maxConnections: 20_000,
		smtpAuth: null,
	};
}

export type SettingSources = {
	readonly flags: DaemonFlags;
	readonly env: NodeJS.ProcessEnv;
	readonly file: SettingsFile;
	/** Used where the others are silent. */
	readonly defaults: DaemonSettings;
};

/**
 * Flags win over variables, these over the settings file, this over the defaults.
 * Throws a `SettingError` that names the flag, the variable or the entry that cannot be used.
 */
export function resolveSettings({flags, env, file, defaults}: SettingSources): DaemonSettings {
	const resolve = <K extends keyof DaemonSettings>(name: K): DaemonSettings[K] => {
		const entry = file.daemon?.[name];
		const [source, text] =
			flags[name] !== undefined
				? [flagOf(name), flags[name]]
				: env[variableOf(name)]
					? [variableOf(name), env[variableOf(name)]]
					: [`"daemon.${name}" in the settings file`, entry === undefined ? undefined : String(entry)];
		return text === undefined ? defaults[name] : parseSetting(name, source, text);
	};

	return Object.fromEntries(settingNames.map(name => [name, resolve(name)])) as DaemonSettings;
}

/** Variables from which `resolveSettings` makes the same settings. */
export function settingsToEnv(settings: DaemonSettings): Record<string, string> {
	return Object.fromEntries(settingNames.map(name => [variableOf(name), formatSetting(name, settings)]));
}

function parseSetting<K extends keyof DaemonSettings>(name: K, source: string, text: string): DaemonSettings[K] {
	const {kind} = daemonSettings[name];
	const value = kind.parse(text);
	if (value === undefined) {
		throw new SettingError(`${source} must be ${kind.expects}, got "${text}".`);
	}

	return value;
}

function formatSetting<K extends keyof DaemonSettings>(name: K, settings: DaemonSettings): string {
	return daemonSettings[name].kind.format(settings[name]);
}
