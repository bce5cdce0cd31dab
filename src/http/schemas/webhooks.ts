import {z} from 'zod';
import {allWebhookEvents, deliveryStatuses, endpointFormats} from '../../contract/webhooks.js';
import {pageFields} from './fields.js';

/** Named, as clients then have one type of all that it is in. */
export const webhookEventField = z.enum(allWebhookEvents).meta({id: 'WebhookEvent'});

const eventsField = z
	.array(webhookEventField)
	.min(1, 'must name at least one event')
	.refine(events => new Set(events).size === events.length, 'must not name an event twice')
	.meta({uniqueItems: true});

const urlField = z
	.string()
	.trim()
	.max(2048, 'must be at most 2048 characters long')
	.meta({format: 'uri', description: 'By http or https.'});

const secretField = z.string().min(1, 'must not be empty').max(200, 'must be at most 200 characters long');

export const createEndpoint = z
	.strictObject({
		url: urlField,
		format: z.enum(endpointFormats).optional(),
		events: eventsField.optional(),
		secret: secretField.optional(),
	})
	.meta({id: 'CreateEndpoint'});

export const updateEndpoint = z
	.strictObject({
		url: urlField.optional(),
		events: eventsField.optional(),
		is_active: z.boolean().optional(),
		secret: secretField.optional(),
	})
	.meta({id: 'UpdateEndpoint'});

export const listDeliveries = z.strictObject({
	...pageFields,
	status: z.enum(deliveryStatuses).optional(),
	event: webhookEventField.optional(),
	message_id: z.string().optional(),
});
