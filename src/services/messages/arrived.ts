import {Readable} from 'node:stream';
import type {Message} from '../../domain/message.js';
import {inPieces} from './request-source.js';

/** A mail whose bytes have come: its beginning, and all of them. */
export type Arrived = {
	readonly sourceId: string;
	readonly size: number;
	readonly head: Buffer;
	read(): Readable | Promise<Readable>;
};

/** A mail that was elsewhere before. */
export type Deposited = Pick<Message, 'envelope' | 'summary'> & {readonly source: Buffer};

/** Bytes of a mail that is read at once when somebody waits for it. */
export const smallBytes = 64 * 1024;

/** One that is whole in memory. */
export function arrivedOf(sourceId: string, source: Buffer): Arrived {
	const head = source.subarray(0, smallBytes);
	const read = () => Readable.from(inPieces(source), {objectMode: false});
	return {sourceId, size: source.length, head, read};
}
