import {AppError, type ErrorCode} from '../domain/errors.js';
import type {Log} from '../lib/log.js';
import {goneInbox} from '../services/messages/recipients.js';

/** Reply codes of expected errors (RFC 5321, section 4.2.3). */
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

/** Reply code of all other expected errors. */
const otherCode = 554;

/** Negative reply in the form that the library sends. */
export class Refusal extends Error {
	readonly responseCode: number;

	constructor(responseCode: number, message: string) {
		super(message);
		this.responseCode = responseCode;
	}
}

/** Reply to a recipient that must be sent in another mail (RFC 5321, section 4.5.3.1.10). */
export const tooManyRecipients = new Refusal(
	452,
	'Too many recipients with webhooks; send to the remaining recipients separately',
);

/** Replies to AUTH (RFC 4954, sections 4 and 6). */
export const malformedBase64 = 'Invalid base64';
export const encryptionRequired = 'Encryption required: send STARTTLS first';
export const tooManyFailures = new Refusal(421, 'Too many failed logins; try again in a minute');

/** Enhanced status codes (RFC 3463, section 3) that do not follow from the reply code, by text of the reply. */
export const enhancedCodes: ReadonlyMap<unknown, string> = new Map([
	[tooManyRecipients.message, '4.5.3'],
	[malformedBase64, '5.5.2'],
	[encryptionRequired, '5.7.11'],
	[tooManyFailures.message, '4.7.0'],
	[goneInbox, '5.2.1'],
]);

/** Turns an error of the session into a reply. Unexpected errors are logged in full, and their reply is 451. */
export function refusalOf(error: unknown, session: string, log: Log): Refusal {
	if (error instanceof Refusal) {
		return error;
	}

	if (error instanceof AppError) {
		return new Refusal(replyCodes[error.code] ?? otherCode, error.message);
	}

	log.error({session, err: error}, 'Receiving mail failed unexpectedly');
	return new Refusal(451, 'Internal error; try again later');
}
