import {expect, test} from 'vitest';
import {Previews} from '../../../../src/services/messages/previews.js';

const user = {id: 'u1', name: 'Ann', email: 'ann@example.com', plan: 'free', createdAt: ''} as const;

test('a preview link is valid for ten minutes', async () => {
	let now = new Date('2026-01-01T00:00:00Z');
	// The only method that preview links use.
	const messages = {get: async () => ({inboxId: 'i1', id: 'm1'})};
	const options = {credentials: {holder: async () => user}, secret: 'secret', now: () => now};
	const previews = new Previews(messages as never, options);
	const {token, expiresAt} = await previews.create(user, 'hash', 'i1', 'm1');
	expect(expiresAt).toEqual(new Date('2026-01-01T00:10:00Z'));
	now = new Date('2026-01-01T00:09:59Z');
	expect(await previews.open(token)).toEqual([user, 'i1', 'm1']);
	now = new Date('2026-01-01T00:10:00Z');
	await expect(previews.open(token)).rejects.toMatchObject({code: 'not_found'});
});

test('a preview link is valid on every daemon with the same secret and on no other', async () => {
	const {previews, calls} = createPreviews('secret');
	const {token} = await previews.create(user, 'the hash', 'i1', 'm1');
	expect(Buffer.from(token, 'base64url').includes('i1')).toBe(false);
	const other = createPreviews('secret');
	expect(await other.previews.open(token)).toEqual([user, 'i1', 'm1']);
	expect([calls, other.calls]).toEqual([[], ['the hash']]);
	for (const wrong of [`${token}x`, token.slice(0, -8), `x${token}`, '', '....', 'x'.repeat(100_000)]) {
		await expect(previews.open(wrong)).rejects.toMatchObject({code: 'not_found'});
	}

	await expect(createPreviews('other secret').previews.open(token)).rejects.toMatchObject({code: 'not_found'});
});

function createPreviews(secret: string) {
	const calls: unknown[] = [];
	const messages = {get: async () => ({inboxId: 'i1', id: 'm1'})};
	const holder = async (hash: string) => {
		calls.push(hash);
		return hash === 'the hash' ? user : undefined;
	};
	return {calls, previews: new Previews(messages as never, {credentials: {holder}, secret, now: () => new Date()})};
}
