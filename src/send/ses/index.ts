import {randomUUID} from 'node:crypto';
import {readJson} from '../json.js';
import {type Answer, type Outcome, type Provider, SendError, type SendRequest, type SentMail} from '../provider.js';
import {
	checkFields,
	entryStatus,
	problemIn,
	protocolOf,
	SesProblem,
	type SesProtocol,
	sesProblem,
	sesProblemAnswer,
	xmlAnswer,
} from './errors.js';
import {createReading} from './mail.js';
import {element, signingOf, textElement} from './protocol.js';
import {actionNamed, bulkActions, readQueryFields, singleActions} from './query.js';
import {sendBulkEmailFields, sendEmailFields} from './schemas.js';
import {readMail} from './send-email.js';
import {readBulk} from './templated.js';

const quotaAction = 'GetSendQuota';

type Reader = (request: SendRequest) => ReadonlyArray<SentMail | Answer>;

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
			read: renderProblems(request => {
				const {fields, unknown} = checkFields(sendEmailFields, readJson(request.body));
				return [readMail(fields, createReading(request, unknown))];
			}),
			answer: mailAnswer,
		},
		{
			method: 'POST',
			path: '/v2/email/outbound-bulk-emails',
			types: ['application/json'],
			isEachAlone: true,
			read: renderProblems(request => {
				const {fields, unknown} = checkFields(sendBulkEmailFields, readJson(request.body));
				return readBulk(fields, createReading(request, unknown));
			}),
			answer: (_mails, _request, outcomes) => bulkAnswer(outcomes),
		},
		{method: 'GET', path: '/v2/email/account', read: () => [], answer: accountAnswer},
		{
			method: 'POST',
			path: '/',
			types: ['application/x-www-form-urlencoded'],
			isEachAlone: true,
			read: renderProblems(readAction),
			answer: answerAction,
		},
	],
	keyOf: request => signingOf(request)?.accessKeyId,
	problem: (failure, request) => sesProblemAnswer(sesProblem(failure, request), protocolOf(request)),
};

function renderProblems(read: Reader): Reader {
	return request => {
		try {
			return read(request);
		} catch (error) {
			throw error instanceof SesProblem ? new SendError(sesProblemAnswer(error, protocolOf(request))) : error;
		}
	};
}

function readAction(request: SendRequest): ReadonlyArray<SentMail | Answer> {
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

function answerAction(mails: readonly SentMail[], {body}: SendRequest, outcomes: readonly Outcome[]): Answer {
	const action = actionNamed(body);
	if (isOf(bulkActions, action)) {
		return bulkActionAnswer(action, outcomes);
	}

	if (action === quotaAction) {
		return quotaAnswer(action);
	}

	const [refused] = outcomes.flatMap(outcome => ('answer' in outcome ? [outcome.answer] : []));
	return refused ?? actionAnswer(action, mails);
}

function isOf<Actions extends object>(actions: Actions, action: unknown): action is keyof Actions & string {
	return typeof action === 'string' && Object.hasOwn(actions, action);
}

/** Answer of version 2 to `SendEmail`. */
function mailAnswer([mail]: readonly SentMail[]): Answer {
	return jsonAnswer({MessageId: mail?.id});
}

/** Answer of version 1 to an action that sends one mail. */
function actionAnswer(action: string, [mail]: readonly SentMail[]): Answer {
	return resultAnswer(action, textElement('MessageId', mail?.id ?? ''));
}

/** Answer of version 2 to `SendBulkEmail`. */
function bulkAnswer(outcomes: readonly Outcome[]): Answer {
	return jsonAnswer({BulkEmailEntryResults: outcomes.map(outcome => entryOf(outcome, 'v2'))});
}

/** Answer of version 1 to `SendBulkTemplatedEmail`. */
function bulkActionAnswer(action: string, outcomes: readonly Outcome[]): Answer {
	const entries = outcomes.map(outcome => {
		const fields = Object.entries(entryOf(outcome, 'v1'));
		return element('member', ...fields.map(([name, value]) => textElement(name, value)));
	});
	return resultAnswer(action, element('Status', ...entries));
}

function entryOf(outcome: Outcome, protocol: SesProtocol): Record<string, string> {
	if ('answer' in outcome) {
		const problem = problemIn(outcome.answer);
		return {Status: entryStatus(problem, protocol), Error: problem.message};
	}

	return {Status: entryStatus(undefined, protocol), MessageId: outcome.mail.id};
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
