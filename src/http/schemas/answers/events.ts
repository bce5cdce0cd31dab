import {z} from 'zod';
import type {EventBody} from '../../../contract/events.js';
import {bodySchema} from '../body-schema.js';
import {faultHitSchema} from './faults.js';
import {amountField} from './fields.js';
import {inboxSchema} from './inboxes.js';
import {messageSummarySchema} from './messages.js';
import {deliverySummarySchema} from './webhooks.js';

const reasonField = z.literal('evicted').describe('The inbox keeps them no longer; nobody deleted them.').optional();

/** The data of one event of the stream. */
export const eventSchema = bodySchema<EventBody>()(
	'Event',
	z.discriminatedUnion('type', [
		z.object({type: z.literal('ready'), resumed: z.boolean()}),
		z.object({type: z.literal('message.received'), message: messageSummarySchema, message_count: amountField}),
		z.object({
			type: z.literal('message.deleted'),
			inbox_id: z.string(),
			message_id: z.string(),
			message_count: amountField,
			reason: reasonField,
		}),
		z.object({
			type: z.literal('messages.deleted'),
			inbox_id: z.string(),
			message_count: amountField,
			reason: reasonField,
		}),
		z.object({type: z.enum(['inbox.created', 'inbox.changed']), inbox: inboxSchema}),
		z.object({type: z.literal('inbox.deleted'), inbox_id: z.string()}),
		z.object({type: z.literal('delivery.changed'), endpoint_id: z.string(), delivery: deliverySummarySchema}),
		z.object({type: z.literal('fault.hit'), hit: faultHitSchema}),
		z.object({type: z.literal('faults.changed'), inbox_id: z.string().nullable()}),
	]),
);
