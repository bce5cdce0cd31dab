import type {ReceivedEvent} from '../client/events.js';
import type {CreateInbox, InboxBody, InboxListBody} from '../contract/inboxes.js';
import type {FullMessageBody, MessageBody} from '../contract/messages.js';
import type {DeliveryListBody, DeliveryResultBody, EndpointListBody} from '../contract/webhooks.js';

type Page = {readonly page: number; readonly limit: number};

/** What the screens need of the client. */
export type WatchApi = {
	readonly inboxes: {
		create(body: CreateInbox): Promise<InboxBody>;
		list(page: Page): Promise<InboxListBody>;
		delete(id: string): Promise<unknown>;
	};
	readonly messages: {
		list(inboxId: string, page: Page): Promise<readonly MessageBody[]>;
		get(inboxId: string, id: string): Promise<FullMessageBody>;
		delete(inboxId: string, id: string): Promise<unknown>;
		raw(inboxId: string, id: string): Promise<Buffer>;
		attachment(inboxId: string, id: string, attachmentId: string): Promise<Buffer>;
		/** A short-lived address of a page that shows the message in a browser. */
		preview(inboxId: string, id: string): Promise<{readonly url: string}>;
	};
	readonly webhooks: {
		list(): Promise<EndpointListBody>;
		deliveries(id: string, page: Page): Promise<DeliveryListBody>;
		test(id: string): Promise<DeliveryResultBody>;
		redeliver(id: string, deliveryId: string): Promise<DeliveryResultBody>;
	};
	readonly events: {
		/** Events until the connection ends, which rejects. `lastEventId` is where to take up. */
		follow(signal: AbortSignal, lastEventId?: string): AsyncGenerator<ReceivedEvent>;
	};
};
