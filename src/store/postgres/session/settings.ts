import {existsSync, readFileSync, statSync} from 'node:fs';
import {homedir, userInfo} from 'node:os';
import path from 'node:path';
import pgpass from 'pgpass/lib/helper.js';
import {StoreError} from '../../../lib/errors.js';
import {type HostPort, hostPort} from '../../../lib/io/hosts.js';
import {withoutPassword} from '../../../lib/text/url.js';

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** Location of the database and how to connect to it, with the meaning that libpq gives to URLs and `PG*` variables. */
export type ConnectionSettings = {
	/** In the given order. A host that is an absolute path is the folder of a Unix socket. */
	readonly servers: readonly HostPort[];
	readonly user: string;
	readonly database: string;
	/** Password for a server; empty if there is none. A password file can have one per server. */
	password(server: HostPort): string;
	readonly tls: {
		readonly mode: (typeof sslModes)[number];
		/** File with the trusted certificate authorities; null to trust Node's. */
		readonly authorities: string | null;
		/** Files of the client certificate. */
		readonly own: {readonly certificate: string; readonly key: string} | null;
	};
	readonly connectTimeoutMs: number;
	/** Run-time parameters of each session. */
	readonly session: Readonly<Record<string, string>>;
};

/** Options of a database URL, and the variables that supply their defaults. */
const variables: Readonly<Record<string, string | undefined>> = {
	host: 'PGHOST',
	port: 'PGPORT',
	user: 'PGUSER',
	password: 'PGPASSWORD',
	dbname: 'PGDATABASE',
	passfile: 'PGPASSFILE',
	sslmode: 'PGSSLMODE',
	sslrootcert: 'PGSSLROOTCERT',
	sslcert: 'PGSSLCERT',
	sslkey: 'PGSSLKEY',
	connect_timeout: 'PGCONNECT_TIMEOUT',
	target_session_attrs: 'PGTARGETSESSIONATTRS',
	application_name: 'PGAPPNAME',
	options: 'PGOPTIONS',
};

/** Options that only libpq itself can use. */
const ignored =
	/^(?:keepalives.*|tcp_user_timeout|gss.*|krb.*|ssl(?:compression|sni|crl|crldir|password|certmode|negotiation)|channel_binding|load_balance_hosts|client_encoding|fallback_application_name)$/;

/** Long enough to reach another continent, short enough to try the next server. */
const defaultConnectTimeoutMs = 3000;

/** Reads a database URL; `PG*` variables and the usual files supply what it omits. Throws `StoreError` if it is invalid. */
export function readConnectionSettings(url: string, env: NodeJS.ProcessEnv): ConnectionSettings {
	const options = optionsOf(url);
	const unknown = Object.keys(options).find(name => !(name in variables || ignored.test(name)));
	if (unknown !== undefined) {
		throw new StoreError(
			`Unknown option "${unknown}" in the database URL. Supported: ${Object.keys(variables).join(', ')}.`,
		);
	}

	const optionOf = (name: string) => options[name] || env[variables[name] ?? ''] || undefined;
	const user = optionOf('user') ?? systemUser();
	const database = optionOf('dbname') ?? user;
	const attributes = optionOf('target_session_attrs') ?? 'any';
	if (!['any', 'read-write', 'primary'].includes(attributes)) {
		throw new StoreError(
			`target_session_attrs cannot be "${attributes}": tinbox needs write access. Use any, read-write or primary.`,
		);
	}

	const seconds = Number(optionOf('connect_timeout') ?? Number.NaN);
	const [password, commandLine] = [optionOf('password'), optionOf('options')];
	const passwordFile = optionOf('passfile') ?? path.join(homedir(), '.pgpass');
	return {
		servers: serversOf(optionOf('host') ?? defaultHost(), optionOf('port') ?? '5432'),
		user,
		database,
		password: server => password ?? readPassword(passwordFile, server, database, user),
		tls: tlsOf(optionOf),
		connectTimeoutMs: seconds > 0 ? seconds * 1000 : defaultConnectTimeoutMs,
		session: {
			application_name: optionOf('application_name') ?? 'tinbox',
			...(commandLine !== undefined && {options: commandLine}),
		},
	};
}

const urlForm =
	/^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hosts>[^/?]*)(?:\/(?<dbname>[^?]*))?(?:\?(?<query>.*))?$/s;

/** A host, an IPv6 address in brackets, or an encoded path, perhaps with a port. */
const placeForm = /^(?:\[(?<address>[\da-f:.]+)\]|(?<name>[^:\s<>[\]\\^|]*))(?::(?<port>.*))?$/i;

/** The options in a URL, as text. */
function optionsOf(url: string): Readonly<Record<string, string | undefined>> {
	const {user = '', password = '', hosts, dbname = '', query} = urlForm.exec(url)?.groups ?? {};
	if (hosts?.includes('@')) {
		throw new StoreError('The password in the database URL contains "@". Write it as %40.');
	}

	const places = hosts?.split(',').map(place => placeForm.exec(place)?.groups);
	if (!places?.every(place => place !== undefined)) {
		throw notDatabaseUrl(url);
	}

	const names = places.map(({address, name = ''}) => address ?? name);
	const ports = places.map(({port}) => port || '');
	try {
		return {
			user: decodeURIComponent(user),
			password: decodeURIComponent(password),
			host: names.some(Boolean) ? names.map(decodeURIComponent).join(',') : '',
			port: ports.some(Boolean) ? ports.map(port => port || '5432').join(',') : '',
			dbname: decodeURIComponent(dbname),
			...Object.fromEntries(new URLSearchParams(query)),
		};
	} catch {
		throw new StoreError('The database URL has a "%" that is not followed by two hexadecimal digits.');
	}
}

function notDatabaseUrl(url: string): StoreError {
	return new StoreError(
		`"${withoutPassword(url)}" is not a database URL. Use the form postgres://user@host:5432/database.`,
	);
}

/** Pairs hosts with ports. A single port is for all hosts. */
function serversOf(hosts: string, ports: string): readonly HostPort[] {
	const portOf = ports.split(',');
	return hosts.split(',').map((host, index) => {
		const port = Number((portOf.length === 1 ? portOf[0] : portOf[index]) || '5432');
		if (!(Number.isInteger(port) && port > 0 && port <= 65_535)) {
			throw new StoreError(`The database port must be a number from 1 to 65535, got "${ports}".`);
		}

		return {host: host || defaultHost(), port};
	});
}

function tlsOf(optionOf: (name: string) => string | undefined): ConnectionSettings['tls'] {
	const defaultFile = (file: string) => [path.join(homedir(), '.postgresql', file)].find(existsSync);
	const root = optionOf('sslrootcert') ?? defaultFile('root.crt');
	const requested = optionOf('sslmode') ?? (root === 'system' ? 'verify-full' : 'prefer');
	const mode = sslModes.find(each => each === requested);
	if (mode === undefined) {
		throw new StoreError(`sslmode must be one of ${sslModes.join(', ')}, got "${requested}".`);
	}

	const certificate = optionOf('sslcert') ?? defaultFile('postgresql.crt');
	const key = optionOf('sslkey') ?? defaultFile('postgresql.key');
	return {
		// As in libpq, "require" verifies the certificate if authorities are given.
		mode: mode === 'require' && root !== undefined && root !== 'system' ? 'verify-ca' : mode,
		authorities: root === undefined || root === 'system' ? null : root,
		own: certificate && key ? {certificate, key} : null,
	};
}

/** The password for a server in a `.pgpass` file. A file that other users can read is ignored, as libpq does. */
function readPassword(file: string, {host, port}: HostPort, database: string, user: string): string {
	const stats = statSync(file, {throwIfNoEntry: false});
	if (!stats?.isFile() || (stats.mode & 0o077) !== 0) {
		return '';
	}

	const connection = {host: host.startsWith('/') ? 'localhost' : host, port, database, user};
	for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
		const entry = line.startsWith('#') ? null : pgpass.parseLine(line);
		if (entry && pgpass.isValidEntry(entry) && pgpass.match(connection, entry)) {
			return entry.password;
		}
	}

	return '';
}

/** The socket folder of Debian's packages or of a default build, whichever has a server; otherwise this machine. */
function defaultHost(): string {
	return ['/var/run/postgresql', '/tmp'].find(folder => existsSync(`${folder}/.s.PGSQL.5432`)) ?? 'localhost';
}

function systemUser(): string {
	try {
		return userInfo().username;
	} catch {
		return 'postgres';
	}
}

/** The address of a server, for messages. */
export function nameOfServer(server: HostPort): string {
	return server.host.startsWith('/') ? `${server.host}/.s.PGSQL.${server.port}` : hostPort(server);
}
