import {randomUUID} from 'node:crypto';
import {apiClient} from '../../../src/client/index.js';
import type {FullMessageBody} from '../../../src/contract/messages.js';
import type {Tinbox} from '../../helpers/tinbox.js';

/** Creates a user with an inbox and its key for sending APIs. */
export async function openSending(tinbox: Tinbox) {
	const {key} = await tinbox.user(`ann-${randomUUID()}`);
	const client = apiClient({url: tinbox.url, apiKey: key});
	const {id, email_address: address, smtp} = await client.inboxes.create({});
	const list = async () => client.messages.list(id);
	return {
		client,
		id,
		address,
		/** API key that delivers all mail to the inbox. */
		sendKey: smtp?.send_key ?? '',
		list,
		/** Resolves to the only message; rejects if there is none or several. */
		only: async (): Promise<FullMessageBody> => {
			const [message, ...others] = await list();
			if (!message || others.length > 0) {
				throw new Error(`There are ${others.length + (message ? 1 : 0)} messages.`);
			}

			return client.messages.get(id, message.id);
		},
		/** Content of an attachment. */
		attachment: async (messageId: string, attachmentId: string) => {
			const path = `/inboxes/${id}/messages/${messageId}/attachments/${attachmentId}`;
			return Buffer.from(await (await tinbox.request('GET', path, {key})).arrayBuffer());
		},
	};
}

/** URL for the SDK of a provider. */
export function sendUrl(tinbox: Tinbox, provider: string): string {
	return new URL(`/send/${provider}`, tinbox.url).href;
}
