import {describe, expect, test} from 'vitest';
import {hashSecret} from '../../../../src/domain/accounts/secrets.js';
import {openAccounts} from '../../../helpers/accounts.js';

describe('API keys', () => {
	test('are stored only as prefix and hash', async () => {
		const accounts = await openAccounts();
		const ann = await accounts.user('ann');
		const {key, raw} = await accounts.services.keys.create(ann, 'CI');
		expect(key).toEqual({
			id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
			userId: ann.id,
			name: 'CI',
			prefix: raw.slice(0, 16),
			hash: hashSecret(raw),
			createdAt: '2026-01-01T00:00:00.000Z',
			lastUsedAt: null,
		});
		expect(await accounts.services.keys.list(ann)).toEqual([key]);
	});

	test.each([
		{plan: 'free', limit: 1},
		{plan: 'starter', limit: 3},
		{plan: 'pro', limit: 10},
		{plan: 'business', limit: 50},
	] as const)(
		'of the $plan plan are limited to $limit, even if they are created concurrently',
		async ({plan, limit}) => {
			const accounts = await openAccounts();
			const ann = await accounts.user('ann', plan);
			const create = async () => accounts.services.keys.create(ann, 'Key');
			for (let made = 0; made < limit - 5; made += 5) {
				await Promise.all(Array.from({length: 5}, create));
				accounts.passTime(60_000);
			}

			await Promise.allSettled(Array.from({length: 9}, create));
			expect(await accounts.services.keys.list(ann)).toHaveLength(limit);
			accounts.passTime(60_000);
			await expect(create()).rejects.toMatchObject({code: 'plan_limit'});
		},
	);

	test('are limited to ten per minute and user, also across restarts', async () => {
		const accounts = await openAccounts();
		const ann = await accounts.user('ann');
		const create = async () => accounts.services.keys.create(ann, 'Key');
		for (let made = 0; made < 10; made++) {
			await create();
			accounts.passTime(1000);
		}

		await accounts.restart();
		await expect(create()).rejects.toMatchObject({code: 'rate_limited', details: {retryAfter: 50}});
		await accounts.services.keys.create(await accounts.user('bob'), 'Key');
		accounts.passTime(50_000);
		await create();
		await expect(create()).rejects.toMatchObject({code: 'rate_limited', details: {retryAfter: 1}});
	});

	test('remain after the plan is lowered, but no new ones can be created', async () => {
		const accounts = await openAccounts();
		const {keys, users} = accounts.services;
		const ann = await accounts.user('ann');
		const first = await keys.create(ann, 'First');
		await keys.create(ann, 'Second');
		const lowered = await users.update(ann.id, {plan: 'free'});
		expect((await keys.list(lowered)).map(({name}) => name)).toEqual(['Second', 'First']);
		await expect(keys.create(lowered, 'Third')).rejects.toThrow(
			'The free plan allows 1 API key. Ask the operator for a larger plan, or delete some first.',
		);
		expect(await accounts.services.credentials.byKey(first.raw)).toEqual(lowered);
	});

	test('cannot be revoked by another user', async () => {
		const accounts = await openAccounts();
		const ann = await accounts.user('ann');
		const {key, raw} = await accounts.services.keys.create(ann, 'CI');
		const attempt = accounts.services.keys.revoke(await accounts.user('bob'), key.id);
		await expect(attempt).rejects.toMatchObject({code: 'not_found'});
		expect(await accounts.services.credentials.byKey(raw)).toEqual(ann);
	});
});
