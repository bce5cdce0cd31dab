import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import net, {type Socket} from 'node:net';
import {Duplex} from 'node:stream';
import tls from 'node:tls';
import postgres from 'postgres';
import type {HostPort} from '../../../lib/io/hosts.js';
import {parseRow, rowText, withoutNul} from './row-text.js';
import {type ConnectionSettings, nameOfServer} from './settings.js';

/** Conversion of values. 64-bit integers become numbers, since none reaches 2 ** 53. */
const types = {
	string: {to: 25, from: [], serialize: (text: unknown) => withoutNul(String(text)), parse: String},
	bigint: {to: 20, from: [20], serialize: String, parse: Number},
	json: {to: 3802, from: [114, 3802], serialize: rowText, parse: parseRow},
	texts: {to: 1009, from: [], serialize: arrayText, parse: String},
	integers: {to: 1007, from: [1007], serialize: arrayText, parse: numbersOf},
	bigints: {to: 1016, from: [1016], serialize: arrayText, parse: numbersOf},
};

export type Sql = postgres.Sql<{bigint: number; json: unknown}>;
export type Transaction = postgres.TransactionSql<{bigint: number; json: unknown}>;

/** A session or a transaction. */
export type AnySql = postgres.ISql<{bigint: number; json: unknown}>;

/** Part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Parameter for `json_to_recordset`. */
export function recordset(sql: AnySql, rows: readonly object[]) {
	return sql.typed(rows, 114);
}

/** Row with a whole record. */
export type Row<T> = {readonly row: T};

/** Server-side timeouts of a statement and of an idle transaction, in milliseconds. */
const statementTimeoutMs = 30_000;

/** A server that sends nothing for this long while a caller waits has failed. */
const maxSilenceMs = statementTimeoutMs + 5000;

/** Timeout for ending an idle session, in seconds. */
const endTimeoutSeconds = 1;

export type SessionOptions = {
	/** Connects to a server, with TLS if required. */
	connect(): Promise<{readonly server: HostPort; readonly socket: Socket}>;
	/** Called when the connection has ended. */
	readonly onClose?: () => void;
	/** Receives notifications of the channels that the session listens to. */
	readonly onNotification?: (payload: string) => void;
	/** True if a caller waits for an answer. Then a silent server is treated as failed. */
	readonly isAwaited?: () => boolean;
};

export type DatabaseSession = {
	readonly sql: Sql;
	/** Ends the session. Running statements fail. */
	end(): Promise<void>;
};

/**
 * Creates a session with a server. It connects with the first statement, once: when the driver reconnects by itself, it may
 * lose a statement that it was about to send, and it connects even after `end`.
 */
export function openSession(settings: ConnectionSettings, session: SessionOptions): DatabaseSession {
	const {connect, onClose = () => {}, onNotification = () => {}, isAwaited = () => false} = session;
	let [hasConnected, isOver] = [false, false];
	let connection: Socket | undefined;
	let password = '';
	/** Replaces the driver's way to connect. */
	const connectForDriver = async (): Promise<Duplex> => {
		try {
			assertNotOver(hasConnected || isOver);
			hasConnected = true;
			const {server, socket} = await connect();
			connection = socket;
			assertNotOver(isOver);
			password = settings.password(server);
			socket.setTimeout(maxSilenceMs, () => {
				if (isAwaited()) {
					socket.destroy(Object.assign(new Error('the server does not respond'), {code: 'ETIMEDOUT'}));
				}
			});
			return socket;
		} catch (error) {
			connection?.destroy();
			return failing(error);
		}
	};
	const options = {
		max: 1,
		socket: connectForDriver,
		host: 'database',
		port: 5432,
		ssl: false,
		user: settings.user,
		database: settings.database,
		password: () => password,
		connect_timeout: settings.connectTimeoutMs / 1000,
		backoff: () => 0,
		/** The driver ends sessions with a read-only standby. */
		target_session_attrs: 'primary' as const,
		connection: {
			search_path: 'tinbox',
			statement_timeout: statementTimeoutMs,
			// Statements are short; compiling them takes longer than running them.
			jit: 'off',
			idle_in_transaction_session_timeout: statementTimeoutMs,
			...settings.session,
		},
		types,
		/** If the driver's query for array types fails, it ends the process. The types in use are listed above. */
		fetch_types: false,
		onnotice: () => {},
		onnotify: (_channel: string, payload: string) => onNotification(payload),
		onclose: () => {
			isOver = true;
			onClose();
		},
		/** By default, sessions end after a while, even within a transaction. */
		max_lifetime: null,
	};
	// The driver's types lack `socket`.
	const sql = postgres(options as postgres.Options<typeof types>) as Sql;
	return {
		sql,
		async end() {
			const timeout = isOver || isAwaited() ? 0 : endTimeoutSeconds;
			isOver = true;
			await sql.end({timeout});
			connection?.destroy();
		},
	};
}

function assertNotOver(isOver: boolean): void {
	if (isOver) {
		throw Object.assign(new Error('the connection was lost'), {code: 'CONNECTION_CLOSED'});
	}
}

/** Returns a connection that fails: the driver expects errors from the connection itself. */
function failing(error: unknown): Duplex {
	const stream = new Duplex({read() {}, write: (_chunk, _encoding, done) => done()});
	setImmediate(() => stream.destroy(error as Error));
	return stream;
}

function arrayText(values: ReadonlyArray<string | number | null>): string {
	const elements = values.map(value => (value === null ? 'null' : `"${String(value).replace(/[\\"]/g, '\\$&')}"`));
	return withoutNul(`{${elements.join()}}`);
}

function numbersOf(text: string): number[] {
	return text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}

/** SSLRequest message of the PostgreSQL protocol. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Connects to a server, with TLS as the settings require. Rejects with an error of the system or of TLS. */
export async function openSocket(server: HostPort, settings: ConnectionSettings): Promise<net.Socket> {
	const deadline = AbortSignal.timeout(settings.connectTimeoutMs);
	const isUnix = server.host.startsWith('/');
	const socket = isUnix ? net.connect(nameOfServer(server)) : net.connect({...server, noDelay: true});
	try {
		await once(socket, 'connect', {signal: deadline});
		return isUnix || settings.tls.mode === 'disable' ? socket : await startTls(socket, server, settings, deadline);
	} catch (error) {
		socket.destroy();
		throw deadline.aborted ? timeoutError(server) : error;
	}
}

async function startTls(
	socket: net.Socket,
	{host}: HostPort,
	{tls: {mode, authorities, own}}: ConnectionSettings,
	signal: AbortSignal,
): Promise<net.Socket> {
	const lost = () => socket.destroy(Object.assign(new Error('the connection was lost'), {code: 'ECONNRESET'}));
	socket.once('end', lost).write(sslRequest);
	const [answer]: Buffer[] = await once(socket, 'data', {signal});
	socket.off('end', lost);
	if (answer?.toString('latin1') !== 'S') {
		if (answer?.toString('latin1') === 'N' && mode === 'prefer') {
			return socket;
		}

		throw Object.assign(new Error('the server does not support TLS, which sslmode requires'), {code: 'NO_TLS'});
	}

	const secure = tls.connect({
		socket,
		// The name to verify, possibly an IP address, which SNI does not allow.
		host,
		...(net.isIP(host) === 0 && {servername: host}),
		rejectUnauthorized: mode.startsWith('verify'),
		...(mode !== 'verify-full' && {checkServerIdentity: () => undefined}),
		...(authorities !== null && {ca: readFileSync(authorities)}),
		...(own && {cert: readFileSync(own.certificate), key: readFileSync(own.key)}),
	});
	await once(secure, 'secureConnect', {signal});
	return secure;
}

function timeoutError(server: HostPort): Error {
	return Object.assign(new Error(`${nameOfServer(server)} does not respond`), {code: 'ETIMEDOUT'});
}
