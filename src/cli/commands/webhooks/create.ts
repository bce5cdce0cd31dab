import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {note, printResult} from '../../output.js';
import {createdEndpointFields} from './fields.js';
import {addSecretOrVariable, type SecretFlags, secretOrVariable} from './secret.js';

export type CreateOptions = SecretFlags & {readonly url: string; readonly json?: JsonFields};

export function addCreate(parent: Command, context: Context, run = runCreate): void {
	const command = parent.command('create').description('register a webhook endpoint and print its id');
	addSecretOrVariable(
		addExamples(
			command,
			'tinbox webhooks create http://localhost:3000/hooks/mail',
			'tinbox webhooks create http://localhost:3000/hooks/mail --json=id,secret',
		).argument('<url>', 'where each new message is announced by a POST'),
	)
		.addOption(jsonOption(createdEndpointFields))
		.addHelpText('after', 'Without one, a secret is generated and shown, this once, on stderr.')
		.action(async (url: string, flags: Omit<CreateOptions, 'url'>) => run({url, ...flags}, context));
}

export async function runCreate({url, json, ...flags}: CreateOptions, {io, api, env}: Context): Promise<void> {
	const secret = await secretOrVariable(flags, env);
	const {webhooks} = await api();
	const endpoint = await webhooks.create({url, ...(secret !== undefined && {secret})});
	printResult(io, endpoint, endpoint.id, json);
	if (secret === undefined && json === undefined) {
		note(io, `Its signing secret, shown this once: ${endpoint.secret}`);
	}
}
