import type {DeliveryResultBody} from '../../../contract/webhooks.js';
import {sanitizeLine} from '../../../lib/sanitize.js';
import type {Context} from '../../context.js';
import {Exit, exitCodes} from '../../exit.js';
import type {JsonFields} from '../../options.js';
import {printJson} from '../../output.js';
import {printRow} from '../../table.js';
import {deliveryColumns} from './columns.js';

/** How much of a response is quoted. */
const longestQuote = 300;

/** Prints the delivery that an attempt was made for; throws when the receiver did not acknowledge it. */
export function printAttempt(
	{delivery}: DeliveryResultBody,
	json: JsonFields,
	{io, now}: Pick<Context, 'io' | 'now'>,
): void {
	if (delivery.status !== 'delivered') {
		throw new Exit(exitCodes.conditionFailed, 'not_delivered', problem(delivery), {details: {delivery}});
	}

	if (json) {
		printJson(io, delivery, json);
	} else {
		printRow(io, deliveryColumns(now()), delivery);
	}
}

function problem({response_status, response_body}: DeliveryResultBody['delivery']): string {
	const quote = sanitizeLine(response_body ?? '').slice(0, longestQuote);
	return response_status === null
		? `The receiver did not answer: ${quote}`
		: `The receiver answered with status ${response_status}${quote === '' ? '.' : `: ${quote}`}`;
}
