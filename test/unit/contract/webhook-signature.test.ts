import {spawnSync} from 'node:child_process';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
	bodySignature,
	bodySignatureProblem,
	createWebhookSecret,
	standardSignature,
	standardSignatureProblem,
} from '../../../src/contract/webhook-signature.js';

const body = '{"event":"message.received","message":{"subject":"Grüße ✓"}}';
const secret = 'whsec_c2VjcmV0';

test('a generated webhook secret contains 32 random bytes in base64 and is unique', () => {
	expect(createWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
	expect(createWebhookSecret()).not.toBe(createWebhookSecret());
});

describe('the body signature', () => {
	test('is the HMAC of the raw body with the displayed secret as the key', () => {
		const signature = bodySignature(secret, '{"test":true}');
		expect(signature).toBe('95eceb0de5c09dcb7080ff93cc9937b98fabf3cfa66c4db4d7a3b4cde4bcbb34');
	});

	test('equals the result of openssl if openssl is installed', () => {
		const openssl = spawnSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-hex'], {input: body, encoding: 'utf8'});
		const signature = bodySignature(secret, body);
		expect(openssl.error ? signature : openssl.stdout.trim().split('= ')[1]).toBe(signature);
	});

	test('is valid only for its own body and secret', () => {
		fc.assert(
			fc.property(fc.uint8Array(), fc.string(), fc.string(), (bytes, key, otherKey) => {
				fc.pre(key !== otherKey);
				const signature = bodySignature(key, bytes);
				expect(bodySignatureProblem(key, bytes, signature)).toBeUndefined();
				expect(bodySignatureProblem(key, bytes, signature.toUpperCase())).toBeUndefined();
				expect(bodySignatureProblem(key, Buffer.concat([bytes, Buffer.of(0)]), signature)).toMatch(/does not match/);
				expect(bodySignatureProblem(otherKey, bytes, signature)).toMatch(/does not match/);
				expect(bodySignatureProblem(key, bytes, signature.slice(1))).toMatch(/does not match/);
			}),
		);
	});
});

describe('the Standard Webhooks signature', () => {
	const now = new Date('2026-01-01T12:00:00.000Z');
	const stamp = (secondsAgo = 0, id = 'd1') => ({id, timestamp: String(now.getTime() / 1000 - secondsAgo)});
	const sign = (at = stamp()) => ({...at, signature: standardSignature(secret, at, body)});

	test.each([
		['created now', sign()],
		['created almost five minutes ago', sign(stamp(299))],
		['created by a clock that is ahead', sign(stamp(-299))],
		['listed among others', {...sign(), signature: `v1,AAAA v1a,BBBB ${sign().signature}`}],
	])('is valid when %s', (_, signed) => {
		expect(standardSignatureProblem(secret, body, signed, now)).toBeUndefined();
	});

	test.each([
		['a changed body', secret, `${body} `, sign(), /does not match/],
		['another secret', 'whsec_AAAA', body, sign(), /does not match/],
		['another id', secret, body, {...sign(), id: 'd2'}, /does not match/],
		['another timestamp', secret, body, {...sign(), timestamp: stamp(1).timestamp}, /does not match/],
		['an old timestamp', secret, body, sign(stamp(301)), /is valid, but its timestamp/],
		['a timestamp from the future', secret, body, sign(stamp(-301)), /is valid, but its timestamp/],
		['a timestamp that is no number', secret, body, sign({id: 'd1', timestamp: 'now'}), /is valid, but its timestamp/],
		['a signature without its version', secret, body, {...sign(), signature: sign().signature.slice(3)}, /not match/],
	])('is rejected for %s', (_, key, text, signed, problem) => {
		expect(standardSignatureProblem(key, text, signed, now)).toMatch(problem);
	});
});
