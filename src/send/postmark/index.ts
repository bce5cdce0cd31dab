import {Unsent} from '../../domain/mail/sending.js';
import {readJson} from '../json.js';
import type {MailOutcome, Provider, RejectedMail, SendRequest, SendRoute, SentMail} from '../provider.js';
import {postmarkCodes, postmarkProblem, refuseRequest} from './errors.js';
import {type PostmarkOptions, readPostmarkMessage} from './message.js';

/** Maximum number of messages in a batch. */
const maxBatch = 500;

/** Postmark's token for requests that are validated but not sent. In tinbox it is a key without an inbox. */
const testToken = 'POSTMARK_API_TEST';

const types = ['application/json', 'text/json', 'text/x-json'];

function single(path: string, hasTemplate: boolean): SendRoute {
	return {
		method: 'POST',
		path,
		types,
		read: ({body, now}) => [readPostmarkMessage(readJson(body), {now, hasTemplate})],
		answer: (outcomes, request) => ({status: 200, body: outcomes.map(outcome => entryOf(outcome, request))[0]}),
	};
}

/** Route for a batch: the answer has one entry per message, and messages fail independently. */
function batch(path: string, hasTemplate: boolean): SendRoute {
	return {
		method: 'POST',
		path,
		types,
		isEachAlone: true,
		read: ({body, now}) =>
			messagesOf(readJson(body), hasTemplate).map(message => readOneOf(message, {now, hasTemplate})),
		answer: (outcomes, request) => ({status: 200, body: outcomes.map(outcome => entryOf(outcome, request))}),
	};
}

export const postmark: Provider = {
	name: 'postmark',
	maxBytes: 50 * 1024 * 1024,
	routes: [
		single('/email', false),
		batch('/email/batch', false),
		single('/email/withTemplate', true),
		batch('/email/batchWithTemplates', true),
	],
	keyOf: ({headers}) => headers['x-postmark-server-token']?.trim() || undefined,
	problem: postmarkProblem,
};

function messagesOf(body: unknown, hasTemplate: boolean): readonly unknown[] {
	const messages = hasTemplate ? (body as {Messages?: unknown} | null)?.Messages : body;
	if (!Array.isArray(messages)) {
		const what = hasTemplate ? 'Messages. It must be an array' : 'the body. It must be an array of messages';
		throw refuseRequest(postmarkCodes.invalidField, `Invalid request field(s) - ${what}.`);
	}

	if (messages.length > maxBatch) {
		throw refuseRequest(
			postmarkCodes.tooManyMessages,
			`You may send up to ${maxBatch} messages in a batch. This one has ${messages.length}.`,
		);
	}

	return messages;
}

function readOneOf(message: unknown, options: PostmarkOptions): SentMail | RejectedMail {
	try {
		return readPostmarkMessage(message, options);
	} catch (error) {
		if (error instanceof Unsent) {
			return {failure: error.failure};
		}

		throw error;
	}
}

function entryOf(outcome: MailOutcome, {headers, now}: SendRequest): unknown {
	if ('failure' in outcome) {
		return postmarkProblem(outcome.failure).body;
	}

	return {
		...outcome.echo,
		SubmittedAt: now.toISOString(),
		MessageID: outcome.id,
		ErrorCode: 0,
		Message: headers['x-postmark-server-token'] === testToken ? 'Test job accepted' : 'OK',
	};
}
