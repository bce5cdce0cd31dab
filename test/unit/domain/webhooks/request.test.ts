import fc from 'fast-check';
import {Webhook} from 'standardwebhooks';
import {describe, expect, test} from 'vitest';
import {createWebhookSecret} from '../../../../src/contract/webhook-signature.js';
import {secretProblem, signedHeaders} from '../../../../src/domain/webhooks/request.js';

const event = 'message.received';
const body = '{"event":"message.received","message":{"subject":"Grüße ✓"}}';
const secret = createWebhookSecret();
const sign = (fields: {secret?: string; at?: Date; body?: string} = {}) =>
	signedHeaders({deliveryId: 'd1', event, body, secret, at: new Date(), ...fields});

describe('X-Tinbox-Signature', () => {
	test('is the HMAC of the raw body with the displayed secret as the key', () => {
		const headers = sign({secret: 'whsec_c2VjcmV0', body: '{"test":true}'});
		expect(headers['X-Tinbox-Signature']).toBe('95eceb0de5c09dcb7080ff93cc9937b98fabf3cfa66c4db4d7a3b4cde4bcbb34');
	});

	test('does not depend on the time', () => {
		expect(sign({at: new Date(0)})['X-Tinbox-Signature']).toBe(sign()['X-Tinbox-Signature']);
	});
});

describe('the Standard Webhooks headers', () => {
	test('are accepted by the reference library', () => {
		expect(new Webhook(secret).verify(body, sign())).toEqual(JSON.parse(body));
	});

	test('are accepted by the reference library for a secret in plain text', () => {
		const own = 'my own secret';
		expect(new Webhook(own, {format: 'raw'}).verify(body, sign({secret: own}))).toEqual(JSON.parse(body));
	});

	test('are accepted for every body and every secret', () => {
		fc.assert(
			fc.property(fc.json(), fc.uint8Array({minLength: 1, maxLength: 64}), (anyBody, key) => {
				const anySecret = `whsec_${Buffer.from(key).toString('base64')}`;
				expect(secretProblem(anySecret)).toBeUndefined();
				const headers = sign({body: anyBody, secret: anySecret});
				expect(new Webhook(anySecret).verify(anyBody, headers)).toEqual(JSON.parse(anyBody));
			}),
		);
	});

	test.each([
		{difference: 'a changed body', headers: sign(), text: `${body} `},
		{
			difference: 'a signature made more than five minutes ago',
			headers: sign({at: new Date(Date.now() - 301_000)}),
			text: body,
		},
		{difference: 'another delivery id', headers: {...sign(), 'webhook-id': 'd2'}, text: body},
		{difference: 'another secret', headers: sign({secret: createWebhookSecret()}), text: body},
	])('are rejected by the reference library for $difference', ({headers, text}) => {
		expect(() => new Webhook(secret).verify(text, headers)).toThrow();
	});
});

test.each(['whsec_', 'whsec_not base64', 'whsec_abc', 'whsec_ab='])(
	'the webhook secret %j with invalid base64 is rejected',
	wrong => {
		expect(secretProblem(wrong)).toMatch(/^must have base64 after/);
	},
);
