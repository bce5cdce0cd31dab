import type {Answer} from '../provider.js';
import {jsonAnswer, resultAnswer} from './answers.js';
import {textElement} from './xml.js';

/** What an account may send: more than anybody does here. Applications pace themselves by it. */
const quota = {Max24HourSend: 1_000_000, MaxSendRate: 1000, SentLast24Hours: 0};

/** The answer of version 2 to `GetAccount`: an account that is out of the sandbox. */
export function accountAnswer(): Answer {
	return jsonAnswer({
		DedicatedIpAutoWarmupEnabled: false,
		EnforcementStatus: 'HEALTHY',
		ProductionAccessEnabled: true,
		SendQuota: quota,
		SendingEnabled: true,
		SuppressionAttributes: {SuppressedReasons: []},
	});
}

/** The answer of version 1 to `GetSendQuota`. */
export function quotaAnswer(action: string): Answer {
	const fields = Object.entries(quota).map(([name, value]) => textElement(name, String(value)));
	return resultAnswer(action, fields.join(''));
}
