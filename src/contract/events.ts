import {z} from 'zod';
import {amountField, type ReadonlyDeep} from './common.js';
import {faultHitSchema} from './faults.js';
import {inboxSchema} from './inboxes.js';
import {messageSummarySchema} from './messages.js';
import {deliverySummarySchema} from './webhooks.js';

const reasonField = z
	.literal('evicted')
	.describe('Present if the inbox evicted the messages because of `keep` or `keep_for`.')
	.optional();

/** Event with a schema name, which becomes a type in generated clients. */
function named<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
	return z.object(shape).meta({id});
}

const inboxIdField = z.string().describe('Id of the inbox.');

const countField = amountField.describe('Number of messages in the inbox now.');

const events = [
	named('ReadyEvent', {
		type: z.literal('ready'),
		resumed: z
			.boolean()
			.describe('True if no event was missed since `Last-Event-ID`; false on a new stream or after a gap.'),
	}),
	named('MessageReceivedEvent', {
		type: z.literal('message.received'),
		message: messageSummarySchema,
		message_count: countField,
	}),
	named('MessageDeletedEvent', {
		type: z.literal('message.deleted'),
		inbox_id: inboxIdField,
		message_id: z.string().describe('Id of the deleted message.'),
		message_count: countField,
		reason: reasonField,
	}),
	named('MessagesDeletedEvent', {
		type: z.literal('messages.deleted'),
		inbox_id: inboxIdField,
		message_count: amountField.describe('Number of messages received since the deletion.'),
		reason: reasonField,
	}),
	named('InboxEvent', {type: z.enum(['inbox.created', 'inbox.changed']), inbox: inboxSchema}),
	named('InboxDeletedEvent', {type: z.literal('inbox.deleted'), inbox_id: inboxIdField}),
	named('DeliveryChangedEvent', {
		type: z.literal('delivery.changed'),
		endpoint_id: z.string().describe('Id of the webhook endpoint.'),
		delivery: deliverySummarySchema,
	}),
	named('FaultHitEvent', {type: z.literal('fault.hit'), hit: faultHitSchema}),
	named('FaultsChangedEvent', {
		type: z.literal('faults.changed'),
		inbox_id: z
			.string()
			.nullable()
			.describe('Id of the inbox whose faults were created or deleted; null for faults of the daemon.'),
	}),
] as const;

/** Discriminator of the event types (OpenAPI). */
const discriminator = {
	propertyName: 'type',
	mapping: Object.fromEntries(
		events.flatMap(event =>
			[...event.shape.type._zod.values].map(type => [type, `#/components/schemas/${event.meta()?.id}`]),
		),
	),
};

/**
 * Data of one event of `GET /v1/events` (`text/event-stream`); the event name is its `type`. The first event is `ready`. If its
 * `resumed` is false, read the lists again. Do the same after `messages.deleted`.
 */
export const eventSchema = z.discriminatedUnion('type', events).meta({discriminator, id: 'Event'});

export type EventBody = ReadonlyDeep<z.output<typeof eventSchema>>;
