import {once} from 'node:events';
import {type Command, InvalidArgumentError, Option} from 'commander';
import {ApiError} from '../../../client/errors.js';
import type {Client} from '../../../client/index.js';
import {createWebhookSecret} from '../../../contract/webhook-signature.js';
import {readUrl} from '../../../lib/text/url.js';
import type {Context} from '../../context.js';
import {untilSignal} from '../../control/until-signal.js';
import {addHelpNote} from '../../help/layout.js';
import {addExamples, type JsonFlag, jsonOption} from '../../options.js';
import {note, printJsonLine} from '../../output/print.js';
import {printRow} from '../../output/table.js';
import {eventColumns, eventFields} from './receiver/event.js';
import {addSecretOrVariable, type SecretFlags, secretOrVariable} from './secret.js';
import {eventOption, type SubscriptionFlag} from './subscription.js';

type ListenFlags = SecretFlags &
	SubscriptionFlag &
	JsonFlag & {
		/** Statuses, one after the other. */
		readonly respond: readonly number[];
		readonly forwardTo?: string;
	};

export function addListen(webhooks: Command, context: Context): void {
	const command = webhooks.command('listen').description('receive, verify and print webhooks until interrupted');
	addHelpNote(command, 'With --json, each event is one line. Requests with an invalid signature get 401.');
	addSecretOrVariable(
		addExamples(
			command,
			'tinbox webhooks listen',
			'tinbox webhooks listen --respond 500,500,200',
			'tinbox webhooks listen --event message.received --event fault.hit',
			'tinbox webhooks listen --forward-to http://localhost:3000/hooks/mail',
		),
	)
		.addOption(eventOption('event to receive (default: message.received)'))
		.addOption(
			new Option('--respond <statuses>', 'response statuses in turn; the last one repeats')
				.argParser(parseStatuses)
				.default([200], '200'),
		)
		.addOption(
			new Option('--forward-to <url>', 'forward requests to this URL and return its responses')
				.argParser(parseUrl)
				.conflicts('respond'),
		)
		.addOption(jsonOption(eventFields))
		.action(async (flags: ListenFlags) => listen(flags, context));
}

async function listen(
	{event: events, respond, forwardTo, json, ...flags}: ListenFlags,
	context: Context,
): Promise<void> {
	const {io, api, env, now} = context;
	const ownSecret = await secretOrVariable(flags, env);
	const secret = ownSecret ?? createWebhookSecret();
	const {webhooks} = await api();
	const {startReceiver} = await import('./receiver/receiver.js');
	const answers = await import('./receiver/answers.js');
	await untilSignal(async ended => {
		const receiver = await startReceiver({
			secret,
			answer: forwardTo === undefined ? answers.respondWith(respond) : answers.forwardTo(forwardTo),
			onEvent: event => (json ? printJsonLine(io, event, json) : printRow(context, eventColumns, event)),
			now,
		});
		try {
			await removeOrphans(webhooks, context);
			const {id} = await webhooks.create({url: receiver.url, events, secret});
			note(io, `Listening on ${receiver.url} as webhook endpoint ${id}.`);
			if (ownSecret === undefined) {
				note(io, `Signing secret: ${secret}`);
			}

			note(io, `Send a test delivery: tinbox webhooks test ${id}`);
			if (!ended.aborted) {
				await once(ended, 'abort');
			}

			await remove(webhooks, id, context);
		} finally {
			await receiver.close();
		}
	});
}

/** Removes the endpoints of receivers that were killed and so could not do it themselves. */
async function removeOrphans(webhooks: Client['webhooks'], context: Context): Promise<void> {
	const {isOrphaned} = await import('./receiver/receiver.js');
	for (const {id, url} of (await webhooks.list()).endpoints) {
		if (await isOrphaned(url)) {
			await remove(webhooks, id, context);
		}
	}
}

/** Never rejects: the command must not fail only because the daemon stopped before it. */
async function remove(webhooks: Client['webhooks'], id: string, {io}: Context): Promise<void> {
	await webhooks.delete(id).catch(error => {
		if (!(error instanceof ApiError && error.status === 404)) {
			note(io, `The webhook endpoint ${id} is still registered: ${error.message}`);
		}
	});
}

function parseStatuses(text: string): readonly number[] {
	const statuses = text.split(',').map(part => part.trim());
	if (!statuses.every(status => /^[2-5]\d\d$/.test(status))) {
		throw new InvalidArgumentError('It must be a list of statuses from 200 to 599, such as 200 or 500,500,200.');
	}

	return statuses.map(Number);
}

function parseUrl(text: string): string {
	if (!/^https?:$/.test(readUrl(text)?.protocol ?? '')) {
		throw new InvalidArgumentError('It must be a URL such as http://localhost:3000/hooks/mail.');
	}

	return text;
}
