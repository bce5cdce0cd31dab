import {type Command, Option} from 'commander';
import {takeRows} from '../../../client/pages.js';
import type {DeliveryBody, DeliveryListBody} from '../../../contract/webhooks.js';
import {ago} from '../../ago.js';
import type {Context} from '../../context.js';
import {addListFlags, type ListFlags, rowCount} from '../../options.js';
import {noteOnTerminal, printJsonList} from '../../output.js';
import {type Column, printTable} from '../../table.js';
import {deliveryColumns} from './columns.js';
import {deliveryFields} from './fields.js';
import {endpointArgument, findEndpointId} from './find-endpoint.js';

export type DeliveriesOptions = ListFlags & {
	readonly endpoint: string;
	readonly status?: DeliveryBody['status'];
};

const statuses: ReadonlyArray<DeliveryBody['status']> = ['pending', 'delivered', 'failed', 'dead'];

export function addDeliveries(parent: Command, context: Context, run = runDeliveries): void {
	const command = parent
		.command('deliveries')
		.description('list what was sent to a webhook endpoint, the newest first')
		.argument('<endpoint>', endpointArgument)
		.addOption(new Option('--status <status>', 'only those in this state').choices(statuses));
	addListFlags(command, deliveryFields).action(async (endpoint: string, flags: Omit<DeliveriesOptions, 'endpoint'>) =>
		run({endpoint, ...flags}, context),
	);
}

export async function runDeliveries(options: DeliveriesOptions, {io, api, now}: Context): Promise<void> {
	const {endpoint: text, status, json} = options;
	const client = await api();
	const id = await findEndpointId(client, text);
	let total = 0;
	const rows = await takeRows(async page => {
		const body = await client.webhooks.deliveries(id, {...page, ...(status !== undefined && {status})});
		total = body.pagination.total;
		return body.deliveries;
	}, rowCount(options));
	if (json) {
		const limit = options.all ? Math.max(total, 1) : options.limit;
		const pagination = {page: 1, limit, total, pages: Math.ceil(total / limit)};
		printJsonList(io, {deliveries: rows, pagination} satisfies DeliveryListBody, rows, json);
		return;
	}

	await printTable(io, columns(now()), rows);
	if (rows.length < total) {
		noteOnTerminal(io, `${rows.length} of ${total} deliveries. See all: tinbox webhooks deliveries ${text} --all`);
	} else if (total === 0) {
		noteOnTerminal(io, `There is no such delivery. Make one: tinbox webhooks test ${text}`);
	}
}

function columns(now: Date): readonly Column<DeliveryBody>[] {
	return [
		...deliveryColumns(now),
		{
			header: 'LAST ATTEMPT',
			value: ({last_attempt_at}) => last_attempt_at ?? '',
			show: ({last_attempt_at}) => (last_attempt_at === null ? '' : ago(last_attempt_at, now)),
		},
		{header: 'RESPONSE', value: ({response_body}) => response_body ?? '', flexible: true},
	];
}
