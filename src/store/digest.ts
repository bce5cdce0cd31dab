import {createHash} from 'node:crypto';
import {type Message, rangeOf} from '../domain/mail/message.js';
import type {DumpRows, DumpTable} from './dump-store.js';
import type {SourceStore, Store} from './store.js';

/** How many rows of a table there are, and a hash of them. */
export type Digest = {readonly count: number; readonly hash: string};

/** Tables whose order says nothing. */
const unordered: readonly DumpTable[] = ['bounces', 'deliveries', 'faultCounts', 'receipts', 'templates'];

const modulus = 2n ** 256n;

/**
 * A digest of all rows of a table and, with messages, of their bytes. It is the same in another store exactly if the rows are,
 * and their order: of messages that in each inbox. `onRows` is told how many were read.
 */
export async function digestOf(
	{dump, sources}: Pick<Store, 'dump' | 'sources'>,
	table: DumpTable,
	onRows: (count: number) => void,
): Promise<Digest> {
	/** How many came before in what a row is in order with. */
	const places = new Map<string, number>();
	const placeOf = (row: DumpRows[DumpTable]) => {
		const group = 'sourceId' in row ? row.inboxId : '';
		const place = places.get(group) ?? 0;
		places.set(group, place + 1);
		return unordered.includes(table) ? 0 : place;
	};
	let count = 0;
	let sum = 0n;
	for await (const rows of dump.read(table, 0)) {
		const sourceHashes = await Promise.all(rows.map(row => ('sourceId' in row ? hashOfSource(row, sources) : '')));
		for (const [index, row] of rows.entries()) {
			const hash = createHash('sha256').update(`${placeOf(row)} ${sourceHashes[index]} ${canonicalJson(row)}`);
			sum = (sum + BigInt(`0x${hash.digest('hex')}`)) % modulus;
		}

		count += rows.length;
		onRows(rows.length);
	}

	return {count, hash: sum.toString(16)};
}

/** Of several mails in one source the first stands for what is behind all of them. */
async function hashOfSource(message: Message, sources: Pick<SourceStore, 'read'>): Promise<string> {
	const bytes = await sources.read(message.sourceId, message.part?.start === 0 ? undefined : rangeOf(message));
	if (!bytes) {
		return 'lost';
	}

	const hash = createHash('sha256');
	for await (const chunk of bytes) {
		hash.update(chunk);
	}

	return hash.digest('hex');
}

/** The same text for what is deep-equal. */
function canonicalJson(row: object): string {
	return JSON.stringify(row, (_, value) =>
		typeof value === 'object' && value !== null && !Array.isArray(value)
			? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
			: value,
	);
}
