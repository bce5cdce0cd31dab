import {readJson} from '../json.js';
import {
	type Answer,
	type Outcome,
	type Provider,
	SendError,
	type SendRequest,
	type SendRoute,
	type SentMail,
} from '../provider.js';
import {resendError, resendProblem} from './errors.js';
import {readResendEmail} from './read-email.js';
import {showResendEmail} from './show-email.js';

/** Mails of one batch. */
const maxBatch = 100;

const types = ['application/json'];

const single: SendRoute = {
	method: 'POST',
	path: '/emails',
	types,
	read(request) {
		checkIdempotencyKey(request);
		return [readResendEmail(readJson(request.body, {hasByteLists: true}), {now: request.now, inBatch: false})];
	},
	answer: ([mail]) => ({status: 200, body: {id: mail?.id}}),
};

const batch: SendRoute = {
	method: 'POST',
	path: '/emails/batch',
	types,
	read(request) {
		checkIdempotencyKey(request);
		const emails = readJson(request.body, {hasByteLists: true});
		if (!Array.isArray(emails) || emails.length === 0 || emails.length > maxBatch) {
			const message = `The body must be an array of 1 to ${maxBatch} emails.`;
			throw new SendError(resendError(422, 'validation_error', message));
		}

		return emails.map(email => readOneOf(email, request));
	},
	answer(mails, request, outcomes) {
		const data = mails.map(({id}) => ({id}));
		return {status: 200, body: isPermissive(request) ? {data, errors: outcomes.flatMap(errorsOf)} : {data}};
	},
};

export const resend: Provider = {
	name: 'resend',
	maxBytes: 40 * 1024 * 1024,
	routes: [single, batch],
	shows: [showResendEmail],
	keyOf: ({headers}) => /^bearer +(\S+) *$/i.exec(headers['authorization'] ?? '')?.[1],
	idempotencyKeyOf: ({headers}) => headers['idempotency-key'],
	problem: resendProblem,
};

function checkIdempotencyKey({headers}: SendRequest): void {
	const key = headers['idempotency-key'];
	if (key !== undefined && (key === '' || key.length > 256)) {
		throw new SendError(resendError(400, 'invalid_idempotency_key', 'The key must be between 1-256 chars.'));
	}
}

/** In permissive mode, mails that cannot be read do not keep the others of a batch from being sent. */
function isPermissive({headers}: SendRequest): boolean {
	return headers['x-batch-validation'] === 'permissive';
}

function readOneOf(email: unknown, request: SendRequest): SentMail | Answer {
	try {
		return readResendEmail(email, {now: request.now, inBatch: true});
	} catch (error) {
		if (error instanceof SendError && isPermissive(request)) {
			return error.answer;
		}

		throw error;
	}
}

function errorsOf(outcome: Outcome, index: number) {
	return 'answer' in outcome ? [{index, message: (outcome.answer.body as {message: string}).message}] : [];
}
