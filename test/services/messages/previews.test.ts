import {expect, test} from 'vitest';
import {Quota} from '../../../src/services/limits/quota.js';
import {Previews} from '../../../src/services/messages/previews.js';

const unlimited = new Quota({
	things: 'links',
	perUser: 1,
	inAll: 1,
	show: String,
	makeRoom: 'Wait',
	more: 'more',
});
const user = {id: 'u1', name: 'Ann', email: 'ann@example.com', plan: 'free', createdAt: ''} as const;

test('a link works for ten minutes', async () => {
	let now = new Date('2026-01-01T00:00:00Z');
	const read = {message: 'the message'};
	// The only parts of the messages that links use.
	const messages = {get: async () => read, read: async () => read, attachment: async () => read};
	const options = {credentials: {holder: async () => user}, quota: unlimited, now: () => now};
	const previews = new Previews(messages as never, options);
	const {token, expiresAt} = await previews.create(user, 'hash', 'i1', 'm1');
	expect(expiresAt).toEqual(new Date('2026-01-01T00:10:00Z'));
	now = new Date('2026-01-01T00:09:59Z');
	expect(await previews.read(token)).toBe(read);
	now = new Date('2026-01-01T00:10:00Z');
	await expect(previews.read(token)).rejects.toMatchObject({code: 'not_found'});
});
