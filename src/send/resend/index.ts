import {Unsent} from '../../domain/mail/sending.js';
import {readJson} from '../json.js';
import type {
	FoundMail,
	MailOutcome,
	Provider,
	RejectedMail,
	SendRequest,
	SendRoute,
	SentMail,
	ShowRoute,
} from '../provider.js';
import {readResendEmail} from './email.js';
import {refuseRequest, resendProblem} from './errors.js';

/** Maximum number of mails in a batch. */
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
	answer: ([outcome]) => ({status: 200, body: {id: outcome && 'id' in outcome ? outcome.id : undefined}}),
};

const batch: SendRoute = {
	method: 'POST',
	path: '/emails/batch',
	types,
	read(request) {
		checkIdempotencyKey(request);
		const emails = readJson(request.body, {hasByteLists: true});
		if (!Array.isArray(emails) || emails.length === 0 || emails.length > maxBatch) {
			throw refuseRequest(`The body must be an array of 1 to ${maxBatch} emails.`);
		}

		return emails.map(email => readOneOf(email, request));
	},
	answer(outcomes, request) {
		const data = outcomes.flatMap(outcome => ('id' in outcome ? [{id: outcome.id}] : []));
		return {status: 200, body: isPermissive(request) ? {data, errors: outcomes.flatMap(errorsOf)} : {data}};
	},
};

/** `GET /emails/:id`. */
const showResendEmail: ShowRoute = {
	path: '/emails/:id',
	idOf({params: {id = ''}}) {
		if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) {
			throw refuseRequest('The `id` must be a valid UUID.', 'invalid_parameter');
		}

		return id.toLowerCase();
	},
	show: mail => ({status: 200, body: emailBody(mail)}),
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
		throw refuseRequest('The key must be between 1-256 chars.', 'invalid_idempotency_key', 400);
	}
}

/** True in permissive mode: invalid mails do not prevent the others of a batch from being sent. */
function isPermissive({headers}: SendRequest): boolean {
	return headers['x-batch-validation'] === 'permissive';
}

function readOneOf(email: unknown, request: SendRequest): SentMail | RejectedMail {
	try {
		return readResendEmail(email, {now: request.now, inBatch: true});
	} catch (error) {
		if (error instanceof Unsent && isPermissive(request)) {
			return {failure: error.failure};
		}

		throw error;
	}
}

function errorsOf(outcome: MailOutcome, index: number) {
	return 'failure' in outcome
		? [{index, message: (resendProblem(outcome.failure).body as {message: string}).message}]
		: [];
}

function emailBody({id, messageId, createdAt, from, to, cc, bcc, replyTo, subject, html, text, tags}: FoundMail) {
	return {
		object: 'email',
		id,
		message_id: messageId,
		to,
		from,
		created_at: createdAt,
		subject,
		html,
		text,
		bcc,
		cc,
		reply_to: replyTo,
		last_event: 'delivered',
		scheduled_at: null,
		tags,
	};
}
