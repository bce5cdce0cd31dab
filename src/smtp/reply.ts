import {AppError, type ErrorCode} from '../domain/errors.js';
import type {Log} from '../lib/log.js';
import {goneInbox} from '../services/messages/recipients.js';

/** The replies to the expected failures that mail can meet (RFC 5321, section 4.2.3). */
const replyCodes: Readonly<Partial<Record<ErrorCode, number>>> = {
	storage_full: 452,
	limit_reached: 452,
	stopping: 421,
	rate_limited: 450,
	unavailable: 451,
	not_found: 550,
	too_large: 552,
	unauthorized: 530,
};

/** The reply to all others. */
const plainRefusal = 554;

/** A negative reply, in the form that smtp-server sends. */
export class Refusal extends Error {
	readonly responseCode: number;

	constructor(responseCode: number, message: string) {
		super(message);
		this.responseCode = responseCode;
	}
}

/** The reply to a recipient that is to come in another mail (RFC 5321, section 4.5.3.1.10). */
export const tooManyRecipients = new Refusal(
	452,
	'Too many recipients with webhooks; send to the remaining recipients separately',
);

/** The replies to AUTH that are always the same (RFC 4954, sections 4 and 6). */
export const malformedBase64 = 'Invalid base64';
export const encryptionRequired = 'Encryption required: send STARTTLS first';
export const tooManyFailures = new Refusal(421, 'Too many failed logins; try again in a minute');

/** What a reply code alone does not tell (RFC 3463, section 3), by the text of the reply. */
export const enhancedCodes: ReadonlyMap<unknown, string> = new Map([
	[tooManyRecipients.message, '4.5.3'],
	[malformedBase64, '5.5.2'],
	[encryptionRequired, '5.7.11'],
	[tooManyFailures.message, '4.7.0'],
	[goneInbox, '5.2.1'],
]);

/** The reply to whatever was thrown in that session, which may be one: what was not expected is logged in full and told as 451. */
export function refusalOf(error: unknown, session: string, log: Log): Refusal {
	if (error instanceof Refusal) {
		return error;
	}

	if (error instanceof AppError) {
		return new Refusal(replyCodes[error.code] ?? plainRefusal, error.message);
	}

	log.error({session, err: error}, 'Receiving mail failed unexpectedly');
	return new Refusal(451, 'Internal error; try again later');
}
