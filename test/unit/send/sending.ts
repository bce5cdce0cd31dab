import {randomUUID} from 'node:crypto';
import {apiClient} from '../../../src/client/index.js';
import type {FullMessageBody} from '../../../src/contract/messages.js';
import type {Tinbox} from '../../helpers/tinbox.js';

/** An inbox that an app sends to by an API, with the key that the app is given. */
export async function openSending(tinbox: Tinbox) {
	const {key} = await tinbox.user(`ann-${randomUUID()}`);
	const client = apiClient({url: tinbox.url, apiKey: key});
	const {id, email_address: address, smtp} = await client.inboxes.create({});
	const list = async () => client.messages.list(id);
	return {
		client,
		id,
		address,
		/** As the API key of a provider: all mail goes into the inbox. */
		sendKey: smtp?.send_key ?? '',
		list,
		/** The only message that there is. */
		only: async (): Promise<FullMessageBody> => {
			const [message, ...others] = await list();
			if (!message || others.length > 0) {
				throw new Error(`There are ${others.length + (message ? 1 : 0)} messages.`);
			}

			return client.messages.get(id, message.id);
		},
		/** What its attachment holds. */
		attachment: async (messageId: string, attachmentId: string) => {
			const path = `/inboxes/${id}/messages/${messageId}/attachments/${attachmentId}`;
			return Buffer.from(await (await tinbox.request('GET', path, {key})).arrayBuffer());
		},
	};
}

/** Below `/send`, where the SDK of a provider is pointed. */
export function sendUrl(tinbox: Tinbox, provider: string): string {
	return new URL(`/send/${provider}`, tinbox.url).href;
}
