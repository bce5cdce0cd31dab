import {SendError} from '../../domain/mail/sending.js';
import {type Answer, answerFailure, type FailureAnswers, type SendFailure} from '../provider.js';

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
export function badRequest(errors: readonly SendgridError[]): SendError {
	return new SendError({type: 'invalid', message: 'Bad Request', errors});
}

const unverified =
	'The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved. Visit https://sendgrid.com/docs/for-developers/sending-email/sender-identity/ to see the Sender Identity requirements';

const answers: FailureAnswers<Answer> = {
	invalid: ({errors}) => ({status: 400, body: {errors}}),
	no_key: () => problem(401, 'Permission denied, wrong credentials'),
	wrong_key: () => problem(401, 'The provided authorization grant is invalid, expired, or revoked'),
	no_route: ({detail}) => problem(404, detail),
	no_method: ({allow}) => ({...problem(405, 'method not allowed'), headers: {Allow: allow}}),
	not_found_mail: () => problem(404, 'not found'),
	media_type: () => problem(415, 'Content-Type should be application/json.'),
	malformed: ({detail}) => problem(400, 'Bad Request', {help: detail}),
	too_large: ({maxBytes}) => problem(413, 'content too large', {help: `The request is larger than ${maxBytes} bytes.`}),
	rate_limited: ({retryAfter}) => ({...problem(429, 'too many requests'), headers: rateLimit(retryAfter)}),
	refused: ({detail}) => problem(400, detail),
	unverified_sender: () => problem(403, unverified, {field: 'from'}),
	key_reused: () => problem(409, 'conflict'),
	in_progress: () => problem(409, 'conflict'),
	unavailable: () => problem(503, 'service unavailable'),
	storage_full: () => problem(503, 'service unavailable'),
	internal: () => problem(500, 'internal server error'),
};

/** Answer of SendGrid to a failed request. */
export function sendgridProblem(failure: SendFailure): Answer {
	return answerFailure(answers, failure, undefined);
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
