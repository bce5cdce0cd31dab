import {withoutPassword} from '../lib/text/url.js';
import * as kinds from './kinds.js';
import {SettingError, type SettingsFile} from './settings-file.js';

type Setting<T> = {
	readonly kind: kinds.Kind<T>;
	readonly initial: T;
	/** Placeholder of the value in the help; null for a flag without one. */
	readonly placeholder: string | null;
	readonly description: string;
};

/** Settings of a daemon, in the order of the help. */
const table = {
	smtpPort: setting(kinds.port, 1025, 'port', 'SMTP port; 0 picks a free port (default: 1025)'),
	httpPort: setting(kinds.port, 8025, 'port', 'API port; 0 picks a free port (default: 8025)'),
	/** Null disables the listener. */
	httpsPort: setting(
		kinds.portIfAny,
		null,
		'port',
		'additional API port with TLS; 0 picks a free port (default: none)',
	),
	tls: setting(
		kinds.oneOf('off', 'offer', 'require'),
		'offer',
		'mode',
		'SMTP TLS: "off", "offer", or "require" to reject unencrypted mail (default: offer)',
	),
	/** Null derives it from `smtpPort`, see `smtpsPortOf`. */
	smtpsPort: setting(kinds.followingPort, null, 'port', 'SMTP port with implicit TLS (default: --smtp-port + 440)'),
	/** Bind address of all listeners. */
	host: setting(kinds.host, '127.0.0.1', 'address', 'address to listen on (default: 127.0.0.1)'),
	/** Such as the name of a container. */
	hostNames: setting(kinds.hostNames, [], 'names', 'additional host names under which the API may be reached'),
	domain: setting(kinds.domainName, 'tinbox.test', 'name', 'domain of new inboxes (default: tinbox.test)'),
	/** Certificates by the name that the client asks for. */
	tlsCert: setting(
		kinds.certificates,
		[],
		'name=cert,key',
		'own certificate and key (PEM files) for a name or *.name; repeatable',
	),
	/** CA file for client certificates; null requests none. */
	tlsClientCa: setting(
		kinds.fileIfAny,
		null,
		'file',
		'request SMTP client certificates and verify them with this CA (PEM file)',
	),
	/** Absolute path. */
	dataDir: setting(kinds.folder, '', 'folder', 'data folder'),
	/** Variables of libpq complete the URL. It may contain a password. */
	store: setting(
		kinds.databaseUrl,
		null,
		'url',
		'PostgreSQL URL for all data; several daemons can share it (default: files in the data folder)',
	),
	/** Null uses `store-key` in the data directory. */
	storeKeyFile: setting(
		kinds.fileIfAny,
		null,
		'file',
		'key file for the secrets in --store, the same for all daemons (default: "store-key" in the data folder)',
	),
	/** Delay before the second attempt; before the n-th retry it is n times this. */
	webhookRetryDelayMs: setting(
		kinds.duration,
		30_000,
		'duration',
		'base delay of webhook retries, times the attempt number (default: 30s)',
	),
	/** Default of inboxes; null is unlimited, also for `keepFor`. */
	keep: setting(kinds.countOrAll, null, 'number', 'maximum messages per inbox; the oldest are deleted (default: all)'),
	keepForMs: setting(kinds.durationOrEver, null, 'duration', 'maximum age of messages (default: forever)'),
	/** Finished deliveries per endpoint. */
	webhookKeep: setting(kinds.count, 1000, 'number', 'maximum finished deliveries per webhook endpoint (default: 1000)'),
	webhookKeepForMs: setting(
		kinds.duration,
		30 * 86_400_000,
		'duration',
		'maximum age of finished webhook deliveries (default: 30d)',
	),
	/** Addresses and subnets that are allowed even if the API is open to the network. */
	webhookAllow: setting(
		kinds.subnets,
		[],
		'subnets',
		'private subnets allowed for webhooks; all are allowed if --host is loopback',
	),
	/** Bytes per mail. */
	maxMessageSize: setting(kinds.size, 25 * 1024 * 1024, 'size', 'maximum size of a mail (default: 25M)'),
	maxConnections: setting(kinds.count, 20_000, 'number', 'maximum concurrent SMTP connections (default: 20000)'),
	maxHttpConnections: setting(kinds.count, 30_000, 'number', 'maximum concurrent HTTP connections (default: 30000)'),
	maxPipelined: setting(kinds.count, 100, 'number', 'maximum queued requests per HTTP connection (default: 100)'),
	maxInboxes: most(kinds.countPair, 50_000, 200_000, 'inboxes'),
	maxEndpoints: most(kinds.countPair, 1000, 10_000, 'webhook endpoints'),
	maxTeams: most(kinds.countPair, 1000, 10_000, 'teams'),
	maxMembers: setting(kinds.count, 1000, 'number', 'maximum members per team, including open invites (default: 1000)'),
	maxMessages: most(kinds.countPair, 1_000_000, 2_000_000, 'messages'),
	maxStored: setting(
		kinds.sizePair,
		{perUser: 16 * 1024 ** 3, total: 64 * 1024 ** 3},
		'sizes',
		'maximum stored mail per user/in total (default: 16G/64G)',
	),
	/** Unfinished deliveries; further ones are dropped without an attempt. */
	maxDeliveries: most(kinds.countPair, 50_000, 200_000, 'unfinished webhook deliveries'),
	maxPolls: most(kinds.countPair, 15_000, 20_000, 'open long polls'),
	maxStreams: most(kinds.countPair, 1000, 2000, 'open event streams'),
	/** `any` also accepts mail without a login. */
	smtpAuth: setting(
		kinds.smtpLogins,
		'any',
		'any|inbox|user:password',
		'SMTP authentication: any, inbox, or user:password (default: any)',
	),
	smtpOauth: setting(
		kinds.oneOf('accept', 'reject', 'expired'),
		'accept',
		'accept|reject|expired',
		'SMTP OAuth tokens; "expired" rejects the first token of each user (default: accept)',
	),
	authNeedsTls: setting(kinds.isOn, false, null, 'allow SMTP logins only over TLS'),
	/** `any` also accepts keys that belong to no inbox. */
	sendAuth: setting(
		kinds.oneOf('any', 'inbox'),
		'any',
		'any|inbox',
		'keys accepted by the sending APIs: any, or only inbox keys (default: any)',
	),
	/** Allowed sender domains; empty allows all. */
	sendVerifiedDomains: setting(
		kinds.domainNames,
		[],
		'names',
		'sender domains accepted by the sending APIs (default: all)',
	),
	mcpAllow: setting(kinds.mcpExtraNames, [], 'what', 'additional tools for agents at /mcp: send, faults'),
	noFaultAddresses: setting(kinds.isOn, false, null, 'disable fault addresses such as signup+fail-451@'),
	/** Null creates none. Only `daemon run` reads the variable; for other commands it is the key of an existing daemon. */
	apiKey: setting(kinds.apiKey, null, 'key', 'API key for the local user; as a variable only for "daemon run"'),
	/** Creates the inbox `*` of the local user at the start, if there is none. */
	catchAll: setting(kinds.isOn, false, null, 'create a catch-all inbox for unknown recipients, unless one exists'),
};

export type DaemonSettings = {readonly [K in keyof typeof table]: (typeof table)[K]['initial']};

/** Raw values of the given flags. */
export type DaemonFlags = {readonly [K in keyof DaemonSettings]?: string};

/** Settings by name. Each has a flag, a variable and an entry in the settings file. */
export const daemonSettings: {readonly [K in keyof DaemonSettings]: Setting<DaemonSettings[K]>} = table;

export const settingNames = Object.keys(daemonSettings) as ReadonlyArray<keyof DaemonSettings>;

/** Flag of a setting. Units are part of the value, so `webhookRetryDelayMs` is `--webhook-retry-delay`. */
export function flagOf(name: keyof DaemonSettings): string {
	return `--${name.replace(/Ms$/, '').replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}

/** Variable of a setting: `--smtp-port` is `TINBOX_SMTP_PORT`. */
export function variableOf(name: keyof DaemonSettings): string {
	return `TINBOX_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`;
}

/** Default settings of a daemon. */
export function defaultSettings(dataDir: string): DaemonSettings {
	const initial = Object.fromEntries(settingNames.map(name => [name, daemonSettings[name].initial])) as DaemonSettings;
	return {...initial, dataDir};
}

/** Usage of a flag: `--smtp-port <port>`, `--catch-all`. */
export function usageOf(name: keyof DaemonSettings): string {
	const {placeholder} = daemonSettings[name];
	return placeholder === null ? flagOf(name) : `${flagOf(name)} <${placeholder}>`;
}

function most(kind: kinds.Kind<kinds.Pair>, perUser: number, total: number, what: string): Setting<kinds.Pair> {
	return setting(kind, {perUser, total}, 'numbers', `maximum ${what} per user/in total (default: ${perUser}/${total})`);
}

function setting<T>(
	kind: kinds.Kind<T>,
	initial: NoInfer<T>,
	placeholder: string | null,
	description: string,
): Setting<T> {
	return {kind, initial, placeholder, description};
}

/** SMTP port with implicit TLS; undefined if TLS is off. */
export function smtpsPortOf({
	tls,
	smtpPort,
	smtpsPort,
}: Pick<DaemonSettings, 'tls' | 'smtpPort' | 'smtpsPort'>): number | undefined {
	// Uses any free port if the default would exceed 65535.
	const usual = smtpPort === 0 || smtpPort + 440 > 65_535 ? 0 : smtpPort + 440;
	return tls === 'off' ? undefined : (smtpsPort ?? usual);
}

type SettingSources = {
	readonly flags: DaemonFlags;
	readonly env: NodeJS.ProcessEnv;
	readonly file: SettingsFile;
	/** Values of settings that no other source has. */
	readonly defaults: DaemonSettings;
};

/**
 * Resolves settings from flags, then variables, then the settings file, then defaults. Throws a `SettingError` that names
 * the invalid flag, variable or entry.
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
			// An empty variable counts as not set.
			[variableOf(name), env[variableOf(name)] || undefined],
			[`"daemon.${entry}" in the settings file`, daemon[entry]],
		] as const;
		const [source, value] = sources.find(([, value]) => value !== undefined) ?? [];
		return source === undefined ? defaults[name] : parseSetting(name, source, String(value));
	};

	return Object.fromEntries(settingNames.map(name => [name, resolve(name)])) as DaemonSettings;
}

/** Names of a setting in the settings file: `smtp-port` or `smtpPort`. */
function entryNames(name: keyof DaemonSettings): readonly string[] {
	return [flagOf(name).slice(2), name];
}

/** Top-level entries of the settings file; the last one belongs to conf. */
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

/** Variables from which `resolveSettings` derives the same settings. */
export function settingsToEnv(settings: DaemonSettings): Record<string, string> {
	return Object.fromEntries(settingNames.map(name => [variableOf(name), formatSetting(name, settings)]));
}

/** Like `settingsToEnv`, without the password of the database. */
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
