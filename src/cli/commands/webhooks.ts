import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {buffer} from 'node:stream/consumers';
import {type Command, Option} from 'commander';
import {isNotFound} from '../../client/errors.js';
import type {Client} from '../../client/index.js';
import {
	allWebhookEvents,
	type DeliveryStatus,
	deliveryStatuses,
	type EndpointFormat,
	endpointFormats,
	latest,
	type WebhookEvent,
	webhookHeaders,
} from '../../contract/constants.js';
import {
	createdEndpointFields,
	deliveryFields,
	deliveryResultFields,
	endpointFields,
	endpointReadFields,
} from '../../contract/field-names.js';
import {bodySignatureProblem, createWebhookSecret, standardSignatureProblem} from '../../contract/webhook-signature.js';
import type {
	CreatedEndpointBody,
	DeliveryBody,
	DeliveryListBody,
	DeliveryResultBody,
	DeliverySummaryBody,
	EndpointBody,
	EndpointReadBody,
} from '../../contract/webhooks.js';
import {sanitizeLine} from '../../lib/text/sanitize.js';
import {readUrl} from '../../lib/text/url.js';
import type {Context} from '../context.js';
import {untilSignal} from '../control/until-signal.js';
import {endpointArgument, findEndpointId} from '../find.js';
import {
	addExamples,
	addHelpNote,
	addPageFlags,
	type JsonFields,
	type JsonFlag,
	jsonOption,
	type PageFlags,
	parsedOption,
} from '../options.js';
import {Exit, exitCodes, notFound, usageError} from '../output/exit.js';
import {note, noteOnTerminal, printProperties, printResult} from '../output/print.js';
import {printFound, printNext, printTable, type TableColumn, timeColumn} from '../output/table.js';
import {fillDelete, fillList, fillShow, readPages} from './list-show-delete.js';
import {
	eventColumns,
	eventFields,
	forwardTo as forwardRequests,
	isOrphaned,
	respondWith,
	startReceiver,
} from './webhook-receiver.js';

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

type SecretFlags = {readonly secret?: string; readonly secretFile?: string};

/** Adds the flags for a signing secret. Other users can read a flag in the process list, but not a file. */
function addSecretFlags(command: Command): Command {
	return command
		.addOption(new Option('--secret <text>', 'signing secret').conflicts('secretFile'))
		.option('--secret-file <file>', 'file with the signing secret');
}

/** Adds the flags for a signing secret that can also be set in the environment. */
function addSecretOrVariableFlags(command: Command): Command {
	return addHelpNote(addSecretFlags(command), 'The secret can also be set in TINBOX_WEBHOOK_SECRET.');
}

/** Secret from the flags, without the line break at the end of the file, or else from the environment. */
async function readWebhookSecret(
	{secret, secretFile}: SecretFlags,
	env: NodeJS.ProcessEnv = {},
): Promise<string | undefined> {
	return secretFile === undefined
		? (secret ?? (env['TINBOX_WEBHOOK_SECRET'] || undefined))
		: (await readFile(secretFile, 'utf8')).replace(/\r?\n$/, '');
}

type SubscriptionFlag = {readonly event?: WebhookEvent[]};

/** Repeatable event flag; not variadic, because the URL may be the next argument. */
function eventOption(description: string): Option {
	const option = parsedOption<WebhookEvent[]>(
		'--event <event>',
		`${description}; repeatable`,
		(text, previous = []) => {
			const event = allWebhookEvents.find(name => name === text);
			return event && [...previous, event];
		},
		`Unknown event. The events are: ${allWebhookEvents.join(', ')}.`,
	);
	return Object.assign(option, {argChoices: allWebhookEvents});
}

type VerifyFlags = SecretFlags & {
	readonly signature: string;
	readonly id?: string;
	readonly timestamp?: string;
};

function addVerify(webhooks: Command, context: Context): void {
	const command = webhooks.command('verify').description('verify the signature of a webhook body on stdin');
	addHelpNote(command, 'The exit code is 0 if the signature is valid, and 6 if not.');
	addSecretOrVariableFlags(
		addExamples(
			command,
			'tinbox webhooks verify --secret-file secret --signature "$SIG" < body.json',
			'tinbox webhooks verify --id "$ID" --timestamp "$TS" --signature "$SIG" < body',
		)
			.requiredOption(
				'--signature <text>',
				`value of ${webhookHeaders.bodySignature}, or of ${webhookHeaders.signature} with --id and --timestamp`,
			)
			.option('--id <id>', `value of ${webhookHeaders.id}`)
			.option('--timestamp <seconds>', `value of ${webhookHeaders.timestamp}`),
	).action(async (flags: VerifyFlags) => verify(flags, context));
}

async function verify({signature, id, timestamp, ...flags}: VerifyFlags, {io, env, now}: Context): Promise<void> {
	if ((id === undefined) !== (timestamp === undefined)) {
		throw usageError(`--id and --timestamp must be used together: ${webhookHeaders.signature} signs both.`);
	}

	const secret = await readWebhookSecret(flags, env);
	if (secret === undefined) {
		throw usageError('The signing secret is missing.', 'Set TINBOX_WEBHOOK_SECRET or use --secret-file.');
	}

	if (io.stdin.isTTY) {
		throw usageError('The body is read from stdin.', 'Redirect it, as received: … < body.json');
	}

	const body = await buffer(io.stdin);
	const problem =
		id === undefined || timestamp === undefined
			? bodySignatureProblem(secret, body, signature)
			: standardSignatureProblem(secret, body, {id, timestamp, signature}, now());
	if (problem !== undefined) {
		throw new Exit(exitCodes.conditionFailed, 'wrong_signature', problem);
	}

	noteOnTerminal(io, 'The signature is valid.');
}

function addDeliveries(webhooks: Command, context: Context): void {
	const command = webhooks
		.command('deliveries')
		.description('list the deliveries of an endpoint, newest first')
		.argument('<endpoint>', endpointArgument)
		.addOption(new Option('--status <status>', 'only deliveries with this status').choices(deliveryStatuses));
	fillList<DeliveryBody, PageFlags & {readonly status?: DeliveryStatus}>(addPageFlags(command), context, {
		fields: deliveryFields,
		columns: listColumns,
		async load({status, ...flags}, [name = '']) {
			const client = await context.api();
			const id = await findEndpointId(client, name);
			const {rows, total, hasMore} = await readPages(flags, async page => {
				const {deliveries, pagination} = await client.webhooks.deliveries(id, {...page, status});
				return {rows: deliveries, total: pagination.total};
			});
			const limit = flags.all ? Math.max(total, 1) : flags.limit;
			const pagination = {page: 1, limit, total, pages: Math.ceil(total / limit)};
			return {
				rows,
				body: {deliveries: rows, pagination} satisfies DeliveryListBody,
				none: `There are no deliveries. Send one: tinbox webhooks test ${name}`,
				more: hasMore && `${rows.length} of ${total} deliveries. See all: tinbox webhooks deliveries ${name} --all`,
			};
		},
	});
}

const deliveryColumns: readonly TableColumn<DeliverySummaryBody>[] = [
	{header: 'ID', value: delivery => delivery.id},
	{header: 'EVENT', value: delivery => delivery.event},
	{header: 'STATUS', value: delivery => delivery.status},
	{header: 'ATTEMPTS', value: delivery => String(delivery.attempts)},
	{header: 'CODE', value: delivery => String(delivery.response_status ?? '')},
	timeColumn('CREATED', delivery => delivery.created_at),
];

const listColumns: readonly TableColumn<DeliveryBody>[] = [
	...deliveryColumns,
	timeColumn('LAST ATTEMPT', delivery => delivery.last_attempt_at),
	{header: 'RESPONSE', value: ({response_body}) => response_body ?? '', flexible: true},
];

const exitNote = 'The exit code is 6 if the endpoint does not respond with a 2xx status.';

function addTest(webhooks: Command, context: Context): void {
	addHelpNote(webhooks.command('test'), exitNote)
		.description('send a test delivery to an endpoint and show the result')
		.argument('<endpoint>', endpointArgument)
		.addOption(jsonOption(deliveryResultFields))
		.action(async (name: string, {json}: JsonFlag) => {
			const client = await context.api();
			printAttempt(await client.webhooks.test(await findEndpointId(client, name)), json, context);
		});
}

function addRedeliver(webhooks: Command, context: Context): void {
	addHelpNote(webhooks.command('redeliver'), exitNote)
		.description('send a delivery again with the same id and body')
		.argument('<endpoint>', endpointArgument)
		.argument('<delivery>', 'delivery id, or "latest"')
		.addOption(jsonOption(deliveryResultFields))
		.action(async (name: string, delivery: string, {json}: JsonFlag) => {
			const client = await context.api();
			const endpointId = await findEndpointId(client, name);
			const deliveryId = await findDeliveryId(client, endpointId, delivery);
			printAttempt(await client.webhooks.redeliver(endpointId, deliveryId), json, context);
		});
}

async function findDeliveryId({webhooks}: Client, endpointId: string, text: string): Promise<string> {
	if (text !== latest) {
		return text;
	}

	const [newest] = (await webhooks.deliveries(endpointId, {page: 1, limit: 1})).deliveries;
	if (!newest) {
		const hint = `Send a test delivery: tinbox webhooks test ${endpointId}`;
		throw notFound('This webhook endpoint has no deliveries yet.', hint);
	}

	return newest.id;
}

/** Maximum length of a quoted response body. */
const maxQuotedLength = 300;

/** Prints an attempted delivery. Throws `Exit` if the endpoint did not acknowledge it. */
function printAttempt({delivery}: DeliveryResultBody, json: JsonFields, context: Context): void {
	if (delivery.status !== 'delivered') {
		throw new Exit(exitCodes.conditionFailed, 'not_delivered', describeProblem(delivery), {details: {delivery}});
	}

	printFound(context, deliveryColumns, [delivery], json);
}

function describeProblem({response_status, response_body}: DeliveryResultBody['delivery']): string {
	const quote = sanitizeLine(response_body ?? '').slice(0, maxQuotedLength);
	return response_status === null
		? `No response from the endpoint: ${quote}`
		: `The endpoint responded with status ${response_status}${quote === '' ? '.' : `: ${quote}`}`;
}

type ListenFlags = SecretFlags &
	SubscriptionFlag &
	JsonFlag & {
		/** Response statuses in order; the last one repeats. */
		readonly respond: readonly number[];
		readonly forwardTo?: string;
	};

function addListen(webhooks: Command, context: Context): void {
	const command = webhooks.command('listen').description('receive, verify and print webhooks until interrupted');
	addHelpNote(command, 'With --json, each event is one line. Requests with an invalid signature get 401.');
	addSecretOrVariableFlags(
		addExamples(
			command,
			'tinbox webhooks listen',
			'tinbox webhooks listen --respond 500,500,200',
			'tinbox webhooks listen --event message.received --event fault.hit',
			'tinbox webhooks listen --forward-to http://localhost:3000/hooks/mail',
		),
	)
		.addOption(eventOption('event to receive (default: message.received)'))
		.addOption(respondOption().default([200], '200'))
		.addOption(forwardOption().conflicts('respond'))
		.addOption(jsonOption(eventFields))
		.action(async (flags: ListenFlags) => listen(flags, context));
}

async function listen(
	{event: events, respond, forwardTo, json, ...flags}: ListenFlags,
	context: Context,
): Promise<void> {
	const {io, api, env, now} = context;
	const givenSecret = await readWebhookSecret(flags, env);
	const secret = givenSecret ?? createWebhookSecret();
	const {webhooks} = await api();
	await untilSignal(async ended => {
		const receiver = await startReceiver({
			secret,
			answer: forwardTo === undefined ? respondWith(respond) : forwardRequests(forwardTo),
			onEvent: event => printNext(context, eventColumns, event, json),
			now,
		});
		try {
			await removeOrphans(webhooks, context);
			const {id} = await webhooks.create({url: receiver.url, events, secret});
			note(io, `Listening on ${receiver.url} as webhook endpoint ${id}.`);
			if (givenSecret === undefined) {
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

/** Deletes endpoints of earlier receivers that were killed. */
async function removeOrphans(webhooks: Client['webhooks'], context: Context): Promise<void> {
	for (const {id, url} of (await webhooks.list()).endpoints) {
		if (await isOrphaned(url)) {
			await remove(webhooks, id, context);
		}
	}
}

/** Deletes an endpoint. Never rejects: the daemon may have stopped before this command. */
async function remove(webhooks: Client['webhooks'], id: string, {io}: Context): Promise<void> {
	await webhooks.delete(id).catch(error => {
		if (!isNotFound(error)) {
			note(io, `The webhook endpoint ${id} is still registered: ${error.message}`);
		}
	});
}

function respondOption(): Option {
	return parsedOption(
		'--respond <statuses>',
		'response statuses in turn; the last one repeats',
		text => (/^\s*[2-5]\d\d\s*(,\s*[2-5]\d\d\s*)*$/.test(text) ? text.split(',').map(Number) : undefined),
		'It must be a list of statuses from 200 to 599, such as 200 or 500,500,200.',
	);
}

function forwardOption(): Option {
	return parsedOption(
		'--forward-to <url>',
		'forward requests to this URL and return its responses',
		text => (/^https?:$/.test(readUrl(text)?.protocol ?? '') ? text : undefined),
		'It must be a URL such as http://localhost:3000/hooks/mail.',
	);
}

function addCreate(webhooks: Command, {io, api, env}: Context): void {
	const command = webhooks.command('create').description('register a webhook endpoint and print its id');
	const formatOption = new Option('--format <format>', 'format of the events, own or of a provider (default: tinbox)');
	addHelpNote(command, 'If no secret is given, a secret is generated and printed once on stderr.');
	addSecretOrVariableFlags(
		addExamples(
			command,
			'tinbox webhooks create http://localhost:3000/hooks/mail',
			'tinbox webhooks create http://localhost:3000/hooks/mail --json=id,secret',
			'tinbox webhooks create http://localhost:3000/hooks/faults --event fault.hit',
			'tinbox webhooks create http://localhost:3000/hooks/resend --format resend',
		).argument('<url>', 'URL that receives a POST request for each event'),
	)
		.addOption(eventOption('event to send (default: message.received; for providers, all email.* but email.opened)'))
		.addOption(formatOption.choices(endpointFormats))
		.addOption(jsonOption(createdEndpointFields))
		.action(async (url: string, {event: events, format, json, ...flags}: CreateFlags) => {
			const secret = await readWebhookSecret(flags, env);
			const client = await api();
			const endpoint = await client.webhooks.create({url, format, events, secret});
			printResult(io, endpoint, endpoint.id, json, verificationNote(endpoint, secret !== undefined));
		});
}

type CreateFlags = JsonFlag & SecretFlags & SubscriptionFlag & {readonly format?: EndpointFormat};

/** Note with the key, or the generated secret, that the app needs to verify signatures. */
function verificationNote({verification_key: key, secret}: CreatedEndpointBody, isOwn: boolean): string | undefined {
	if (key !== null) {
		return `Verification key for the app: ${key}`;
	}

	return isOwn ? undefined : `Signing secret (shown only once): ${secret}`;
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
			// Programs get only the properties, so that the output has one format; `webhooks deliveries` lists the rows.
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
			const secret = await readWebhookSecret(flags);
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
