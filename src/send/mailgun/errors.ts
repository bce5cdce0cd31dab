import {SendError} from '../../domain/mail/sending.js';
import {type Answer, answerFailure, type FailureAnswers, type SendFailure, type SendRequest} from '../provider.js';

/** Error to throw for a request that violates a rule of Mailgun. */
export function mailgunError(message: string, status = 400): SendError {
	return new SendError({type: 'invalid', status, message});
}

/** Answer to invalid credentials: the only one that is not JSON. */
const forbidden: Answer = {status: 401, headers: {'Content-Type': 'text/plain; charset=utf-8'}, body: 'Forbidden'};

const answers: FailureAnswers<Answer, Pick<SendRequest, 'path'>> = {
	invalid: ({status = 400, message}) => problem(status, message),
	no_key: () => forbidden,
	wrong_key: () => forbidden,
	no_route: ({detail}) => problem(404, detail),
	no_method: ({detail}) => problem(404, detail),
	not_found_mail: () => problem(404, 'Message not found'),
	media_type: ({types}) =>
		problem(415, `Invalid request content type. Expecting ${types.map(type => `'${type}'`).join(' or ')}`),
	malformed: ({detail}) => problem(400, detail),
	too_large: ({maxBytes}) => problem(413, `request size exceeds ${(maxBytes / 1e6).toFixed(1)}MiB limit`),
	rate_limited: ({retryAfter}, {path}) => rateLimited(path, retryAfter),
	refused: ({detail}) => problem(400, detail),
	unverified_sender: ({address}) =>
		notAllowed(
			403,
			address.slice(address.lastIndexOf('@') + 1),
			'The domain is unverified and requires DNS configuration. Log in to your control panel to view required DNS records.',
		),
	key_reused: () => problem(409, 'Conflict'),
	in_progress: () => problem(409, 'Conflict'),
	unavailable: () => problem(503, 'Service Unavailable'),
	storage_full: () => problem(503, 'Service Unavailable'),
	internal: () => problem(500, 'Internal Server Error'),
};

/** Answer of Mailgun to a failed request. */
export function mailgunProblem(failure: SendFailure, request: Pick<SendRequest, 'path'>): Answer {
	return answerFailure(answers, failure, request);
}

function problem(status: number, message: string): Answer {
	return {status, body: {message}};
}

function notAllowed(status: number, domain: string, why: string): Answer {
	return problem(status, `Domain ${domain} is not allowed to send: ${why}`);
}

function rateLimited(path: string, retryAfter: number): Answer {
	const until = new Date(Date.now() + retryAfter * 1000).toUTCString().replace('GMT', 'UTC');
	const [, domain = ''] = /^\/v3\/([^/]*)/.exec(path) ?? [];
	return {
		...notAllowed(429, domain, `request limit exceeded, try again after ${until}`),
		headers: {'Retry-After': String(retryAfter)},
	};
}
