import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {v7 as uuid} from 'uuid';
import {AppError} from '../../../domain/errors.js';
import type {ByteRange, SourceStore, StagedSource} from '../../port.js';
import {inlineBytes, stageBytes} from '../../staging.js';
import {idOf} from '../rows.js';
import {batchedFind} from '../session/batched.js';
import type {Database} from '../session/database.js';

/** Size of all chunks except the last. */
const chunkBytes = 256 * 1024;

const whole: ByteRange = {start: 0, end: Number.POSITIVE_INFINITY};

/** Small mails read per statement. */
const maxRead = 64;

type StoredSource = {readonly id: string; readonly size: number; readonly bytes: Buffer | null};

/**
 * Sources of messages. A small one stays in memory until its message is stored. A large one is written to the database while
 * it arrives, so that the transaction of its message stays short. Until then `staged_at` marks it as unfinished.
 */
export function createSourceStore(database: Database): SourceStore {
	const stored = batchedFind(
		async ids =>
			database.run(
				sql => sql<StoredSource[]>`
					select id, size, bytes from sources where id = any(${ids}) and staged_at is null
				`,
			),
		idOf,
		maxRead,
	);
	const stream = (bytes: Iterable<Buffer> | AsyncIterable<Buffer>) => Readable.from(bytes, {objectMode: false});
	return {
		stage: async (bytes, id = uuid()) => {
			database.assertOpen();
			return stageBytes(bytes, id, async (head, rest) => stageLarge(database, id, head, rest));
		},
		readStaged: async source => {
			const bytes = inlineBytes(source);
			return stream(bytes ? [bytes] : chunksOf(database, source, whole));
		},
		discard: async source => {
			if (!inlineBytes(source)) {
				await discardLarge(database, source.id);
			}
		},
		read: async (id, range = whole) => {
			const source = await stored(id);
			return (
				source &&
				stream(source.bytes ? [source.bytes.subarray(range.start, range.end + 1)] : chunksOf(database, source, range))
			);
		},
	};
}

/** Stores a large mail in chunks. Leaves nothing behind if it fails. */
async function stageLarge(database: Database, id: string, head: Buffer, rest: Readable): Promise<StagedSource> {
	const keep = async (chunk: Buffer, number: number) =>
		// Synced to disk with the message that is stored later.
		database.run(
			sql => sql`
				with later as (select set_config('synchronous_commit', 'off', true))
				insert into source_chunks (source_id, number, bytes) select ${id}, ${number}, ${chunk} from later
			`,
		);
	let size = 0;
	try {
		await pipeline(rest, async (pieces: AsyncIterable<Buffer>) => {
			await database.run(sql => sql`insert into sources (id, size, uses, staged_at) values (${id}, 0, 0, now())`);
			let number = 0;
			for await (const chunk of chunked(head, pieces)) {
				await keep(chunk, number++);
				size += chunk.length;
			}
		});
	} catch (error) {
		await discardLarge(database, id).catch(() => {});
		throw error;
	}

	return {id, size, head};
}

/** Splits bytes into pieces of `chunkBytes`; the last may be shorter. */
async function* chunked(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	let pieces: Buffer[] = [];
	let size = 0;
	for await (const piece of joined(head, rest)) {
		pieces.push(piece);
		size += piece.length;
		if (size >= chunkBytes) {
			let bytes = Buffer.concat(pieces, size);
			for (; bytes.length >= chunkBytes; bytes = bytes.subarray(chunkBytes)) {
				yield bytes.subarray(0, chunkBytes);
			}

			pieces = [bytes];
			size = bytes.length;
		}
	}

	if (size > 0) {
		yield Buffer.concat(pieces, size);
	}
}

async function* joined(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	yield head;
	yield* rest;
}

/** Deletes the source unless a message uses it. */
async function discardLarge(database: Database, id: string): Promise<void> {
	await database.run(
		sql => sql`
			with gone as (delete from sources where id = ${id} and staged_at is not null returning id)
			delete from source_chunks using gone where source_id = gone.id
		`,
	);
}

/** Reads a range of a large source. Throws `not_found` if it is deleted meanwhile. */
async function* chunksOf(
	database: Database,
	{id, size}: Pick<StoredSource, 'id' | 'size'>,
	{start, end}: ByteRange,
): AsyncGenerator<Buffer> {
	const stop = Math.min(end + 1, size);
	for (let at = start; at < stop; ) {
		const number = Math.floor(at / chunkBytes);
		const [chunk] = await database.run(
			sql => sql<{bytes: Buffer}[]>`select bytes from source_chunks where source_id = ${id} and number = ${number}`,
		);
		if (!chunk) {
			throw new AppError('not_found', 'The message was deleted during the read.');
		}

		const first = number * chunkBytes;
		yield chunk.bytes.subarray(at - first, stop - first);
		at = first + chunkBytes;
	}
}
