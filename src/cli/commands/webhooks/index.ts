import {type Command, Option} from 'commander';
import {
	type CreatedEndpointBody,
	createdEndpointFields,
	type EndpointBody,
	type EndpointFormat,
	type EndpointReadBody,
	endpointFields,
	endpointFormats,
	endpointReadFields,
} from '../../../contract/webhooks.js';
import type {Context} from '../../context.js';
import {endpointArgument, findEndpointId} from '../../find.js';
import {addExamples, type JsonFlag, jsonOption} from '../../options.js';
import {usageError} from '../../output/exit.js';
import {printProperties, printResult} from '../../output/print.js';
import {printTable, type TableColumn, timeColumn} from '../../output/table.js';
import {fillDelete, fillList, fillShow} from '../verbs.js';
import {addDeliveries, addRedeliver, addTest, deliveryColumns} from './deliveries.js';
import {addListen} from './listen.js';
import {addSecretFlags, addSecretOrVariable, type SecretFlags, secretOf, secretOrVariable} from './secret.js';
import {eventOption, type SubscriptionFlag} from './subscription.js';
import {addVerify} from './verify.js';

export function addWebhooksCommands(webhooks: Command, context: Context): void {
	addCreate(webhooks, context);
	addList(webhooks, context);
	addShow(webhooks, context);
	addUpdate(webhooks, context);
	addDelete(webhooks, context);
	addTest(webhooks, context);
	addDeliveries(webhooks, context);
	addRedeliver(webhooks, context);
	addListen(webhooks, context);
	addVerify(webhooks, context);
}

function addCreate(webhooks: Command, {io, api, env}: Context): void {
	const command = webhooks.command('create').description('register a webhook endpoint and print its id');
	addSecretOrVariable(
		addExamples(
			command,
			'tinbox webhooks create http://localhost:3000/hooks/mail',
			'tinbox webhooks create http://localhost:3000/hooks/mail --json=id,secret',
			'tinbox webhooks create http://localhost:3000/hooks/faults --event fault.hit',
			'tinbox webhooks create http://localhost:3000/hooks/resend --format resend',
		).argument('<url>', 'where each new message is announced by a POST'),
	)
		.addOption(eventOption('tell of this (default: message.received, or all but email.opened)'))
		.addOption(
			new Option('--format <format>', 'as a sending API makes its requests, about the mail that came by it').choices(
				endpointFormats,
			),
		)
		.addOption(jsonOption(createdEndpointFields))
		.addHelpText('after', 'Without one, a secret is generated and shown, this once, on stderr.')
		.action(async (url: string, {event: events, format, json, ...flags}: CreateFlags) => {
			const secret = await secretOrVariable(flags, env);
			const client = await api();
			const endpoint = await client.webhooks.create({url, format, events, secret});
			printResult(io, endpoint, endpoint.id, json, remarkOn(endpoint, secret));
		});
}

type CreateFlags = JsonFlag & SecretFlags & SubscriptionFlag & {readonly format?: EndpointFormat};

/** What the app needs to know of a new endpoint to verify what comes. */
function remarkOn({verification_key: key, secret}: CreatedEndpointBody, given: string | undefined): string | undefined {
	if (key !== null) {
		return `The app verifies what comes with this key: ${key}`;
	}

	return given === undefined ? `Its signing secret, shown this once: ${secret}` : undefined;
}

function addList(webhooks: Command, context: Context): void {
	fillList(webhooks.command('list').description('list your webhook endpoints'), context, {
		fields: endpointFields,
		columns,
		async load() {
			const body = await (await context.api()).webhooks.list();
			const none = 'There is no webhook endpoint yet. Create one: tinbox webhooks create <url>';
			return {rows: body.endpoints, body, none};
		},
	});
}

const columns: readonly TableColumn<EndpointBody>[] = [
	{header: 'ID', value: endpoint => endpoint.id},
	{header: 'URL', value: endpoint => endpoint.url, flexible: true},
	{header: 'EVENTS', value: endpoint => endpoint.events.join(',')},
	{header: 'STATE', value: endpoint => (endpoint.is_active ? 'active' : 'inactive')},
	timeColumn('CREATED', endpoint => endpoint.created_at),
];

function addShow(webhooks: Command, context: Context): void {
	const {io, api} = context;
	const command = webhooks.command('show').description('show a webhook endpoint with its latest deliveries');
	fillShow(command.argument('<endpoint>', endpointArgument), context, {
		fields: endpointReadFields,
		async find(name) {
			const client = await api();
			return client.webhooks.get(await findEndpointId(client, name));
		},
		async print({recent_deliveries, ...properties}: EndpointReadBody) {
			printProperties(io, properties);
			// For programs, properties and rows would be two formats in one output; `deliveries` has the rows.
			if (io.stdout.isTTY && recent_deliveries.length > 0) {
				io.stdout.write('\n');
				await printTable(context, deliveryColumns, recent_deliveries);
			}
		},
	});
}

type UpdateFlags = JsonFlag & SecretFlags & SubscriptionFlag & {readonly url?: string; readonly active?: boolean};

function addUpdate(webhooks: Command, {io, api}: Context): void {
	const command = webhooks
		.command('update')
		.description('change a webhook endpoint, also for what still waits to be delivered')
		.argument('<endpoint>', endpointArgument)
		.option('--url <url>', 'its new URL')
		.addOption(eventOption('tell of this, and of nothing else'))
		.option('--active', 'go on sending')
		.option('--no-active', 'send nothing until it is active again');
	addSecretFlags(command)
		.addOption(jsonOption(endpointFields))
		.action(async (name: string, {url, event: events, active, json, ...flags}: UpdateFlags) => {
			const secret = await secretOf(flags);
			if ([url, events, active, secret].every(value => value === undefined)) {
				throw usageError(
					'There is nothing to change.',
					'Say what with --url, --event, --active, --no-active, --secret or --secret-file.',
				);
			}

			const client = await api();
			const id = await findEndpointId(client, name);
			const endpoint = await client.webhooks.update(id, {url, events, is_active: active, secret});
			printResult(io, endpoint, endpoint.id, json);
		});
}

function addDelete(webhooks: Command, context: Context): void {
	const command = webhooks.command('delete').description('delete webhook endpoints with their deliveries, for good');
	fillDelete(command.argument('<endpoint...>', endpointArgument), context, {
		connect: context.api,
		find: findEndpointId,
		remove: (client, id) => client.webhooks.delete(id),
		done: id => `Deleted webhook endpoint ${id}.`,
	});
}
