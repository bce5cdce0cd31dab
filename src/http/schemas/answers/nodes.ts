import {z} from 'zod';
import type {NodeBody, NodeListBody} from '../../../contract/nodes.js';
import {bodySchema} from '../body-schema.js';
import {amountField, timeField} from './fields.js';

const nodeSchema = bodySchema<NodeBody>()(
	'Node',
	z.object({
		id: z.string(),
		name: z.string().describe('Of its host.'),
		version: z.string(),
		address: z.string().describe('Host and port where it answers HTTP.'),
		since: timeField,
		heartbeat_at: timeField.describe('When it last told that it is up.'),
		waits: amountField.describe('Requests and event streams that it holds open for news.'),
		sessions: amountField.describe('SMTP connections to it.'),
		state: z.enum(['up', 'lost']).describe('`lost` when nothing was heard of it for 10 s.'),
	}),
);

export const nodeListSchema = bodySchema<NodeListBody>()('NodeList', z.object({nodes: z.array(nodeSchema)}));
