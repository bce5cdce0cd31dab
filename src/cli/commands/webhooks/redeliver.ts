import type {Command} from 'commander';
import type {Client} from '../../../client/index.js';
import type {Context} from '../../context.js';
import {Exit, exitCodes} from '../../exit.js';
import {latest} from '../../find-message.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {deliveryResultFields} from './fields.js';
import {endpointArgument, findEndpointId} from './find-endpoint.js';
import {printAttempt} from './print-attempt.js';

export type RedeliverOptions = {readonly endpoint: string; readonly delivery: string; readonly json?: JsonFields};

export function addRedeliver(parent: Command, context: Context, run = runRedeliver): void {
	parent
		.command('redeliver')
		.description('send a delivery once more, with the same id and body')
		.argument('<endpoint>', endpointArgument)
		.argument('<delivery>', 'id of the delivery, or "latest"')
		.addOption(jsonOption(deliveryResultFields))
		.addHelpText('after', '\nExits with 6 when the receiver does not answer with a 2xx status.')
		.action(async (endpoint: string, delivery: string, flags: Omit<RedeliverOptions, 'endpoint' | 'delivery'>) =>
			run({endpoint, delivery, ...flags}, context),
		);
}

export async function runRedeliver(options: RedeliverOptions, context: Context): Promise<void> {
	const client = await context.api();
	const endpointId = await findEndpointId(client, options.endpoint);
	const deliveryId = await findDeliveryId(client, endpointId, options.delivery);
	printAttempt(await client.webhooks.redeliver(endpointId, deliveryId), options.json, context);
}

async function findDeliveryId({webhooks}: Client, endpointId: string, text: string): Promise<string> {
	if (text !== latest) {
		return text;
	}

	const [newest] = (await webhooks.deliveries(endpointId, {page: 1, limit: 1})).deliveries;
	if (!newest) {
		throw new Exit(exitCodes.notFound, 'not_found', 'Nothing was sent to this webhook endpoint yet.', {
			hint: `Send it a sample: tinbox webhooks test ${endpointId}`,
		});
	}

	return newest.id;
}
