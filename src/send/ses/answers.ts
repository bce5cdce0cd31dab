import {randomUUID} from 'node:crypto';
import type {Answer, Outcome, SentMail} from '../provider.js';
import {entryStatus, problemIn, type SesProtocol, xmlAnswer} from './problems.js';
import {element, textElement} from './xml.js';

/** The answer of version 2 to `SendEmail`. */
export function mailAnswer([mail]: readonly SentMail[]): Answer {
	return jsonAnswer({MessageId: mail?.id});
}

/** The answer of version 1 to an action that sends one mail. */
export function actionAnswer(action: string, [mail]: readonly SentMail[]): Answer {
	return resultAnswer(action, textElement('MessageId', mail?.id ?? ''));
}

/** The answer of version 2 to `SendBulkEmail`. */
export function bulkAnswer(outcomes: readonly Outcome[]): Answer {
	return jsonAnswer({BulkEmailEntryResults: outcomes.map(outcome => entryOf(outcome, 'v2'))});
}

/** The answer of version 1 to `SendBulkTemplatedEmail`. */
export function bulkActionAnswer(action: string, outcomes: readonly Outcome[]): Answer {
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

/** The body of an answer by version 2. */
export function jsonAnswer(body: unknown): Answer {
	return {status: 200, headers: {'x-amzn-RequestId': randomUUID()}, body};
}

/** What version 1 answers to an action that is done. */
export function resultAnswer(action: string, result: string): Answer {
	const requestId = randomUUID();
	return xmlAnswer(
		200,
		requestId,
		`${action}Response`,
		element(`${action}Result`, result),
		element('ResponseMetadata', textElement('RequestId', requestId)),
	);
}
