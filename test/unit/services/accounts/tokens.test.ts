import {describe, expect, test} from 'vitest';
import {createSecret} from '../../../../src/domain/accounts/secrets.js';
import {Tokens} from '../../../../src/services/accounts/credentials.js';
import {forgedTokens, validToken} from '../../../helpers/forged-tokens.js';

const now = new Date('2026-05-01T12:00:00.000Z');
const nowS = now.getTime() / 1000;
const secret = createSecret();
const user = {id: 'u1', name: 'Ann', email: 'ann@example.com', plan: 'free', createdAt: now.toISOString()} as const;
const tokens = new Tokens(secret, () => now);

describe('a token', () => {
	test('identifies its user until it expires', async () => {
		const {token, expiresAt} = await tokens.issue(user, 60);
		expect(expiresAt).toBe('2026-05-01T12:01:00.000Z');
		expect(await tokens.verify(token)).toEqual({userId: 'u1', expiresAt});
		const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
		expect(claims).toEqual({
			sub: 'u1',
			email: 'ann@example.com',
			iss: 'tinbox',
			aud: 'tinbox',
			iat: nowS,
			exp: nowS + 60,
		});
	});

	test.each([
		['as issued', {}],
		['expired 29 seconds ago', {exp: nowS - 29}],
		['valid in 30 seconds', {nbf: nowS + 30}],
		['for several audiences', {aud: ['elsewhere', 'tinbox']}],
	])('%s is valid, since clocks may differ by 30 seconds', async (_what, claims) => {
		expect(await tokens.verify(validToken(secret, 'u1', nowS, claims))).toMatchObject({userId: 'u1'});
	});

	test.each([...forgedTokens(secret, 'u1', nowS), ['a megabyte', 'x'.repeat(1_000_000)], ['nothing', '']])(
		'with %s is rejected',
		async (_what, token) => {
			await expect(tokens.verify(token)).rejects.toMatchObject({code: 'unauthorized'});
		},
	);

	test('that has expired is rejected with this reason', async () => {
		const {token} = await new Tokens(secret, () => new Date(0)).issue(user, 60);
		await expect(tokens.verify(token)).rejects.toThrow('The token has expired. Ask the operator for a new one.');
	});
});
