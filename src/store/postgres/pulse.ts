import {setTimeout as sleep} from 'node:timers/promises';
import type {HostPort} from '../../lib/hosts.js';
import {openSessions} from './connection.js';
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
export type Pulse = {readonly server: HostPort; ask(): Promise<Vitals>; end(): void};

/** A server can be very busy. */
const deadlineMs = 5000;

export function createPulse(server: HostPort, settings: ConnectionSettings): Pulse {
	const reach = async () => ({server, socket: await openSocket(server, settings)});
	const sql = openSessions(settings, {max: 1, reach});
	return {
		server,
		async ask() {
			const query = sql<[Vitals]>`
				select current_setting('server_version_num')::int as version,
					current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
					('x' || substring(pg_walfile_name(pg_current_wal_lsn()) for 8))::bit(32)::int as timeline
			`;
			const waited = new AbortController();
			const late = sleep(deadlineMs, undefined, {signal: waited.signal, ref: false}).then(() => {
				throw Object.assign(new Error('the server does not answer'), {code: 'ETIMEDOUT'});
			});
			try {
				const [vitals] = await Promise.race([query, late]);
				return vitals as Vitals;
			} finally {
				late.catch(() => {});
				waited.abort();
			}
		},
		end: () => void sql.end({timeout: 0}).catch(() => {}),
	};
}
