import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {usageError} from '../../exit.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printResult} from '../../output.js';
import {endpointFields} from './fields.js';
import {endpointArgument, findEndpointId} from './find-endpoint.js';
import {addSecretFlags, type SecretFlags, secretOf} from './secret.js';

export type UpdateOptions = SecretFlags & {
	readonly endpoint: string;
	readonly url?: string;
	readonly active?: boolean;
	readonly json?: JsonFields;
};

export function addUpdate(parent: Command, context: Context, run = runUpdate): void {
	const command = parent
		.command('update')
		.description('change a webhook endpoint, also for what still waits to be delivered')
		.argument('<endpoint>', endpointArgument)
		.option('--url <url>', 'its new URL')
		.option('--active', 'go on sending')
		.option('--no-active', 'send nothing until it is active again');
	addSecretFlags(command)
		.addOption(jsonOption(endpointFields))
		.action(async (endpoint: string, flags: Omit<UpdateOptions, 'endpoint'>) => run({endpoint, ...flags}, context));
}

export async function runUpdate(options: UpdateOptions, {io, api}: Context): Promise<void> {
	const {endpoint: text, url, active, json} = options;
	const secret = await secretOf(options);
	if (url === undefined && active === undefined && secret === undefined) {
		throw usageError(
			'There is nothing to change.',
			'Say what with --url, --active, --no-active, --secret or --secret-file.',
		);
	}

	const client = await api();
	const endpoint = await client.webhooks.update(await findEndpointId(client, text), {
		...(url !== undefined && {url}),
		...(active !== undefined && {is_active: active}),
		...(secret !== undefined && {secret}),
	});
	printResult(io, endpoint, endpoint.id, json);
}
