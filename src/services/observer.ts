import type {RefusalStage, SendProvider} from '../contract/constants.js';
import type {ErrorCode} from '../domain/errors.js';
import type {FaultHit} from '../domain/faults/fault.js';
import type {AttemptResult, Delivery} from '../domain/webhooks/delivery.js';

/** Origin of mail: SMTP, a sending API, or the daemon itself, which creates bounces. */
export type MailOrigin = 'smtp' | 'daemon' | SendProvider;

/**
 * Outcome of a mail: stored, rejected by a fault, or rejected with an error code. `answered` is a mail of a repeated request,
 * `failed` one that broke off or caused an unexpected error.
 */
export type MailResult = 'kept' | 'faulted' | 'answered' | 'failed' | ErrorCode;

/** Receives what happens, for metrics. It is fast and never throws. */
export type Observer = {
	mail(origin: MailOrigin, outcome: MailResult): void;
	/** One commit of mail: bytes of the source, and seconds until it was durable. */
	commit(origin: MailOrigin, bytes: number, seconds: number): void;
	/** A wait that mail ended: seconds from the event to the answer. */
	wakeUp(seconds: number): void;
	/** An attempt, with the delivery before it, and its duration in seconds. */
	attempt(delivery: Delivery, attempt: AttemptResult, seconds: number): void;
	/** `count` refusals with the same reply; null if there was none. */
	refusal(stage: RefusalStage, reply: string | null, count: number): void;
	faultHit(hit: FaultHit): void;
};
