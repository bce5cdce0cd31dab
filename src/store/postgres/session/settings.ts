import {existsSync, readFileSync, statSync} from 'node:fs';
import {homedir, userInfo} from 'node:os';
import path from 'node:path';
import {StoreError} from '../../../lib/errors.js';
import {type HostPort, hostPort, withoutBrackets} from '../../../lib/io/hosts.js';
import {withoutPassword} from '../../../lib/text/url.js';

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** Where a database is and how it is reached, as libpq understands URLs and the variables `PG*`. */
export type ConnectionSettings = {
	/** In the order in which they are named. A host that is an absolute path is the folder of a Unix socket. */
	readonly servers: readonly HostPort[];
	readonly user: string;
	readonly database: string;
	/** For each server one, since a password file can tell them apart; empty where none is given. */
	password(server: HostPort): string;
	readonly tls: {
		readonly mode: (typeof sslModes)[number];
		/** A file with the authorities that may vouch for the server; null for those of Node.js. */
		readonly authorities: string | null;
		/** Files with what is shown to a server that asks for a certificate. */
		readonly own: {readonly certificate: string; readonly key: string} | null;
	};
	readonly connectTimeoutMs: number;
	/** What the server is told when a session begins. */
	readonly session: Readonly<Record<string, string>>;
};

/** What a URL may say behind its `?`, and the variable that says so where it does not. */
const parameters: Readonly<Record<string, string | undefined>> = {
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

/** What only libpq itself has a use for. */
const ignored =
	/^(?:keepalives.*|tcp_user_timeout|gss.*|krb.*|ssl(?:compression|sni|crl|crldir|password|certmode|negotiation)|channel_binding|load_balance_hosts|client_encoding|fallback_application_name)$/;

/** Waits as a node has them: long enough for another continent, short enough to try the next server. */
const defaultConnectTimeoutMs = 3000;

const urlForm =
	/^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hosts>[^/?]*)(?:\/(?<dbname>[^?]*))?(?:\?(?<query>.*))?$/s;

/** Throws `StoreError` for what cannot be meant. */
export function readConnectionSettings(url: string, env: NodeJS.ProcessEnv): ConnectionSettings {
	const given = textsIn(url);
	const stranger = Object.keys(given).find(name => !(name in parameters || ignored.test(name)));
	if (stranger !== undefined) {
		throw new StoreError(
			`Unknown option "${stranger}" in the database URL. Supported: ${Object.keys(parameters).join(', ')}.`,
		);
	}

	const say = (name: string) => given[name] || env[parameters[name] ?? ''] || undefined;
	const user = say('user') ?? systemUser();
	const database = say('dbname') ?? user;
	const attributes = say('target_session_attrs') ?? 'any';
	if (!['any', 'read-write', 'primary'].includes(attributes)) {
		throw new StoreError(
			`target_session_attrs cannot be "${attributes}": tinbox needs write access. Use any, read-write or primary.`,
		);
	}

	const seconds = Number(say('connect_timeout') ?? Number.NaN);
	const [password, options] = [say('password'), say('options')];
	const passwordFile = say('passfile') ?? path.join(homedir(), '.pgpass');
	return {
		servers: serversOf(say('host') ?? usualHost(), say('port') ?? '5432'),
		user,
		database,
		password: server => password ?? passwordIn(passwordFile, server, database, user),
		tls: tlsOf(say),
		connectTimeoutMs: seconds > 0 ? seconds * 1000 : defaultConnectTimeoutMs,
		session: {
			application_name: say('application_name') ?? 'tinbox',
			...(options !== undefined && {options}),
		},
	};
}

function textsIn(url: string): Readonly<Record<string, string>> {
	const {user, password, hosts, dbname, query} = urlForm.exec(url)?.groups ?? {};
	if (hosts === undefined) {
		throw new StoreError(
			`"${withoutPassword(url)}" is not a database URL. Use the form postgres://user@host:5432/database.`,
		);
	}

	if (hosts.includes('@')) {
		throw new StoreError('The password in the database URL contains "@". Write it as %40.');
	}

	try {
		const places = hosts === '' ? [] : hosts.split(',').map(place => /^(\[.*\]|[^:]*)(?::(.*))?$/.exec(place) ?? []);
		const ports = places.map(([, , port = '']) => port);
		return {
			user: decodeURIComponent(user ?? ''),
			password: decodeURIComponent(password ?? ''),
			host: places.map(([, host = '']) => decodeURIComponent(withoutBrackets(host))).join(','),
			port: ports.some(port => port !== '') ? ports.map(port => port || '5432').join(',') : '',
			dbname: decodeURIComponent(dbname ?? ''),
			...Object.fromEntries(new URLSearchParams(query)),
		};
	} catch {
		throw new StoreError('The database URL has a "%" that is not followed by two hexadecimal digits.');
	}
}

/** One port is for all hosts. */
function serversOf(hosts: string, ports: string): readonly HostPort[] {
	const portOf = ports.split(',');
	return hosts.split(',').map((host, index) => {
		const port = Number((portOf.length === 1 ? portOf[0] : portOf[index]) || '5432');
		if (!(Number.isInteger(port) && port > 0 && port <= 65_535)) {
			throw new StoreError(`The database port must be a number from 1 to 65535, got "${ports}".`);
		}

		return {host: host || usualHost(), port};
	});
}

function tlsOf(say: (name: string) => string | undefined): ConnectionSettings['tls'] {
	const usual = (file: string) => [path.join(homedir(), '.postgresql', file)].find(existsSync);
	const root = say('sslrootcert') ?? usual('root.crt');
	const asked = say('sslmode') ?? (root === 'system' ? 'verify-full' : 'prefer');
	const mode = sslModes.find(known => known === asked);
	if (mode === undefined) {
		throw new StoreError(`sslmode must be one of ${sslModes.join(', ')}, got "${asked}".`);
	}

	const [certificate, key] = [say('sslcert') ?? usual('postgresql.crt'), say('sslkey') ?? usual('postgresql.key')];
	return {
		// As in libpq: with authorities at hand, "require" verifies.
		mode: mode === 'require' && root !== undefined && root !== 'system' ? 'verify-ca' : mode,
		authorities: root === undefined || root === 'system' ? null : root,
		own: certificate && key ? {certificate, key} : null,
	};
}

/** The password in a file of lines `host:port:database:user:password`, where `*` is any; one that others can read does not count. */
function passwordIn(file: string, {host, port}: HostPort, database: string, user: string): string {
	const stats = statSync(file, {throwIfNoEntry: false});
	if (!stats?.isFile() || (stats.mode & 0o077) !== 0) {
		return '';
	}

	const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
	for (const line of readFileSync(file, 'utf8').split('\n')) {
		const fields = line.match(/(?:\\.|[^:\\])+/g)?.map(field => field.replace(/\\(.)/g, '$1')) ?? [];
		if (!line.startsWith('#') && wanted.every((value, index) => fields[index] === '*' || fields[index] === value)) {
			return fields[4] ?? '';
		}
	}

	return '';
}

/** Where Debian's servers, or those built from source, have their sockets; else this machine. */
function usualHost(): string {
	return ['/var/run/postgresql', '/tmp'].find(folder => existsSync(`${folder}/.s.PGSQL.5432`)) ?? 'localhost';
}

function systemUser(): string {
	try {
		return userInfo().username;
	} catch {
		return 'postgres';
	}
}

/** How a server is named in sentences. */
export function nameOfServer(server: HostPort): string {
	return server.host.startsWith('/') ? `${server.host}/.s.PGSQL.${server.port}` : hostPort(server);
}
