import type {Command} from 'commander';
import type {Client} from '../../../client/index.js';
import type {BounceBody, CreateBounce} from '../../../contract/bounces.js';
import {defaultStatus} from '../../../contract/constants.js';
import {bounceFields} from '../../../contract/field-names.js';
import type {Context} from '../../context.js';
import {findMessage} from '../../find.js';
import {addExamples, type JsonFlag, jsonOption} from '../../options.js';
import {note, printJson} from '../../output/print.js';
import {addMessageArguments} from './read.js';

type BounceFlags = JsonFlag & {
	readonly status?: string;
	readonly recipient?: readonly string[];
	readonly to?: string;
};

type Make = (messages: Client['messages'], inboxId: string, id: string, body: CreateBounce) => Promise<BounceBody>;

export function addBounces(messages: Command, context: Context): void {
	const bounce = messages
		.command('bounce')
		.description('send a bounce for a message to its sender (RFC 3464)')
		.option('--status <code>', 'status: 5.x.x failed, 4.x.x delayed, 2.x.x delivered', defaultStatus);
	addExamples(
		bounce,
		'tinbox messages bounce signup',
		'tinbox messages bounce signup --status 5.2.2 --to smtp://localhost:2525',
	);
	fillBounce(bounce, context, (client, ...of) => client.bounce(...of));
	const complain = messages
		.command('complain')
		.description('send a spam complaint about a message to its sender (RFC 5965)');
	fillBounce(complain, context, (client, ...of) => client.complain(...of));
	const autoreply = messages
		.command('autoreply')
		.description('send an automatic reply to the sender of a message (RFC 3834)');
	fillBounce(autoreply, context, (client, ...of) => client.autoreply(...of));
}

function fillBounce(command: Command, context: Context, make: Make): void {
	addMessageArguments(command)
		.option('--recipient <address>', 'original recipient (default: the inbox address); repeatable', collectAddress)
		.option('--to <url>', 'SMTP server, such as smtp://localhost:2525 (default: the inbox of the sender)')
		.addOption(jsonOption(bounceFields))
		.action(async (inbox: string, message: string, {json, recipient: recipients, ...others}: BounceFlags) => {
			const {client, inboxId, id} = await findMessage(context, inbox, message);
			const made = await make(client.messages, inboxId, id, {recipients, ...others});
			if (json) {
				printJson(context.io, made, json);
			} else {
				const how = made.to === null ? '' : ` at ${made.to}`;
				note(
					context.io,
					made.message_id === null ? 'The app is notified by webhook.' : `Sent to ${made.sender}${how}.`,
				);
			}
		});
}

function collectAddress(value: string, others: readonly string[] = []): readonly string[] {
	return [...others, value];
}
