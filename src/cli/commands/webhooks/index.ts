import {type Command, Option} from 'commander';
import {type EndpointFormat, endpointFormats} from '../../../contract/constants.js';
import {createdEndpointFields, endpointFields, endpointReadFields} from '../../../contract/field-names.js';
import type {CreatedEndpointBody, EndpointBody, EndpointReadBody} from '../../../contract/webhooks.js';
import type {Context} from '../../context.js';
import {endpointArgument, findEndpointId} from '../../find.js';
import {addHelpNote} from '../../help/layout.js';
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
	addHelpNote(command, 'If no secret is given, a secret is generated and printed once on stderr.');
	addSecretOrVariable(
		addExamples(
			command,
			'tinbox webhooks create http://localhost:3000/hooks/mail',
			'tinbox webhooks create http://localhost:3000/hooks/mail --json=id,secret',
			'tinbox webhooks create http://localhost:3000/hooks/faults --event fault.hit',
			'tinbox webhooks create http://localhost:3000/hooks/resend --format resend',
		).argument('<url>', 'URL that receives a POST request for each event'),
	)
		.addOption(eventOption('event to send (default: message.received; for providers, all email.* but email.opened)'))
		.addOption(
			new Option('--format <format>', 'format of the events, own or of a provider (default: tinbox)').choices(
				endpointFormats,
			),
		)
		.addOption(jsonOption(createdEndpointFields))
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
		return `Verification key for the app: ${key}`;
	}

	return given === undefined ? `Signing secret (shown only once): ${secret}` : undefined;
}

function addList(webhooks: Command, context: Context): void {
	fillList(webhooks.command('list').description('list your webhook endpoints'), context, {
		fields: endpointFields,
		columns,
		async load() {
			const body = await (await context.api()).webhooks.list();
			const none = 'There are no webhook endpoints yet. Create one: tinbox webhooks create <url>';
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
	const command = webhooks.command('show').description('show a webhook endpoint and its latest deliveries');
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
		.description('change a webhook endpoint; also applies to pending deliveries')
		.argument('<endpoint>', endpointArgument)
		.option('--url <url>', 'new URL')
		.addOption(eventOption('event to send, instead of the current events'))
		.option('--active', 'resume deliveries')
		.option('--no-active', 'pause deliveries');
	addSecretFlags(command)
		.addOption(jsonOption(endpointFields))
		.action(async (name: string, {url, event: events, active, json, ...flags}: UpdateFlags) => {
			const secret = await secretOf(flags);
			if ([url, events, active, secret].every(value => value === undefined)) {
				throw usageError(
					'There is nothing to change.',
					'Use at least one of --url, --event, --active, --no-active, --secret and --secret-file.',
				);
			}

			const client = await api();
			const id = await findEndpointId(client, name);
			const endpoint = await client.webhooks.update(id, {url, events, is_active: active, secret});
			printResult(io, endpoint, endpoint.id, json);
		});
}

function addDelete(webhooks: Command, context: Context): void {
	const command = webhooks.command('delete').description('delete webhook endpoints and their deliveries');
	fillDelete(command.argument('<endpoint...>', endpointArgument), context, {
		connect: context.api,
		find: findEndpointId,
		remove: (client, id) => client.webhooks.delete(id),
		done: id => `Deleted webhook endpoint ${id}.`,
	});
}
