import {readJson} from '../json.js';
import {type Answer, type Outcome, type Provider, SendError, type SendRequest, type SentMail} from '../provider.js';
import {accountAnswer, quotaAnswer} from './account.js';
import {bulkActions, singleActions} from './actions.js';
import {actionAnswer, bulkActionAnswer, bulkAnswer, mailAnswer} from './answers.js';
import {checkFields} from './check-fields.js';
import {protocolOf, SesProblem, sesProblem, sesProblemAnswer} from './problems.js';
import {actionNamed, readQueryFields} from './query-fields.js';
import {readBulk} from './read-bulk.js';
import {readMail} from './read-mail.js';
import {createReading} from './reading.js';
import {sendBulkEmailFields, sendEmailFields} from './schemas.js';
import {signingOf} from './signing.js';

/** Applications ask so when they start. */
const quotaAction = 'GetSendQuota';

type Reader = (request: SendRequest) => ReadonlyArray<SentMail | Answer>;

/** Amazon SES: version 2 of its API, and version 1, which has one path for all actions. */
export const ses: Provider = {
	name: 'ses',
	// 40 MiB in base64, and what goes around it.
	maxBytes: 57 * 1024 * 1024,
	routes: [
		{
			method: 'POST',
			path: '/v2/email/outbound-emails',
			types: ['application/json'],
			read: answeringProblems(request => {
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
			read: answeringProblems(request => {
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
			read: answeringProblems(readAction),
			answer: answerAction,
		},
	],
	keyOf: request => signingOf(request)?.accessKeyId,
	problem: (failure, request) => sesProblemAnswer(sesProblem(failure, request), protocolOf(request)),
};

function answeringProblems(read: Reader): Reader {
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
