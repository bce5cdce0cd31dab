import {z} from 'zod';
import {amountField, nullableText, type ReadonlyDeep, responseObject} from './common.js';
import {faultHitSchema} from './faults.js';
import {inboxSchema} from './inboxes.js';
import {messageSummarySchema} from './messages.js';
import {deliverySummarySchema} from './webhooks.js';

const reasonField = z
	.literal('evicted')
	.describe('Present if the inbox evicted the messages because of `keep` or `keep_for`.')
	.optional();

const inboxIdField = z.string().describe('Id of the inbox.');

const countField = amountField.describe('Number of messages in the inbox now.');

const events = [
	responseObject('ReadyEvent', {
		type: z.literal('ready'),
		resumed: z
			.boolean()
			.describe('True if no event was missed since `Last-Event-ID`; false on a new stream or after a gap.'),
	}),
	responseObject('MessageReceivedEvent', {
		type: z.literal('message.received'),
		message: messageSummarySchema,
		message_count: countField,
	}),
	responseObject('MessageDeletedEvent', {
		type: z.literal('message.deleted'),
		inbox_id: inboxIdField,
		message_id: z.string().describe('Id of the deleted message.'),
		message_count: countField,
		reason: reasonField,
	}),
	responseObject('MessagesDeletedEvent', {
		type: z.literal('messages.deleted'),
		inbox_id: inboxIdField,
		message_count: amountField.describe('Number of messages received since the deletion.'),
		reason: reasonField,
	}),
	responseObject('InboxEvent', {type: z.enum(['inbox.created', 'inbox.changed']), inbox: inboxSchema}),
	responseObject('InboxDeletedEvent', {type: z.literal('inbox.deleted'), inbox_id: inboxIdField}),
	responseObject('DeliveryChangedEvent', {
		type: z.literal('delivery.changed'),
		endpoint_id: z.string().describe('Id of the webhook endpoint.'),
		delivery: deliverySummarySchema,
	}),
	responseObject('FaultHitEvent', {type: z.literal('fault.hit'), hit: faultHitSchema}),
	responseObject('FaultsChangedEvent', {
		type: z.literal('faults.changed'),
		inbox_id: nullableText.describe(
			'Id of the inbox whose faults were created or deleted; null for faults of the daemon.',
		),
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
