import {setTimeout as sleep} from 'node:timers/promises';
import type {HostPort} from '../../lib/hosts.js';
import {openSession} from './connection.js';
import type {ConnectionSettings} from './connection-settings.js';
import {openSocket} from './socket.js';

/** What a server says of itself. */
export type Vitals = {
	/** As in `server_version_num`: 150004 is 15.4. */
	readonly version: number;
	/** Whether sessions that begin now can only read. */
	readonly isReadOnly: boolean;
	/** Counts how often a standby has become the primary: one on an older history was succeeded. */
	readonly timeline: number;
};

/** A session that asks one server how it is; it fails with a standby, which takes no writes. */
export type Pulse = {
	readonly server: HostPort;
	/** With which it is reached. */
	readonly settings: ConnectionSettings;
	ask(): Promise<Vitals>;
	end(): void;
};

/** A server can be very busy. */
const deadlineMs = 5000;

/** As libpq has it: "allow" is without TLS, and with it where the server does not take that. */
export function waysTo(settings: ConnectionSettings): readonly [ConnectionSettings, ...ConnectionSettings[]] {
	const withTls = (mode: ConnectionSettings['tls']['mode']) => ({...settings, tls: {...settings.tls, mode}});
	return settings.tls.mode === 'allow' ? [withTls('disable'), withTls('require')] : [settings];
}

export function createPulse(server: HostPort, settings: ConnectionSettings): Pulse {
	const reach = async () => ({server, socket: await openSocket(server, settings)});
	let isAsked = false;
	const session = openSession(settings, {reach, isAsked: () => isAsked});
	return {
		server,
		settings,
		async ask() {
			isAsked = true;
			const query = session.sql<[Vitals]>`
				select current_setting('server_version_num')::int as version,
					current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
					('x' || substring(pg_walfile_name(pg_current_wal_lsn()) for 8))::bit(32)::int as timeline
			`;
			const waited = new AbortController();
			const late = sleep(deadlineMs, undefined, {signal: waited.signal, ref: false}).then(() => {
				throw Object.assign(new Error('the server does not respond'), {code: 'ETIMEDOUT'});
			});
			try {
				const [vitals] = await Promise.race([query, late]);
				return vitals as Vitals;
			} finally {
				isAsked = false;
				late.catch(() => {});
				waited.abort();
			}
		},
		end: () => void session.end(),
	};
}
