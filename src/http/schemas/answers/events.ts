import {z} from 'zod';
import type {EventBody} from '../../../contract/events.js';
import {bodySchema} from '../body-schema.js';
import {faultHitSchema} from './faults.js';
import {amountField} from './fields.js';
import {inboxSchema} from './inboxes.js';
import {messageSummarySchema} from './messages.js';
import {deliverySummarySchema} from './webhooks.js';

const reasonField = z.literal('evicted').describe('The inbox keeps them no longer; nobody deleted them.').optional();

/** An event, by a name of its own: clients call a type of their own by it. */
function named<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
	return z.object(shape).meta({id});
}

const events = [
	named('ReadyEvent', {type: z.literal('ready'), resumed: z.boolean()}),
	named('MessageReceivedEvent', {
		type: z.literal('message.received'),
		message: messageSummarySchema,
		message_count: amountField,
	}),
	named('MessageDeletedEvent', {
		type: z.literal('message.deleted'),
		inbox_id: z.string(),
		message_id: z.string(),
		message_count: amountField,
		reason: reasonField,
	}),
	named('MessagesDeletedEvent', {
		type: z.literal('messages.deleted'),
		inbox_id: z.string(),
		message_count: amountField,
		reason: reasonField,
	}),
	named('InboxEvent', {type: z.enum(['inbox.created', 'inbox.changed']), inbox: inboxSchema}),
	named('InboxDeletedEvent', {type: z.literal('inbox.deleted'), inbox_id: z.string()}),
	named('DeliveryChangedEvent', {
		type: z.literal('delivery.changed'),
		endpoint_id: z.string(),
		delivery: deliverySummarySchema,
	}),
	named('FaultHitEvent', {type: z.literal('fault.hit'), hit: faultHitSchema}),
	named('FaultsChangedEvent', {type: z.literal('faults.changed'), inbox_id: z.string().nullable()}),
] as const;

/** What tells them apart, as OpenAPI has it. */
const discriminator = {
	propertyName: 'type',
	mapping: Object.fromEntries(
		events.flatMap(event =>
			[...event.shape.type._zod.values].map(type => [type, `#/components/schemas/${event.meta()?.id}`]),
		),
	),
};

/** The data of one event of the stream. */
export const eventSchema = bodySchema<EventBody>()('Event', z.discriminatedUnion('type', events), {discriminator});
