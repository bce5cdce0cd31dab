import type {FaultEffect} from '../../domain/fault.js';
import type {Envelope, Session} from '../../domain/message.js';
import type {Receipt} from '../../domain/receipt.js';
import type {AskedRequest} from './request-source.js';

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
