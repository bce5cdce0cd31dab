import {describe, expect, test} from 'vitest';
import {
	createSecret,
	generateKey,
	hashSecret,
	looksLikeKey,
	matchesHash,
} from '../../../../src/domain/accounts/secrets.js';

describe('secrets', () => {
	test('a secret is unique and has 256 bits', () => {
		const secrets = Array.from({length: 100}, createSecret);
		expect(new Set(secrets).size).toBe(100);
		expect(secrets.every(secret => Buffer.from(secret, 'base64url').length === 32)).toBe(true);
	});

	test('only the secret itself matches its hash', () => {
		const secret = createSecret();
		const hash = hashSecret(secret);
		expect(matchesHash(secret, hash)).toBe(true);
		for (const other of ['', secret.slice(1), `${secret} `, secret.toUpperCase(), hash]) {
			expect(matchesHash(other, hash)).toBe(false);
		}
	});
});

describe('API keys', () => {
	test('a key has its fixed prefix and 192 random bits', () => {
		const key = generateKey();
		expect(key).toMatch(/^tbx_live_[\w-]{32}$/);
		expect(looksLikeKey(key)).toBe(true);
		expect(generateKey()).not.toBe(key);
	});

	test.each(['', 'tbx_live', 'sk_live_abc', `tbx_live_${'a'.repeat(200)}`])('"%s" is not an API key', text => {
		expect(looksLikeKey(text)).toBe(false);
	});
});
