import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {note} from '../../output.js';
import {endpointArgument, findEndpointId} from './find-endpoint.js';

export type DeleteOptions = {readonly endpoints: readonly string[]};

export function addDelete(parent: Command, context: Context, run = runDelete): void {
	parent
		.command('delete')
		.description('delete webhook endpoints with their deliveries, for good')
		.argument('<endpoint...>', endpointArgument)
		.action(async (endpoints: readonly string[]) => run({endpoints}, context));
}

export async function runDelete({endpoints}: DeleteOptions, {io, api}: Context): Promise<void> {
	const client = await api();
	const ids = await Promise.all(endpoints.map(text => findEndpointId(client, text)));
	for (const id of ids) {
		await client.webhooks.delete(id);
		note(io, `Deleted webhook endpoint ${id}.`);
	}
}
