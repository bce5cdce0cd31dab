import {SendError} from '../../domain/mail/sending.js';
import {type Answer, answerFailure, type FailureAnswers, type SendFailure} from '../provider.js';

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
export function refuseRequest(code: number, message: string, status?: number): SendError {
	return new SendError({type: 'invalid', code, message, status});
}

/** Error to throw for a mail that violates a rule that has no specific code. */
export function refuseEmail(message: string): SendError {
	return refuseRequest(postmarkCodes.invalidEmail, message);
}

/** Error to throw for a field with an invalid value; `field` is `''` for the body. */
export function refuseField(field: string, problem: string): SendError {
	return refuseRequest(
		postmarkCodes.invalidField,
		`Invalid request field(s) - ${field === '' ? 'the body' : field}. It ${problem}.`,
	);
}

const internalError = postmarkError(postmarkCodes.internal, 'Internal server error.', 500);

const answers: FailureAnswers<Answer> = {
	invalid: ({code, message, status}) => postmarkError(Number(code), message, status),
	no_key: () =>
		postmarkError(
			postmarkCodes.token,
			'No Account or Server API tokens were supplied in the HTTP headers. Please add a header for either X-Postmark-Server-Token or X-Postmark-Account-Token.',
			401,
		),
	wrong_key: () => postmarkError(postmarkCodes.token, 'Request does not contain a valid Server token.', 401),
	no_route: ({detail}) => postmarkError(postmarkCodes.notFound, detail, 404),
	no_method: ({detail}) => postmarkError(postmarkCodes.notFound, detail, 404),
	not_found_mail: () => postmarkError(postmarkCodes.notFound, 'The message was not found.', 404),
	media_type: () =>
		postmarkError(postmarkCodes.jsonRequired, 'Content-Type and Accept headers must be set to application/json.', 415),
	malformed: ({detail}) => postmarkError(postmarkCodes.invalidJson, `Received invalid JSON input. ${detail}`),
	too_large: ({maxBytes}) =>
		postmarkError(postmarkCodes.invalidEmail, `The request is larger than ${maxBytes} bytes.`, 413),
	rate_limited: ({retryAfter}) => ({
		...postmarkError(postmarkCodes.rateLimit, 'Rate limit exceeded.', 429),
		headers: {'Retry-After': String(retryAfter)},
	}),
	refused: ({address, detail}) => refused(address, detail),
	unverified_sender: ({address}) =>
		postmarkError(
			postmarkCodes.senderSignature,
			`The 'From' address you supplied (${address}) is not a Sender Signature on your account. Please add and confirm this address in order to be able to use it in the 'From' field of your messages.`,
		),
	unavailable: () =>
		postmarkError(postmarkCodes.maintenance, 'The API is offline: the mail cannot be stored at the moment.', 503),
	storage_full: () => postmarkError(postmarkCodes.internal, 'The mail cannot be stored: the storage is full.', 500),
	internal: () => internalError,
	key_reused: () => internalError,
	in_progress: () => internalError,
};

/** Answer of Postmark to a failed request. */
export function postmarkProblem(failure: SendFailure): Answer {
	return answerFailure(answers, failure, undefined);
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
