import {causeOf, errorCode, StoreError} from '../../lib/errors.js';
import type {HostPort} from '../../lib/hosts.js';
import {type ConnectionSettings, nameOfServer} from './connection-settings.js';
import type {Vitals} from './pulse.js';

/** A server that cannot be used, and why. */
export type UnfitServer = {readonly server: HostPort | undefined; readonly error: unknown};

/** PostgreSQL 13. */
const oldestVersion = 130_000;

/** Throws what a server lacks to be the one; one on an older history than the newest known was succeeded. */
export function assertFit({version, isReadOnly, timeline}: Vitals, newestTimeline: number): void {
	if (version < oldestVersion) {
		const known = `${Math.floor(version / 10_000)}.${version % 10_000}`;
		throw new StoreError(`is PostgreSQL ${known}, but tinbox requires 13 or newer`);
	}

	if (isReadOnly) {
		throw new StoreError('is read-only (default_transaction_read_only is on)');
	}

	if (timeline < newestTimeline) {
		throw new StoreError('was replaced by another server');
	}
}

/** What is wrong and what to do about it, in a sentence or two for whoever starts a node. */
export function whyNone(
	failures: readonly UnfitServer[],
	{servers, user, database, password}: ConnectionSettings,
): StoreError {
	// Those that answered tell most.
	const {server, error} = failures.find(({error}) => !isUnreachable(error)) ??
		failures[0] ?? {server: servers[0], error: ''};
	const place = server ? nameOfServer(server) : '';
	const code = errorCode(error) ?? '';
	if (isUnreachable(error)) {
		const all = servers.map(nameOfServer).join(', ');
		return new StoreError(
			`Cannot connect to a database at ${all} (${causeOf(error)}). Check that it is running and that --store has the right address.`,
		);
	}

	const sentences: Readonly<Record<string, string>> = {
		'28P01':
			server && password(server) === ''
				? `The database at ${place} requires a password for the user "${user}". Set it in the URL, in PGPASSWORD or in a password file.`
				: `The database at ${place} rejected the password of the user "${user}".`,
		'28000': `The database at ${place} rejected the user "${user}" (${causeOf(error)}). Check its pg_hba.conf.`,
		'3D000': `There is no database "${database}" at ${place}. Create it: createdb ${database}`,
		'42501': `The user "${user}" has no permission for the database "${database}" at ${place} (${causeOf(error)}).`,
		CONNECTION_DESTROYED: `The server at ${place} is a read-only standby. Use the primary, or list both servers: postgres://one:5432,other:5432/${database}`,
	};
	const other = error instanceof StoreError ? error.message : `cannot be used: ${causeOf(error)}`;
	return new StoreError(sentences[code] ?? `The database at ${place} ${other}.`);
}

function isUnreachable(error: unknown): boolean {
	return /^(?:ECONN|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ENOENT|ETIMEDOUT|CONNECT_TIMEOUT|CONNECTION_CLOSED)/.test(
		errorCode(error) ?? '',
	);
}
