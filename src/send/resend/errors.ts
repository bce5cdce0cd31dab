import {Unsent} from '../../domain/mail/sending.js';
import type {Answer, SendFailure} from '../provider.js';

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
export function refuseRequest(message: string, name: ResendErrorName = 'validation_error', status = 422): Unsent {
	return new Unsent({type: 'invalid', status, code: name, message});
}

/** Error to throw for a field with an invalid value; `field` is `''` for the body. */
export function refuseField(field: string, problem: string): Unsent {
	return refuseRequest(`${field === '' ? 'The body' : `Invalid \`${field}\` field. It`} ${problem}.`);
}

/** Answer of Resend to a failed request. */
export function resendProblem(failure: SendFailure): Answer {
	switch (failure.type) {
		case 'invalid':
			return resendError(failure.status ?? 422, String(failure.code), failure.message);
		case 'no_key':
			return resendError(401, 'missing_api_key', 'Missing API key in the authorization header.');
		case 'wrong_key':
			return resendError(403, 'invalid_api_key', 'API key is invalid.');
		case 'no_route':
			return resendError(404, 'not_found', `The requested endpoint does not exist. ${failure.detail}`);
		case 'no_method':
			return {
				...resendError(405, 'method_not_allowed', 'Method is not allowed for the requested path.'),
				headers: {Allow: failure.allow},
			};
		case 'not_found_mail':
			return resendError(404, 'not_found', 'Email not found.');
		case 'media_type':
			return resendError(415, 'validation_error', `Send the body as ${failure.types.join(' or ')}.`);
		case 'malformed':
			return resendError(400, 'validation_error', failure.detail);
		case 'too_large':
			return resendError(413, 'validation_error', `The request is larger than ${failure.maxBytes} bytes.`);
		case 'rate_limited':
			return rateLimited(failure.retryAfter);
		case 'refused':
			return resendError(422, 'validation_error', failure.detail);
		case 'unverified_sender':
			return resendError(403, 'validation_error', unverified(failure.address));
		case 'key_reused':
			return resendError(
				409,
				'invalid_idempotent_request',
				'Same idempotency key used with a different request payload.',
			);
		case 'in_progress':
			return resendError(
				409,
				'concurrent_idempotent_requests',
				'Same idempotency key used while original request is still in progress.',
			);
		case 'unavailable':
		case 'storage_full':
			return resendError(
				500,
				'application_error',
				`An unexpected error occurred: ${unavailableReasons[failure.type]}.`,
			);
		case 'internal':
			return resendError(500, 'internal_server_error', 'An unexpected error occurred.');
	}
}

const unavailableReasons = {
	unavailable: 'the mail cannot be stored at the moment',
	storage_full: 'the storage is full',
};

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
