import {STATUS_CODES} from 'node:http';
import type {ProblemBody} from '../../contract/common.js';
import {problemType} from '../../contract/constants.js';
import type {AppError} from '../../domain/errors.js';
import {formatSize} from '../../lib/text/units.js';
import type {Answer, SendFailure} from '../provider.js';

/** The same as all others of `/v1` (RFC 9457). */
export function problem(failure: SendFailure): Answer {
	switch (failure.type) {
		case 'no_key':
			return answerProblem(
				401,
				'unauthorized',
				'The API key is missing. Send it in the header "Authorization: Bearer <key>".',
			);
		case 'wrong_key':
			return answerProblem(401, 'unauthorized', 'The API key is invalid: it belongs to no inbox.');
		case 'no_route':
			return answerProblem(404, 'not_found', failure.detail);
		case 'no_method': {
			const answer = answerProblem(405, 'method_not_allowed', failure.detail);
			return {...answer, headers: {...answer.headers, Allow: failure.allow}};
		}
		case 'not_found_mail':
			return answerProblem(404, 'not_found', 'Mail not found.');
		case 'media_type':
			return answerProblem(415, 'unsupported_media_type', `Send the body as ${failure.types.join(' or ')}.`);
		case 'malformed':
			return answerProblem(400, 'malformed', failure.detail);
		case 'too_large':
			return answerProblem(
				413,
				'too_large',
				`The mail exceeds the maximum of ${formatSize(failure.maxBytes)}. Send a smaller one.`,
			);
		case 'rate_limited': {
			const {retryAfter} = failure;
			const answer = answerProblem(429, 'rate_limited', `Rate limit exceeded. Try again in ${retryAfter} s.`);
			return {...answer, headers: {...answer.headers, 'Retry-After': String(retryAfter)}};
		}
		case 'refused':
			return answerProblem(403, 'forbidden', `The mail was rejected: ${failure.detail}`);
		case 'unverified_sender':
			return answerProblem(
				403,
				'forbidden',
				`Mail from ${failure.address} is not accepted: its domain is not verified.`,
			);
		case 'key_reused':
			return answerProblem(409, 'key_reused', 'The idempotency key was already used for a different request.');
		case 'in_progress':
			return answerProblem(409, 'in_progress', 'A request with this idempotency key is in progress. Try again.');
		case 'unavailable':
			return answerProblem(503, 'unavailable', 'Mail cannot be stored at the moment. Try again later.');
		case 'storage_full':
			return answerProblem(507, 'storage_full', 'The mail cannot be stored: the storage is full.');
		case 'internal':
			return answerProblem(500, 'internal', 'Internal error. See the log of the daemon.');
	}
}

/** For a body that is not as it is to be. */
export function invalidInput({message, details: {errors = []}}: AppError): Answer {
	return answerProblem(400, 'invalid_input', message, errors);
}

function answerProblem(status: number, code: string, detail: string, errors?: ProblemBody['errors']): Answer {
	const title = STATUS_CODES[status] ?? 'Error';
	const body: ProblemBody = {title, status, detail, code, ...(errors && {errors})};
	return {status, headers: {'Content-Type': problemType}, body};
}
