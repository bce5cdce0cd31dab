import {Duplex} from 'node:stream';
import postgres from 'postgres';
import type {HostPort} from '../../lib/hosts.js';
import type {ConnectionSettings} from './connection-settings.js';
import {parseRow, rowText, withoutNul} from './row-text.js';

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

/** Seconds between two attempts of one session to connect. */
const retryAfter = 0.1;

export type SessionOptions = {
	/** At most so many. */
	readonly max: number;
	/** The server that each is with, and a connection to it, over TLS where it has to be. */
	reach(): Promise<{readonly server: HostPort; readonly socket: Duplex}>;
	/** Is called when one has lost its connection. */
	readonly onClose?: () => void;
};

/** Sessions that begin when something is asked. */
export function openSessions(settings: ConnectionSettings, {max, reach, onClose}: SessionOptions): Sql {
	let password = '';
	const options = {
		max,
		/** Takes the place of the driver's own way to connect, which never gives up where several hosts are named. */
		socket: async () => {
			try {
				const {server, socket} = await reach();
				password = settings.password(server);
				return socket;
			} catch (error) {
				return failing(error);
			}
		},
		host: 'database',
		port: 5432,
		ssl: false,
		user: settings.user,
		database: settings.database,
		password: () => password,
		connect_timeout: settings.connectTimeoutMs / 1000,
		backoff: () => retryAfter,
		/** The driver ends sessions with a standby, which take no writes. */
		target_session_attrs: 'primary' as const,
		connection: {
			search_path: 'tinbox',
			statement_timeout: statementMs,
			idle_in_transaction_session_timeout: statementMs,
			...settings.session,
		},
		types,
		/** The driver asks the server for the types of arrays, and ends the process when that fails: those in use stand above. */
		fetch_types: false,
		onnotice: () => {},
		onclose: onClose,
		/** Else sessions end after a while, be it in a transaction. */
		max_lifetime: null,
	};
	// Its types do not know `socket`.
	return postgres(options as postgres.Options<typeof types>) as Sql;
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
