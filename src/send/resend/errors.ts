import {SendError} from '../../domain/mail/sending.js';
import {type Answer, answerFailure, type FailureAnswers, type SendFailure} from '../provider.js';

/** Names of the errors that Resend documents for clients that send mail. */
type ResendErrorName =
	| 'application_error'
	| 'concurrent_idempotent_requests'
	| 'internal_server_error'
	| 'invalid_api_key'
	| 'invalid_attachment'
	| 'invalid_from_address'
	| 'invalid_idempotency_key'
	| 'invalid_idempotent_request'
	| 'invalid_parameter'
	| 'method_not_allowed'
	| 'missing_api_key'
	| 'missing_required_field'
	| 'not_found'
	| 'rate_limit_exceeded'
	| 'validation_error';

/** Error to throw for a request or a mail that violates a rule of Resend. */
export function refuseRequest(message: string, name: ResendErrorName = 'validation_error', status = 422): SendError {
	return new SendError({type: 'invalid', status, code: name, message});
}

/** Error to throw for a field with an invalid value; `field` is `''` for the body. */
export function refuseField(field: string, problem: string): SendError {
	return refuseRequest(`${field === '' ? 'The body' : `Invalid \`${field}\` field. It`} ${problem}.`);
}

const answers: FailureAnswers<Answer> = {
	invalid: ({status = 422, code, message}) => resendError(status, String(code), message),
	no_key: () => resendError(401, 'missing_api_key', 'Missing API key in the authorization header.'),
	wrong_key: () => resendError(403, 'invalid_api_key', 'API key is invalid.'),
	no_route: ({detail}) => resendError(404, 'not_found', `The requested endpoint does not exist. ${detail}`),
	no_method: ({allow}) => ({
		...resendError(405, 'method_not_allowed', 'Method is not allowed for the requested path.'),
		headers: {Allow: allow},
	}),
	not_found_mail: () => resendError(404, 'not_found', 'Email not found.'),
	media_type: ({types}) => resendError(415, 'validation_error', `Send the body as ${types.join(' or ')}.`),
	malformed: ({detail}) => resendError(400, 'validation_error', detail),
	too_large: ({maxBytes}) => resendError(413, 'validation_error', `The request is larger than ${maxBytes} bytes.`),
	rate_limited: ({retryAfter}) => rateLimited(retryAfter),
	refused: ({detail}) => resendError(422, 'validation_error', detail),
	unverified_sender: ({address}) => resendError(403, 'validation_error', unverified(address)),
	key_reused: () =>
		resendError(409, 'invalid_idempotent_request', 'Same idempotency key used with a different request payload.'),
	in_progress: () =>
		resendError(
			409,
			'concurrent_idempotent_requests',
			'Same idempotency key used while original request is still in progress.',
		),
	unavailable: () => unexpected(': the mail cannot be stored at the moment'),
	storage_full: () => unexpected(': the storage is full'),
	internal: () => unexpected('', 'internal_server_error'),
};

/** Answer of Resend to a failed request. */
export function resendProblem(failure: SendFailure): Answer {
	return answerFailure(answers, failure, undefined);
}

function unexpected(reason: string, name: ResendErrorName = 'application_error'): Answer {
	return resendError(500, name, `An unexpected error occurred${reason}.`);
}

function rateLimited(retryAfter: number): Answer {
	const seconds = String(retryAfter);
	return {
		...resendError(429, 'rate_limit_exceeded', 'Too many requests. See the rate limit headers of this response.'),
		headers: {'Retry-After': seconds, 'RateLimit-Limit': '0', 'RateLimit-Remaining': '0', 'RateLimit-Reset': seconds},
	};
}

function unverified(address: string): string {
	const domain = address.slice(address.lastIndexOf('@') + 1);
	return `The ${domain} domain is not verified. Please, add and verify your domain on https://resend.com/domains`;
}

function resendError(statusCode: number, name: string, message: string): Answer {
	return {status: statusCode, body: {statusCode, name, message}};
}
