import {z} from 'zod';
import {allWebhookEvents, deliveryStatuses, endpointFormats} from '../../contract/constants.js';
import {pageFields} from './fields.js';

/** Has an id, so that generated clients have one type for it. */
export const webhookEventField = z.enum(allWebhookEvents).meta({id: 'WebhookEvent'});

/** Field descriptions that requests and responses share. */
export const endpointTexts = {
	format:
		'Format of the requests: `tinbox`, or the format of a sending API, which reports on mail sent through that API.',
	events: 'Events that the endpoint receives.',
	is_active: 'False if the endpoint receives no requests.',
};

const eventsField = z
	.array(webhookEventField)
	.min(1, 'must have at least one event')
	.refine(events => new Set(events).size === events.length, 'must not repeat an event')
	.meta({uniqueItems: true});

const urlField = z
	.string()
	.trim()
	.max(2048, 'must be at most 2048 characters long')
	.meta({format: 'uri', description: 'URL that receives the requests; http or https.'});

const secretField = z.string().min(1, 'must not be empty').max(200, 'must be at most 200 characters long');

export const createEndpoint = z
	.strictObject({
		url: urlField,
		format: z.enum(endpointFormats).optional().describe(`${endpointTexts.format} Default \`tinbox\`.`),
		events: eventsField
			.optional()
			.describe(
				`${endpointTexts.events} Default \`message.received\`; for the format of a sending API, all \`email.\` events except \`email.opened\`.`,
			),
		secret: secretField.optional().describe('Secret that signs the requests (default: a generated one).'),
	})
	.meta({id: 'CreateEndpoint'});

export const updateEndpoint = z
	.strictObject({
		url: urlField.optional(),
		events: eventsField.optional().describe(endpointTexts.events),
		is_active: z.boolean().optional().describe(endpointTexts.is_active),
		secret: secretField.optional().describe('Secret that signs the requests.'),
	})
	.meta({id: 'UpdateEndpoint'});

export const listDeliveries = z.strictObject({
	...pageFields,
	status: z.enum(deliveryStatuses).optional().describe('Only deliveries with this status.'),
	event: webhookEventField.optional().describe('Only deliveries of this event.'),
	message_id: z.string().optional().describe('Only deliveries about the message with this id.'),
});
