import {describe, expect, test, vi} from 'vitest';
import {generateKey} from '../../../../src/domain/accounts/secrets.js';
import {openAccounts} from '../../../helpers/accounts.js';

const unauthorized = expect.objectContaining({code: 'unauthorized'});

describe('credentials', () => {
	test('accept an API key until it is revoked', async () => {
		const {services, user} = await withUser();
		const {key, raw} = await services.keys.create(user, 'CI');
		expect(await services.credentials.byKey(raw)).toEqual(user);
		await services.keys.revoke(user, key.id);
		await expect(services.credentials.byKey(raw)).rejects.toEqual(unauthorized);
	});

	test.each(['', 'tbx_live_', 'nonsense', generateKey(), 'x'.repeat(100_000)])(
		'reject an invalid API key (%#)',
		async raw => {
			const {services} = await withUser();
			await expect(services.credentials.byKey(raw)).rejects.toEqual(unauthorized);
		},
	);

	test('reject the hash of an API key', async () => {
		const {services, user} = await withUser();
		const {key} = await services.keys.create(user, 'CI');
		await expect(services.credentials.byKey(key.hash)).rejects.toEqual(unauthorized);
	});

	test('reject tokens and keys of a deleted user immediately', async () => {
		const {services, user} = await withUser();
		const {raw} = await services.keys.create(user, 'CI');
		const {token} = await services.credentials.issueToken(user.id, 60);
		expect(await services.credentials.byToken(token)).toEqual(user);
		await services.users.delete(user.id);
		await expect(services.credentials.byKey(raw)).rejects.toEqual(unauthorized);
		await expect(services.credentials.byToken(token)).rejects.toEqual(unauthorized);
	});

	test('identify the user of a token with current data', async () => {
		const {services, user} = await withUser();
		const {token} = await services.credentials.issueToken(user.id, 60);
		await services.users.update(user.id, {plan: 'starter'});
		expect(await services.credentials.byToken(token)).toMatchObject({plan: 'starter'});
	});

	test('issue no token for an unknown user', async () => {
		const {services} = await withUser();
		await expect(services.credentials.issueToken('nobody', 60)).rejects.toMatchObject({code: 'not_found'});
	});

	test('identify the operator only by the operator token', async () => {
		const {services, operatorToken, tokenSecret} = await openAccounts();
		expect(services.credentials.isOperator(operatorToken)).toBe(true);
		for (const other of ['', tokenSecret, operatorToken.slice(1), `${operatorToken} `]) {
			expect(services.credentials.isOperator(other)).toBe(false);
		}
	});
});

describe('the last use of a key', () => {
	test('is null before the first use and survives a restart', async () => {
		const {accounts, services, user} = await withUser();
		const {raw} = await services.keys.create(user, 'CI');
		expect(await services.keys.list(user)).toMatchObject([{lastUsedAt: null}]);
		accounts.passTime(60_000);
		await services.credentials.byKey(raw);
		await accounts.restart();
		expect(await accounts.services.keys.list(user)).toMatchObject([{lastUsedAt: '2026-01-01T00:01:00.000Z'}]);
	});

	test('is written once for many requests, after some seconds', async () => {
		vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
		try {
			const {accounts, services, user} = await withUser();
			const {raw} = await services.keys.create(user, 'CI');
			const touch = vi.spyOn(accounts.store.keys, 'touch');
			for (let request = 0; request < 100; request++) {
				await services.credentials.byKey(raw);
			}

			expect(touch).not.toHaveBeenCalled();
			vi.advanceTimersByTime(5000);
			expect(touch).toHaveBeenCalledOnce();
			await touch.mock.results[0]?.value;
			expect(await services.keys.list(user)).toMatchObject([{lastUsedAt: accounts.now.toISOString()}]);
		} finally {
			vi.useRealTimers();
		}
	});

	test('is written again if a write failed', async () => {
		const {accounts, services, user} = await withUser();
		const {raw} = await services.keys.create(user, 'CI');
		const touch = vi.spyOn(accounts.store.keys, 'touch').mockRejectedValueOnce(new Error('disk full'));
		await services.credentials.byKey(raw);
		await services.credentials.stop();
		await services.credentials.stop();
		expect(touch).toHaveBeenCalledTimes(2);
		expect(await services.keys.list(user)).toMatchObject([{lastUsedAt: accounts.now.toISOString()}]);
	});
});

async function withUser() {
	const accounts = await openAccounts();
	return {accounts, services: accounts.services, user: await accounts.user('ann')};
}
