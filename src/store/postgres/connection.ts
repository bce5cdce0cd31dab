import postgres from 'postgres';
import {parseRow, rowText} from './row-text.js';

/** How values are read and written: 64-bit integers as numbers, since none here comes near to 2 ** 53. */
const types = {
	bigint: {to: 20, from: [20], serialize: String, parse: Number},
	json: {to: 3802, from: [114, 3802], serialize: rowText, parse: parseRow},
};

export type Sql = postgres.Sql<{bigint: number; json: unknown}>;
export type Transaction = postgres.TransactionSql<{bigint: number; json: unknown}>;

/** Sessions that a node has at most, besides the one that listens. */
const poolSize = 10;

/** Connects when something is asked first. Where the URL says nothing, or there is none, libpq's variables (`PG*`) do. */
export function connect(url: string | undefined, options: {readonly max?: number} = {}): Sql {
	return postgres(url ?? '', {
		max: poolSize,
		connect_timeout: 5,
		connection: {application_name: 'tinbox', search_path: 'tinbox'},
		types,
		onnotice: () => {},
		...options,
	});
}
