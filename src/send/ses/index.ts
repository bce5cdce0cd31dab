import {randomUUID} from 'node:crypto';
import {readJson} from '../json.js';
import type {Answer, MailOutcome, Provider, ReadMails, SendRequest} from '../provider.js';
import {checkFields, entryStatus, protocolOf, SesProblem, sesProblem, sesProblemAnswer, xmlAnswer} from './errors.js';
import {createReading} from './mail.js';
import {element, signingOf, textElement} from './protocol.js';
import {actionNamed, bulkActions, readQueryFields, singleActions} from './query.js';
import {readBulk, readMail} from './read-mail.js';
import {sendBulkEmailFields, sendEmailFields} from './schemas.js';

const quotaAction = 'GetSendQuota';

/** Amazon SES: version 2 of the API, and version 1 with a single path for all actions. */
export const ses: Provider = {
	name: 'ses',
	// 40 MiB in Base64, and the rest of the request.
	maxBytes: 57 * 1024 * 1024,
	routes: [
		{
			method: 'POST',
			path: '/v2/email/outbound-emails',
			types: ['application/json'],
			read(request) {
				const {fields, unknown} = checkFields(sendEmailFields, readJson(request.body));
				return [readMail(fields, createReading(request, unknown))];
			},
			answer: ([outcome]) => jsonAnswer({MessageId: outcome && 'id' in outcome ? outcome.id : undefined}),
		},
		{
			method: 'POST',
			path: '/v2/email/outbound-bulk-emails',
			types: ['application/json'],
			allowsPartialSuccess: true,
			read(request) {
				const {fields, unknown} = checkFields(sendBulkEmailFields, readJson(request.body));
				return readBulk(fields, createReading(request, unknown));
			},
			answer: (outcomes, request) =>
				jsonAnswer({BulkEmailEntryResults: outcomes.map(outcome => entryOf(outcome, request))}),
		},
		{method: 'GET', path: '/v2/email/account', read: () => [], answer: accountAnswer},
		{
			method: 'POST',
			path: '/',
			types: ['application/x-www-form-urlencoded'],
			allowsPartialSuccess: true,
			read: readAction,
			answer: answerAction,
		},
	],
	keyOf: request => signingOf(request)?.accessKeyId,
	problem: (failure, request) => sesProblemAnswer(sesProblem(failure, request), protocolOf(request)),
};

function readAction(request: SendRequest): ReadMails {
	const {Action: action, Version: version, ...input} = readQueryFields(request.body);
	if (isOf(singleActions, action)) {
		const {fields, unknown} = checkFields(singleActions[action], input);
		return [readMail(fields, createReading(request, unknown))];
	}

	if (isOf(bulkActions, action)) {
		const {fields, unknown} = checkFields(bulkActions[action], input);
		return readBulk(fields, createReading(request, unknown));
	}

	if (action === quotaAction) {
		return [];
	}

	const known = [...Object.keys({...singleActions, ...bulkActions}), quotaAction].join(', ');
	throw new SesProblem('noAction', `Could not find operation ${action} for version ${version}. Supported: ${known}.`);
}

function answerAction(outcomes: readonly MailOutcome[], request: SendRequest): Answer {
	const action = actionNamed(request.body);
	if (isOf(bulkActions, action)) {
		return bulkActionAnswer(action, outcomes, request);
	}

	if (action === quotaAction) {
		return quotaAnswer(action);
	}

	const [outcome] = outcomes;
	return outcome && 'failure' in outcome
		? sesProblemAnswer(sesProblem(outcome.failure, request), protocolOf(request))
		: resultAnswer(action, textElement('MessageId', outcome?.id ?? ''));
}

function isOf<Actions extends object>(actions: Actions, action: unknown): action is keyof Actions & string {
	return typeof action === 'string' && Object.hasOwn(actions, action);
}

/** Answer of version 1 to `SendBulkTemplatedEmail`. */
function bulkActionAnswer(action: string, outcomes: readonly MailOutcome[], request: SendRequest): Answer {
	const entries = outcomes.map(outcome => {
		const fields = Object.entries(entryOf(outcome, request));
		return element('member', ...fields.map(([name, value]) => textElement(name, value)));
	});
	return resultAnswer(action, element('Status', ...entries));
}

function entryOf(outcome: MailOutcome, request: SendRequest): Record<string, string> {
	const protocol = protocolOf(request);
	if ('failure' in outcome) {
		const problem = sesProblem(outcome.failure, request);
		return {Status: entryStatus(problem, protocol), Error: problem.detail};
	}

	return {Status: entryStatus(undefined, protocol), MessageId: outcome.id};
}

/** Answer in version 2. */
function jsonAnswer(body: unknown): Answer {
	return {status: 200, headers: {'x-amzn-RequestId': randomUUID()}, body};
}

/** Answer of version 1 to a successful action. */
function resultAnswer(action: string, result: string): Answer {
	const requestId = randomUUID();
	return xmlAnswer(
		200,
		requestId,
		`${action}Response`,
		element(`${action}Result`, result),
		element('ResponseMetadata', textElement('RequestId', requestId)),
	);
}

/** Quota of the account, high enough for tests. Applications adjust their rate to it. */
const quota = {Max24HourSend: 1_000_000, MaxSendRate: 1000, SentLast24Hours: 0};

/** Answer of version 2 to `GetAccount`: an account outside the sandbox. */
function accountAnswer(): Answer {
	return jsonAnswer({
		DedicatedIpAutoWarmupEnabled: false,
		EnforcementStatus: 'HEALTHY',
		ProductionAccessEnabled: true,
		SendQuota: quota,
		SendingEnabled: true,
		SuppressionAttributes: {SuppressedReasons: []},
	});
}

/** Answer of version 1 to `GetSendQuota`. */
function quotaAnswer(action: string): Answer {
	const fields = Object.entries(quota).map(([name, value]) => textElement(name, String(value)));
	return resultAnswer(action, fields.join(''));
}
