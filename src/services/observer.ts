import type {RefusalStage, SendProvider} from '../contract/constants.js';
import type {ErrorCode} from '../domain/errors.js';
import type {FaultHit} from '../domain/faults/fault.js';
import type {Attempt, Delivery} from '../domain/webhooks/delivery.js';

/** How mail comes: by SMTP, by a sending API, or from the daemon itself, as bounces do. */
export type MailWay = 'smtp' | 'daemon' | SendProvider;

/**
 * What became of a mail that came in whole: it was kept, or refused by a fault, or as a code says; `answered` is one of a request
 * that was answered before, and `failed` one that broke off or met a bug.
 */
export type MailResult = 'kept' | 'faulted' | 'answered' | 'failed' | ErrorCode;

/** Is told what happens, as it does, to measure it: it takes next to no time, and never throws. */
export type Observer = {
	mail(way: MailWay, outcome: MailResult): void;
	/** Of all mails of one commit: the bytes of their source, and seconds until it was durable. */
	commit(way: MailWay, bytes: number, seconds: number): void;
	/** A wait that was answered since something came: seconds from that to the answer. */
	wakeUp(seconds: number): void;
	/** The delivery as it was before the attempt, and seconds that this took. */
	attempt(delivery: Delivery, attempt: Attempt, seconds: number): void;
	/** So many at once, for as many addresses; a reply is null where there was none. */
	refusal(stage: RefusalStage, reply: string | null, count: number): void;
	faultHit(hit: FaultHit): void;
};
