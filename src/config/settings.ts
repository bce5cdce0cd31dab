import * as kinds from './kinds.js';

type Setting<T> = {
	readonly kind: kinds.Kind<T>;
	readonly initial: T;
	/** What stands for the value in the help; null for a flag that takes none. */
	readonly placeholder: string | null;
	readonly description: string;
};

/** All that can be chosen about a daemon, in the order of the help. */
const table = {
	/** 0 is any free port, here and for HTTP. */
	smtpPort: setting(kinds.port, 1025, 'port', 'port for mail, 0 for any free one (default: 1025)'),
	httpPort: setting(kinds.port, 8025, 'port', 'port for the API, 0 for any free one (default: 8025)'),
	/** Null for no such listener. */
	httpsPort: setting(
		kinds.portIfAny,
		null,
		'port',
		'port for the API over TLS as well, 0 for any free one (default: none)',
	),
	tls: setting(
		kinds.oneOf('off', 'offer', 'require'),
		'offer',
		'mode',
		'TLS for mail: "off", "offer", or "require", which refuses mail in the clear (default: offer)',
	),
	/** Null: see `smtps-port.ts`. */
	smtpsPort: setting(
		kinds.followingPort,
		null,
		'port',
		'port for mail that begins with TLS (default: 440 above that for mail)',
	),
	/** All listeners bind it. */
	host: setting(kinds.host, '127.0.0.1', 'address', 'address to listen on (default: 127.0.0.1)'),
	/** As the name of a container. */
	hostNames: setting(kinds.hostNames, [], 'names', 'further names by which the API may be called'),
	/** New inboxes get their addresses here. */
	domain: setting(kinds.domainName, 'tinbox.test', 'name', 'domain of new inboxes (default: tinbox.test)'),
	/** Shown to clients that ask for these names. */
	tlsCert: setting(
		kinds.certificates,
		[],
		'name=cert,key',
		'a certificate of your own for a name or *.name, and its key, both PEM files; may be given again',
	),
	/** Of what clients show; null asks them for none. */
	tlsClientCa: setting(
		kinds.fileIfAny,
		null,
		'file',
		'ask SMTP clients for a certificate, which must be of the authority in this PEM file',
	),
	/** Absolute. */
	dataDir: setting(kinds.folder, '', 'folder', 'where the mail is kept'),
	/** What the URL does not say, the variables of libpq do. It may hold a password. */
	store: setting(
		kinds.databaseUrl,
		null,
		'url',
		'PostgreSQL database that keeps all, also for several daemons (default: files in the data folder)',
	),
	/** Null: `store-key` in the data directory. */
	storeKeyFile: setting(
		kinds.fileIfAny,
		null,
		'file',
		'opens its secrets, the same for all daemons (default: "store-key" in the data folder)',
	),
	/** The n-th wait between attempts is n times this. */
	webhookRetryDelayMs: setting(
		kinds.duration,
		30_000,
		'duration',
		'wait before a webhook is tried again, times the attempts made (default: 30s)',
	),
	/** Of each inbox that says nothing itself; null is no bound, here and for the time. */
	keep: setting(
		kinds.countOrAll,
		null,
		'number',
		'most messages that an inbox keeps, the newest, or "all" (default: all)',
	),
	keepForMs: setting(
		kinds.durationOrEver,
		null,
		'duration',
		'how long an inbox keeps a message, or "forever" (default: forever)',
	),
	/** Finished deliveries, of each endpoint. */
	webhookKeep: setting(
		kinds.count,
		1000,
		'number',
		'most deliveries that the log of a webhook endpoint keeps (default: 1000)',
	),
	webhookKeepForMs: setting(kinds.duration, 30 * 86_400_000, 'duration', 'how long it keeps them (default: 30d)'),
	/** Addresses and subnets that may be sent to even when the API is open to the network. */
	webhookAllow: setting(
		kinds.subnets,
		[],
		'subnets',
		'local addresses that webhooks may go to when --host is not loopback',
	),
	/** Bytes of one mail. */
	maxMessageSize: setting(kinds.size, 25 * 1024 * 1024, 'size', 'largest mail taken (default: 25M)'),
	maxConnections: setting(kinds.count, 20_000, 'number', 'most SMTP connections at once (default: 20000)'),
	maxHttpConnections: setting(kinds.count, 30_000, 'number', 'most HTTP connections at once (default: 30000)'),
	maxPipelined: setting(kinds.count, 100, 'number', 'most requests that wait on one HTTP connection (default: 100)'),
	maxInboxes: most(kinds.countPair, 50_000, 200_000, 'inboxes of one user/of all'),
	maxEndpoints: most(kinds.countPair, 1000, 10_000, 'webhook endpoints of one user/of all'),
	maxTeams: most(kinds.countPair, 1000, 10_000, 'teams of one user/of all'),
	maxMembers: setting(kinds.count, 1000, 'number', 'most members of a team, open invites included (default: 1000)'),
	maxMessages: most(kinds.countPair, 1_000_000, 2_000_000, 'messages of one user/of all'),
	/** Bytes. */
	maxStored: setting(
		kinds.sizePair,
		{perUser: 16 * 1024 ** 3, inAll: 64 * 1024 ** 3},
		'sizes',
		'most mail of one user/of all (default: 16G/64G)',
	),
	/** Unfinished ones; further ones are given up without an attempt. */
	maxDeliveries: most(kinds.countPair, 50_000, 200_000, 'unfinished webhook deliveries of one user/of all'),
	maxPolls: most(kinds.countPair, 15_000, 20_000, 'open long polls of one user/of all'),
	maxStreams: most(kinds.countPair, 1000, 2000, 'event streams of one user/of all'),
	/** `any` also takes mail without a login. */
	smtpAuth: setting(
		kinds.smtpLogins,
		'any',
		'any|inbox|user:password',
		'who may send besides who logs in as an inbox: all, nobody, or this login (default: any)',
	),
	smtpOauth: setting(
		kinds.oneOf('accept', 'reject', 'expired'),
		'accept',
		'accept|reject|expired',
		'what becomes of OAuth tokens; "expired" refuses the first one of each user (default: accept)',
	),
	authNeedsTls: setting(kinds.isOn, false, null, 'take logins under TLS only'),
	/** `any` also takes keys that are no inbox's. */
	sendAuth: setting(
		kinds.oneOf('any', 'inbox'),
		'any',
		'any|inbox',
		'whose keys the sending APIs take: all, or those of inboxes only (default: any)',
	),
	/** From others nothing is sent; from all when there is none. */
	sendVerifiedDomains: setting(
		kinds.domainNames,
		[],
		'names',
		'the only domains from which the sending APIs take mail (default: all)',
	),
	mcpAllow: setting(
		kinds.mcpExtraNames,
		[],
		'what',
		'what agents may do at /mcp besides reading the mail of their inboxes: send, faults',
	),
	noFaultAddresses: setting(
		kinds.isOn,
		false,
		null,
		'have no address ask for a fault or a bounce, as signup+fail-451@ does',
	),
	/** Null gives none. Its variable is read by `daemon run` alone: elsewhere it is the key to a daemon that is there. */
	apiKey: setting(
		kinds.apiKey,
		null,
		'key',
		'gives the local user this API key, for others who know it (the variable: at "daemon run" only)',
	),
	/** An inbox `*` of the local user, made at the start if there is none. */
	catchAll: setting(
		kinds.isOn,
		false,
		null,
		'make an inbox for all mail that no other inbox takes, unless there is one',
	),
};

export type DaemonSettings = {readonly [K in keyof typeof table]: (typeof table)[K]['initial']};

/** Raw texts of the flags that were given. */
export type DaemonFlags = {readonly [K in keyof DaemonSettings]?: string};

/** A flag, a variable and an entry of the settings file exist for each. */
export const daemonSettings: {readonly [K in keyof DaemonSettings]: Setting<DaemonSettings[K]>} = table;

export const settingNames = Object.keys(daemonSettings) as ReadonlyArray<keyof DaemonSettings>;

/** `webhookRetryDelayMs` is `--webhook-retry-delay`: flags carry their unit in the value. */
export function flagOf(name: keyof DaemonSettings): string {
	return `--${name.replace(/Ms$/, '').replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}

/** `--smtp-port` is `TINBOX_SMTP_PORT`. */
export function variableOf(name: keyof DaemonSettings): string {
	return `TINBOX_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`;
}

/** The settings of a daemon that was told nothing. */
export function defaultSettings(dataDir: string): DaemonSettings {
	const initial = Object.fromEntries(settingNames.map(name => [name, daemonSettings[name].initial])) as DaemonSettings;
	return {...initial, dataDir};
}

/** As it is typed: `--smtp-port <port>`, `--catch-all`. */
export function usageOf(name: keyof DaemonSettings): string {
	const {placeholder} = daemonSettings[name];
	return placeholder === null ? flagOf(name) : `${flagOf(name)} <${placeholder}>`;
}

function most(kind: kinds.Kind<kinds.Pair>, perUser: number, inAll: number, what: string): Setting<kinds.Pair> {
	return setting(kind, {perUser, inAll}, 'numbers', `most ${what} (default: ${perUser}/${inAll})`);
}

function setting<T>(
	kind: kinds.Kind<T>,
	initial: NoInfer<T>,
	placeholder: string | null,
	description: string,
): Setting<T> {
	return {kind, initial, placeholder, description};
}
