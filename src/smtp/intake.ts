import type {Readable} from 'node:stream';
import type {Envelope} from '../domain/message.js';

/** Where mail goes. What is refused is an `AppError`; anything else that is thrown is a bug and answered with 451. */
export type Intake = {
	/** Whether somebody takes mail for the address. */
	accepts(address: string): Promise<boolean>;
	/**
	 * Keeps the mail: once it resolved, the sender may forget it (RFC 5321, section 6.1). The source fails when the
	 * client leaves before the end, or with `too_large`; whatever is left of it when this rejects is read and dropped.
	 */
	deliver(envelope: Envelope, source: Readable): Promise<void>;
};
