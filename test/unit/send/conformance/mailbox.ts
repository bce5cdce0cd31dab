import {expect} from 'vitest';
import type {SendProvider} from '../../../../src/contract/constants.js';
import type {FullMessageBody} from '../../../../src/contract/messages.js';
import type {Person, Tinbox} from '../../../helpers/tinbox.js';
import type {Account} from './sdks.js';

/** Creates an inbox with an account for each provider. */
export async function openMailbox(tinbox: Tinbox, {user, key}: Person) {
	const {inbox} = await tinbox.services.inboxes.create(user, {
		name: null,
		teamId: null,
		address: null,
		ttlSeconds: null,
	});
	const path = `/inboxes/${inbox.id}`;
	const get = async <T>(target: string): Promise<T> => {
		const response = await tinbox.request('GET', path + target, {key});
		expect(response.status).toBe(200);
		return (await response.json()) as T;
	};
	const {send_key: sendKey} = await get<{send_key: string}>('/credentials');
	const summaries = async () => get<ReadonlyArray<{id: string; subject: string}>>('/messages?fields=summary&limit=100');
	return {
		inbox,
		sendKey,
		summaries,
		account: (provider: SendProvider): Account => ({
			url: tinbox.url.replace(/\/v1$/, `/send/${provider}`),
			key: sendKey,
		}),
		/** All messages, newest first. */
		messages: async () => Promise.all((await summaries()).map(({id}) => get<FullMessageBody>(`/messages/${id}`))),
		readerOf: ({id}: FullMessageBody) => ({
			async attachment(attachmentId: string): Promise<Uint8Array> {
				const target = `${path}/messages/${id}/attachments/${attachmentId}`;
				const response = await tinbox.request('GET', target, {key});
				return new Uint8Array(await response.arrayBuffer());
			},
			request: () => get<{data: unknown}>(`/messages/${id}/request`),
		}),
	};
}
