import type {FindHost, TargetPolicy} from '../domain/target.js';
import type {SendWebhook} from '../domain/webhook.js';
import {Alarm} from '../lib/alarm.js';
import type {Part} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import type {Store} from '../store/store.js';
import type {Announcer} from './announcer.js';
import {Attempts} from './attempts.js';
import {DeliveryRetention, type Retention} from './delivery-retention.js';
import {Dispatcher} from './dispatcher.js';
import {interruptedTests} from './interrupted-tests.js';
import {Lanes} from './lanes.js';
import {WebhookAnnouncer} from './webhook-announcer.js';
import {Webhooks} from './webhooks.js';

export type WebhookPartsOptions = {
	readonly send: SendWebhook;
	readonly allows: TargetPolicy;
	readonly findHost: FindHost;
	/** The n-th wait between attempts is n times this. */
	readonly retryDelayMs: number;
	/** How much of the delivery log of each endpoint is kept. */
	readonly retention: Retention;
	readonly now: () => Date;
	readonly log: Log;
};

export type WebhookParts = {
	readonly webhooks: Webhooks;
	readonly announcer: Announcer;
	/** To be started, in this order, once the store is open. */
	readonly parts: readonly Part[];
};

/** Everything about webhooks, put together: one alarm wakes the dispatcher, whoever has something for it. */
export function createWebhookParts(store: Store, options: WebhookPartsOptions): WebhookParts {
	const {send, allows, findHost, retryDelayMs, retention, now, log} = options;
	const alarm = new Alarm();
	const logRetention = new DeliveryRetention(store, {...retention, now, log});
	const attempts = new Attempts(store, {
		send,
		retryDelayMs,
		lanes: new Lanes(() => alarm.ring()),
		onRecorded: endpointId => logRetention.note(endpointId),
		now,
		log,
	});
	return {
		webhooks: new Webhooks(store, {attempts, alarm, allows, findHost, now}),
		announcer: new WebhookAnnouncer(store, alarm, now),
		parts: [interruptedTests(store, {now, log}), logRetention, new Dispatcher(store, {attempts, alarm, now, log})],
	};
}
