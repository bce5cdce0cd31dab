import {Unsent} from '../../domain/mail/sending.js';
import type {Answer, SendFailure} from '../provider.js';

/** Error of a request in the format of SendGrid. */
export type SendgridError = {
	readonly message: string;
	/** Path of the field, such as `personalizations.0.to`. */
	readonly field: string | null;
	/** URL of the documentation. */
	readonly help: string | null;
};

const documentation = 'http://sendgrid.com/docs/API_Reference/Web_API_v3/Mail/errors.html';

/** Objects whose keys are chosen by the sender. */
const freeFormFields: ReadonlySet<string> = new Set([
	'custom_args',
	'dynamic_template_data',
	'headers',
	'sections',
	'substitutions',
]);

/** Error of the field at a path. */
export function wrongField(path: ReadonlyArray<PropertyKey>, message: string, anchor = anchorOf(path)): SendgridError {
	const field = path.length === 0 ? null : path.join('.');
	return {message, field, help: field && anchor && `${documentation}#${anchor}`};
}

/** Anchor in the documentation. Lists have other anchors than their items; a single personalization has none. */
function anchorOf(path: ReadonlyArray<PropertyKey>): string | null {
	const names = path.filter(name => typeof name === 'string');
	const end = names.findIndex(name => freeFormFields.has(name));
	const shown = names.slice(0, end === -1 ? names.length : end + 1).filter(name => name !== 'email' && name !== 'name');
	if (shown.join('.') === 'personalizations') {
		return path.length === 1 ? '-Personalizations-Errors' : null;
	}

	return ['message', ...shown].join('.');
}

/** Error to throw for an invalid request. */
export function badRequest(errors: readonly SendgridError[]): Unsent {
	return new Unsent({type: 'invalid', message: 'Bad Request', errors});
}

const unverified =
	'The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved. Visit https://sendgrid.com/docs/for-developers/sending-email/sender-identity/ to see the Sender Identity requirements';

/** Status and message of failures without details. */
const plainFailures = {
	no_key: [401, 'Permission denied, wrong credentials'],
	wrong_key: [401, 'The provided authorization grant is invalid, expired, or revoked'],
	not_found_mail: [404, 'not found'],
	key_reused: [409, 'conflict'],
	in_progress: [409, 'conflict'],
	internal: [500, 'internal server error'],
	unavailable: [503, 'service unavailable'],
	storage_full: [503, 'service unavailable'],
} as const;

/** Answer of SendGrid to a failed request. */
export function sendgridProblem(failure: SendFailure): Answer {
	switch (failure.type) {
		case 'invalid':
			return {status: 400, body: {errors: failure.errors}};
		case 'no_route':
			return problem(404, failure.detail);
		case 'no_method':
			return {...problem(405, 'method not allowed'), headers: {Allow: failure.allow}};
		case 'media_type':
			return problem(415, 'Content-Type should be application/json.');
		case 'malformed':
			return problem(400, 'Bad Request', {help: failure.detail});
		case 'too_large':
			return problem(413, 'content too large', {help: `The request is larger than ${failure.maxBytes} bytes.`});
		case 'rate_limited':
			return {...problem(429, 'too many requests'), headers: rateLimit(failure.retryAfter)};
		case 'refused':
			return problem(400, failure.detail);
		case 'unverified_sender':
			return problem(403, unverified, {field: 'from'});
		default: {
			const [status, message] = plainFailures[failure.type];
			return problem(status, message);
		}
	}
}

function problem(status: number, message: string, more: Partial<SendgridError> = {}): Answer {
	return {status, body: {errors: [{message, field: null, help: null, ...more}]}};
}

function rateLimit(retryAfter: number): Readonly<Record<string, string>> {
	return {
		'Retry-After': String(retryAfter),
		'X-RateLimit-Limit': '0',
		'X-RateLimit-Remaining': '0',
		'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1000) + retryAfter),
	};
}
