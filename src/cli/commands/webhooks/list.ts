import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {noteOnTerminal, printJsonList} from '../../output.js';
import {printTable} from '../../table.js';
import {endpointColumns} from './columns.js';
import {endpointFields} from './fields.js';

export type ListOptions = {readonly json?: JsonFields};

export function addList(parent: Command, context: Context, run = runList): void {
	parent
		.command('list')
		.description('list your webhook endpoints')
		.addOption(jsonOption(endpointFields))
		.action(async (options: ListOptions) => run(options, context));
}

export async function runList({json}: ListOptions, {io, api, now}: Context): Promise<void> {
	const {webhooks} = await api();
	const body = await webhooks.list();
	if (json) {
		printJsonList(io, body, body.endpoints, json);
		return;
	}

	await printTable(io, endpointColumns(now()), body.endpoints);
	if (body.endpoints.length === 0) {
		noteOnTerminal(io, 'There is no webhook endpoint yet. Create one: tinbox webhooks create <url>');
	}
}
