import {isUtf8} from 'node:buffer';
import type {FaultEffect} from '../../domain/faults/fault.js';
import type {Envelope, Session, SourcePart} from '../../domain/mail/message.js';
import type {Receipt} from '../../domain/mail/sending.js';

/** A mail that a request asks for. */
export type RequestedMail = {
	readonly envelope: Envelope;
	readonly session: Session;
	readonly source: Buffer;
	/** Of the inbox that takes it whoever it is for, since the sender has its key. */
	readonly inboxId?: string | undefined;
	/** What the request says of this mail alone: the data of its template. */
	readonly data?: Readonly<Record<string, unknown>> | undefined;
};

/** What goes with the mails of a request. */
export type RequestTerms = {
	readonly request?: AskedRequest | undefined;
	/** Makes what is stored with them, told the ids of the messages of each. */
	readonly receipt?: ((outcome: Pick<RequestOutcome, 'messageIds' | 'failures'>) => Receipt) | undefined;
	/** A mail that is refused does not keep the others from being stored. */
	readonly isEachAlone?: boolean | undefined;
};

/** What came of a request. */
export type RequestOutcome = {
	/** Of each mail: none when nobody has an inbox for it, or it was refused. */
	readonly messageIds: readonly (readonly string[])[];
	/** Why a mail was refused, by its place in the request; only where each is for itself. */
	readonly failures: ReadonlyMap<number, unknown>;
	/** What a fault does to the answer. */
	readonly effect: FaultEffect | null;
};

/** A request that brought mails, as it came. */
export type AskedRequest = {
	readonly provider: string;
	readonly method: string;
	readonly path: string;
	/** Without those that let somebody in. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer;
};

/** The same as it is read again. */
export type KeptRequest = Omit<AskedRequest, 'body'> & {
	/** In base64 where it is no text; null when it was not kept. */
	readonly body: string | null;
	readonly encoding: 'utf8' | 'base64';
	/** Bytes of the body as it came. */
	readonly bodySize: number;
	/** What it says of the one mail that is asked for; null for nothing, or for too much. */
	readonly data: Readonly<Record<string, unknown>> | null;
};

/** A mail, and what the request says of it alone. */
export type AskedMail = {readonly source: Buffer; readonly data?: Readonly<Record<string, unknown>> | undefined};

/** Beyond so many bytes, and twice those of the mails, no more of the request is kept: nobody's quota counts it. */
const freeBytes = 64 * 1024;

/** As large as they are handed on, so that who takes them has a turn. */
const pieceBytes = 64 * 1024;

/** The source that has all mails of a request, with where each is. Without its body the request is only told of. */
export function joinSource(mails: readonly AskedMail[], request: AskedRequest | undefined, hasBody: boolean) {
	const pieces: Buffer[] = [];
	let size = 0;
	const add = (bytes: Buffer) => {
		pieces.push(bytes);
		size += bytes.length;
		return size;
	};
	const places = mails.map(({source, data}) => {
		const start = size;
		add(source);
		const json = Buffer.from(data === undefined ? '' : JSON.stringify(data));
		return {start, end: json.length > roomOf([{source}]) ? size : add(json)};
	});
	const requestAt = size;
	if (request) {
		const {body, ...head} = request;
		const isKept = hasBody && body.length <= roomOf(mails);
		add(Buffer.from(`${JSON.stringify({...head, bodySize: body.length, isKept})}\n`));
		add(isKept ? body : Buffer.alloc(0));
	}

	return {
		pieces: pieces.flatMap(inPieces),
		parts: places.map((place): SourcePart => ({...place, requestAt})),
	};
}

function roomOf(mails: readonly AskedMail[]): number {
	return freeBytes + 2 * mails.reduce((sum, {source}) => sum + source.length, 0);
}

/** Pieces of bytes, which are not copied. */
export function inPieces(bytes: Buffer): readonly Buffer[] {
	return Array.from({length: Math.ceil(bytes.length / pieceBytes)}, (_, index) =>
		bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
	);
}

/** What stands behind the mails of a source, and (`data`) behind one of them; undefined when no request does. */
export function readRequest(bytes: Buffer, data: Buffer | undefined): KeptRequest | undefined {
	const end = bytes.indexOf('\n');
	if (end === -1) {
		return undefined;
	}

	const {isKept, ...head} = JSON.parse(bytes.toString('utf8', 0, end));
	const body = bytes.subarray(end + 1);
	const encoding = isUtf8(body) ? 'utf8' : 'base64';
	return {
		...head,
		encoding,
		body: isKept ? body.toString(encoding) : null,
		data: data ? JSON.parse(data.toString()) : null,
	};
}
