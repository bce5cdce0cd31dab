import {type Command, Option} from 'commander';
import type {Client} from '../../../client/index.js';
import {takeRows} from '../../../client/pages.js';
import {type DeliveryStatus, deliveryStatuses, latest} from '../../../contract/constants.js';
import {deliveryFields, deliveryResultFields} from '../../../contract/field-names.js';
import type {
	DeliveryBody,
	DeliveryListBody,
	DeliveryResultBody,
	DeliverySummaryBody,
} from '../../../contract/webhooks.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import type {Context} from '../../context.js';
import {endpointArgument, findEndpointId} from '../../find.js';
import {addHelpNote} from '../../help/layout.js';
import {addPageFlags, type JsonFields, type JsonFlag, jsonOption, type PageFlags, rowCount} from '../../options.js';
import {Exit, exitCodes, notFound} from '../../output/exit.js';
import {printJson} from '../../output/print.js';
import {printRow, type TableColumn, timeColumn} from '../../output/table.js';
import {fillList} from '../verbs.js';

export function addDeliveries(webhooks: Command, context: Context): void {
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
			let total = 0;
			const rows = await takeRows(async page => {
				const found = await client.webhooks.deliveries(id, {...page, status});
				total = found.pagination.total;
				return found.deliveries;
			}, rowCount(flags));
			const limit = flags.all ? Math.max(total, 1) : flags.limit;
			const pagination = {page: 1, limit, total, pages: Math.ceil(total / limit)};
			return {
				rows,
				body: {deliveries: rows, pagination} satisfies DeliveryListBody,
				none: `There are no deliveries. Send one: tinbox webhooks test ${name}`,
				more:
					rows.length < total &&
					`${rows.length} of ${total} deliveries. See all: tinbox webhooks deliveries ${name} --all`,
			};
		},
	});
}

export const deliveryColumns: readonly TableColumn<DeliverySummaryBody>[] = [
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

export function addTest(webhooks: Command, context: Context): void {
	addHelpNote(webhooks.command('test'), exitNote)
		.description('send a test delivery to an endpoint and show the result')
		.argument('<endpoint>', endpointArgument)
		.addOption(jsonOption(deliveryResultFields))
		.action(async (name: string, {json}: JsonFlag) => {
			const client = await context.api();
			printAttempt(await client.webhooks.test(await findEndpointId(client, name)), json, context);
		});
}

export function addRedeliver(webhooks: Command, context: Context): void {
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
		throw notFound(
			'This webhook endpoint has no deliveries yet.',
			`Send a test delivery: tinbox webhooks test ${endpointId}`,
		);
	}

	return newest.id;
}

/** How much of a response is quoted. */
const maxQuoteLength = 300;

/** Prints the delivery that was attempted; throws when the receiver did not acknowledge it. */
function printAttempt({delivery}: DeliveryResultBody, json: JsonFields, context: Context): void {
	if (delivery.status !== 'delivered') {
		throw new Exit(exitCodes.conditionFailed, 'not_delivered', problemOf(delivery), {details: {delivery}});
	}

	if (json) {
		printJson(context.io, delivery, json);
	} else {
		printRow(context, deliveryColumns, delivery);
	}
}

function problemOf({response_status, response_body}: DeliveryResultBody['delivery']): string {
	const quote = sanitizeLine(response_body ?? '').slice(0, maxQuoteLength);
	return response_status === null
		? `No response from the endpoint: ${quote}`
		: `The endpoint responded with status ${response_status}${quote === '' ? '.' : `: ${quote}`}`;
}
