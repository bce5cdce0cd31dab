import {Unsent} from '../../domain/mail/sending.js';
import type {Answer, SendFailure} from '../provider.js';

/** Error codes that Postmark documents for clients that send mail. */
export const postmarkCodes = {
	token: 10,
	notFound: 12,
	maintenance: 100,
	invalidEmail: 300,
	senderSignature: 400,
	invalidJson: 402,
	invalidField: 403,
	inactiveRecipient: 406,
	jsonRequired: 409,
	tooManyMessages: 410,
	forbiddenAttachment: 411,
	rateLimit: 429,
	internal: 500,
	noStream: 1235,
	notASendingStream: 1236,
} as const;

/** Error to throw for a request or a mail that violates a rule of Postmark. */
export function refuseRequest(code: number, message: string, status?: number): Unsent {
	return new Unsent({type: 'invalid', code, message, status});
}

/** Error to throw for a mail that violates a rule that has no specific code. */
export function refuseEmail(message: string): Unsent {
	return refuseRequest(postmarkCodes.invalidEmail, message);
}

/** Error to throw for a field with an invalid value; `field` is `''` for the body. */
export function refuseField(field: string, problem: string): Unsent {
	return refuseRequest(
		postmarkCodes.invalidField,
		`Invalid request field(s) - ${field === '' ? 'the body' : field}. It ${problem}.`,
	);
}

/** Answer of Postmark to a failed request. */
export function postmarkProblem(failure: SendFailure): Answer {
	switch (failure.type) {
		case 'invalid':
			return postmarkError(Number(failure.code), failure.message, failure.status);
		case 'no_key':
			return postmarkError(
				postmarkCodes.token,
				'No Account or Server API tokens were supplied in the HTTP headers. Please add a header for either X-Postmark-Server-Token or X-Postmark-Account-Token.',
				401,
			);
		case 'wrong_key':
			return postmarkError(postmarkCodes.token, 'Request does not contain a valid Server token.', 401);
		case 'no_route':
		case 'no_method':
			return postmarkError(postmarkCodes.notFound, failure.detail, 404);
		case 'not_found_mail':
			return postmarkError(postmarkCodes.notFound, 'The message was not found.', 404);
		case 'media_type':
			return postmarkError(
				postmarkCodes.jsonRequired,
				'Content-Type and Accept headers must be set to application/json.',
				415,
			);
		case 'malformed':
			return postmarkError(postmarkCodes.invalidJson, `Received invalid JSON input. ${failure.detail}`);
		case 'too_large':
			return postmarkError(postmarkCodes.invalidEmail, `The request is larger than ${failure.maxBytes} bytes.`, 413);
		case 'rate_limited':
			return {
				...postmarkError(postmarkCodes.rateLimit, 'Rate limit exceeded.', 429),
				headers: {'Retry-After': String(failure.retryAfter)},
			};
		case 'refused':
			return refused(failure.address, failure.detail);
		case 'unverified_sender':
			return postmarkError(
				postmarkCodes.senderSignature,
				`The 'From' address you supplied (${failure.address}) is not a Sender Signature on your account. Please add and confirm this address in order to be able to use it in the 'From' field of your messages.`,
			);
		case 'unavailable':
			return postmarkError(
				postmarkCodes.maintenance,
				'The API is offline: the mail cannot be stored at the moment.',
				503,
			);
		case 'storage_full':
			return postmarkError(postmarkCodes.internal, 'The mail cannot be stored: the storage is full.', 500);
		case 'internal':
		case 'key_reused':
		case 'in_progress':
			return postmarkError(postmarkCodes.internal, 'Internal server error.', 500);
	}
}

/** Answer to a rejected recipient. SDKs parse the addresses in this sentence. */
function refused(address: string | undefined, detail: string): Answer {
	return address === undefined
		? postmarkError(postmarkCodes.invalidEmail, detail)
		: postmarkError(
				postmarkCodes.inactiveRecipient,
				`You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: ${address}. Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.`,
			);
}

/** Most errors of Postmark have the status 422 and differ in their code. */
function postmarkError(code: number, message: string, status = 422): Answer {
	return {status, body: {ErrorCode: code, Message: message}};
}
