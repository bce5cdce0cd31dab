import {InvalidArgumentError, Option} from 'commander';
import {allWebhookEvents, type WebhookEvent} from '../../../contract/constants.js';

export type SubscriptionFlag = {readonly event?: WebhookEvent[]};

/** What an endpoint is told of. Not variadic: the URL may come next. */
export function eventOption(description: string): Option {
	return new Option('--event <event>', `${description}; repeatable`)
		.choices(allWebhookEvents)
		.argParser((text, others: WebhookEvent[] = []) => {
			const event = allWebhookEvents.find(name => name === text);
			if (event === undefined) {
				throw new InvalidArgumentError(`Unknown event. The events are: ${allWebhookEvents.join(', ')}.`);
			}

			return [...others, event];
		});
}
