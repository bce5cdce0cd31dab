import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import net, {type Socket} from 'node:net';
import {Duplex} from 'node:stream';
import tls from 'node:tls';
import postgres from 'postgres';
import type {HostPort} from '../../../lib/io/hosts.js';
import {parseRow, rowText, withoutNul} from './row-text.js';
import {type ConnectionSettings, nameOfServer} from './settings.js';

/** How values are read and written: 64-bit integers as numbers, since none here comes near to 2 ** 53. */
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

/** Either of them. */
export type AnySql = postgres.ISql<{bigint: number; json: unknown}>;

/** How long the server works at most on one statement, and waits for a transaction to go on, in milliseconds. */
const statementMs = 30_000;

/** Within `statementMs` a server says something to whoever waits for it; one that does not is gone. */
const silenceMs = statementMs + 5000;

/** How long a session that nothing is asked of may take to end, in seconds. */
const endAfter = 1;

export type SessionOptions = {
	/** The server that it is with, and a connection to it, over TLS where it has to be. */
	reach(): Promise<{readonly server: HostPort; readonly socket: Socket}>;
	/** Is called when there is no connection any more. */
	readonly onClose?: () => void;
	/** Is told what comes over the channels that are listened to. */
	readonly onNotice?: (payload: string) => void;
	/** Whether somebody waits for an answer, so that a server which says nothing for long is gone. */
	readonly isAsked?: () => boolean;
};

export type DatabaseSession = {
	readonly sql: Sql;
	/** What is under way fails. */
	end(): Promise<void>;
};

/**
 * A session with a server. It connects when something is first asked, never again, and is over with its connection: where the
 * driver connects once more by itself, it sends nothing any more when it was just about to write, and connects even after its end.
 */
export function openSession(settings: ConnectionSettings, session: SessionOptions): DatabaseSession {
	const {reach, onClose = () => {}, onNotice = () => {}, isAsked = () => false} = session;
	let [isBegun, isOver] = [false, false];
	let connection: Socket | undefined;
	let password = '';
	/** Takes the place of the driver's own way to connect. */
	const connect = async (): Promise<Duplex> => {
		try {
			assertNot(isBegun || isOver);
			isBegun = true;
			const {server, socket} = await reach();
			connection = socket;
			assertNot(isOver);
			password = settings.password(server);
			socket.setTimeout(silenceMs, () => {
				if (isAsked()) {
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
		socket: connect,
		host: 'database',
		port: 5432,
		ssl: false,
		user: settings.user,
		database: settings.database,
		password: () => password,
		connect_timeout: settings.connectTimeoutMs / 1000,
		backoff: () => 0,
		/** The driver ends sessions with a standby, which take no writes. */
		target_session_attrs: 'primary' as const,
		connection: {
			search_path: 'tinbox',
			statement_timeout: statementMs,
			// All statements are short, and compiling them takes longer than they do.
			jit: 'off',
			idle_in_transaction_session_timeout: statementMs,
			...settings.session,
		},
		types,
		/** The driver asks the server for the types of arrays, and ends the process when that fails: those in use stand above. */
		fetch_types: false,
		onnotice: () => {},
		onnotify: (_channel: string, payload: string) => onNotice(payload),
		onclose: () => {
			isOver = true;
			onClose();
		},
		/** Else sessions end after a while, be it in a transaction. */
		max_lifetime: null,
	};
	// Its types do not know `socket`.
	const sql = postgres(options as postgres.Options<typeof types>) as Sql;
	return {
		sql,
		async end() {
			const timeout = isOver || isAsked() ? 0 : endAfter;
			isOver = true;
			await sql.end({timeout});
			connection?.destroy();
		},
	};
}

function assertNot(isOver: boolean): void {
	if (isOver) {
		throw Object.assign(new Error('the connection was lost'), {code: 'CONNECTION_CLOSED'});
	}
}

/** The driver wants to hear of a failure from the connection itself. */
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

/** Asks whether the server speaks TLS ("SSLRequest" of the protocol). */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Connects to a server, over TLS where the settings ask for it. Rejects as the system, TLS or the settings say. */
export async function openSocket(server: HostPort, settings: ConnectionSettings): Promise<net.Socket> {
	const deadline = AbortSignal.timeout(settings.connectTimeoutMs);
	const isUnix = server.host.startsWith('/');
	const socket = isUnix ? net.connect(nameOfServer(server)) : net.connect({...server, noDelay: true});
	try {
		await once(socket, 'connect', {signal: deadline});
		return isUnix || settings.tls.mode === 'disable' ? socket : await secured(socket, server, settings, deadline);
	} catch (error) {
		socket.destroy();
		throw deadline.aborted ? late(server) : error;
	}
}

async function secured(
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
		// The name to be verified, which can be an address; SNI takes none.
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

function late(server: HostPort): Error {
	return Object.assign(new Error(`${nameOfServer(server)} does not respond`), {code: 'ETIMEDOUT'});
}
