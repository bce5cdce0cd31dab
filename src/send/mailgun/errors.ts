import {Unsent} from '../../domain/mail/sending.js';
import type {Answer, SendFailure, SendRequest} from '../provider.js';

/** Error to throw for a request that violates a rule of Mailgun. */
export function mailgunError(message: string, status = 400): Unsent {
	return new Unsent({type: 'invalid', status, message});
}

/** Status and message of failures without details. */
const plainFailures = {
	not_found_mail: [404, 'Message not found'],
	key_reused: [409, 'Conflict'],
	in_progress: [409, 'Conflict'],
	internal: [500, 'Internal Server Error'],
	unavailable: [503, 'Service Unavailable'],
	storage_full: [503, 'Service Unavailable'],
} as const;

/** Answer to invalid credentials: the only one that is not JSON. */
const forbidden: Answer = {status: 401, headers: {'Content-Type': 'text/plain; charset=utf-8'}, body: 'Forbidden'};

/** Answer of Mailgun to a failed request. */
export function mailgunProblem(failure: SendFailure, {path}: Pick<SendRequest, 'path'>): Answer {
	switch (failure.type) {
		case 'invalid':
			return problem(failure.status ?? 400, failure.message);
		case 'no_key':
		case 'wrong_key':
			return forbidden;
		case 'no_route':
		case 'no_method':
			return problem(404, failure.detail);
		case 'media_type':
			return problem(
				415,
				`Invalid request content type. Expecting ${failure.types.map(type => `'${type}'`).join(' or ')}`,
			);
		case 'malformed':
			return problem(400, failure.detail);
		case 'too_large':
			return problem(413, `request size exceeds ${(failure.maxBytes / 1e6).toFixed(1)}MiB limit`);
		case 'rate_limited':
			return rateLimited(path, failure.retryAfter);
		case 'refused':
			return problem(400, failure.detail);
		case 'unverified_sender':
			return notAllowed(
				403,
				failure.address.slice(failure.address.lastIndexOf('@') + 1),
				'The domain is unverified and requires DNS configuration. Log in to your control panel to view required DNS records.',
			);
		default: {
			const [status, message] = plainFailures[failure.type];
			return problem(status, message);
		}
	}
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
