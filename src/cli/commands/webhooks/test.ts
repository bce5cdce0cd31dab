import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {deliveryResultFields} from './fields.js';
import {endpointArgument, findEndpointId} from './find-endpoint.js';
import {printAttempt} from './print-attempt.js';

export type TestOptions = {readonly endpoint: string; readonly json?: JsonFields};

export function addTest(parent: Command, context: Context, run = runTest): void {
	parent
		.command('test')
		.description('send a sample to a webhook endpoint, once, and tell what came of it')
		.argument('<endpoint>', endpointArgument)
		.addOption(jsonOption(deliveryResultFields))
		.addHelpText('after', '\nExits with 6 when the receiver does not answer with a 2xx status.')
		.action(async (endpoint: string, flags: Omit<TestOptions, 'endpoint'>) => run({endpoint, ...flags}, context));
}

export async function runTest({endpoint: text, json}: TestOptions, context: Context): Promise<void> {
	const client = await context.api();
	const result = await client.webhooks.test(await findEndpointId(client, text));
	printAttempt(result, json, context);
}
