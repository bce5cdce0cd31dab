import {z} from 'zod';
import type {NodeBody, NodeListBody} from '../../../contract/daemon.js';
import {bodySchema} from '../body-schema.js';
import {amountField, timeField} from './fields.js';

const nodeSchema = bodySchema<NodeBody>()(
	'Node',
	z.object({
		id: z.string().describe('Id of the node.'),
		name: z.string().describe('Host name of the node.'),
		version: z.string().describe('Version of tinbox on the node.'),
		address: z.string().describe('Host and port of the HTTP listener.'),
		since: timeField.describe('Time when the node started.'),
		heartbeat_at: timeField.describe('Time of the last heartbeat.'),
		waits: amountField.describe('Number of open long polls and event streams.'),
		sessions: amountField.describe('Number of open SMTP connections.'),
		state: z.enum(['up', 'lost']).describe('`lost` after 10 s without a heartbeat.'),
	}),
);

export const nodeListSchema = bodySchema<NodeListBody>()(
	'NodeList',
	z.object({nodes: z.array(nodeSchema).describe('Nodes, the oldest first.')}),
);
