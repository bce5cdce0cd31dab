import {Alarm} from '../../lib/alarm.js';
import type {Part} from '../../lib/lifecycle.js';
import type {Store} from '../../store/port.js';
import {Announcements} from './announcements.js';
import {Attempts, type AttemptsOptions} from './attempts.js';
import {Dispatcher} from './dispatcher.js';
import {DeliveryRetention, type Retention} from './retention.js';
import {Webhooks, type WebhooksOptions} from './webhooks.js';

export type WebhookPartsOptions = Omit<AttemptsOptions, 'onOver' | 'onRecorded'> &
	Omit<WebhooksOptions, 'attempts' | 'alarm'> & {
		/** Of the local user. */
		readonly localEmail: string;
		/** How much of the delivery log of each endpoint is kept. */
		readonly retention: Retention;
	};

export type WebhookParts = {
	readonly webhooks: Webhooks;
	readonly announcements: Announcements;
	/** To be started, in this order, once the store is open. */
	readonly parts: readonly Part[];
};

/** Everything about webhooks, put together. The dispatcher wakes by the feed, and by an alarm for what the feed does not tell. */
export function createWebhookParts(store: Omit<Store, 'dump'>, options: WebhookPartsOptions): WebhookParts {
	const {feed, quotas, retention, localEmail, now, log} = options;
	const alarm = new Alarm();
	const logRetention = new DeliveryRetention(store, {...retention, now, log});
	const attempts = new Attempts(store, {
		...options,
		onOver: () => alarm.ring(),
		onRecorded({id, endpointId}, userId) {
			logRetention.note(endpointId, userId);
			void feed.publish([{type: 'delivery.changed', deliveryId: id, endpointId}]);
		},
	});
	return {
		webhooks: new Webhooks(store, {...options, attempts, alarm}),
		announcements: new Announcements(store, {quota: quotas.deliveries, localEmail, retention: logRetention}),
		parts: [logRetention, new Dispatcher(store, {...options, attempts, alarm})],
	};
}
