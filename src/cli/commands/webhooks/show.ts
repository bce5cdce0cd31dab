import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printJson, printProperties} from '../../output.js';
import {printTable} from '../../table.js';
import {deliveryColumns} from './columns.js';
import {fullEndpointFields} from './fields.js';
import {endpointArgument, findEndpointId} from './find-endpoint.js';

export type ShowOptions = {readonly endpoint: string; readonly json?: JsonFields};

export function addShow(parent: Command, context: Context, run = runShow): void {
	parent
		.command('show')
		.description('show a webhook endpoint with its latest deliveries')
		.argument('<endpoint>', endpointArgument)
		.addOption(jsonOption(fullEndpointFields))
		.action(async (endpoint: string, flags: Omit<ShowOptions, 'endpoint'>) => run({endpoint, ...flags}, context));
}

export async function runShow({endpoint: text, json}: ShowOptions, {io, api, now}: Context): Promise<void> {
	const client = await api();
	const endpoint = await client.webhooks.get(await findEndpointId(client, text));
	if (json) {
		printJson(io, endpoint, json);
		return;
	}

	const {recent_deliveries, ...properties} = endpoint;
	printProperties(io, properties);
	// For programs, properties and rows would be two formats in one output; `deliveries` has the rows.
	if (io.stdout.isTTY && recent_deliveries.length > 0) {
		io.stdout.write('\n');
		await printTable(io, deliveryColumns(now()), recent_deliveries);
	}
}
