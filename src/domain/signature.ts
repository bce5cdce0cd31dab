import {bodySignature, secretPrefix, standardSignature} from '../lib/webhook-signature.js';
import type {WebhookEvent} from './webhook.js';

/** What is wrong with a user's own secret, for `invalidField`; undefined when it can sign. */
export function secretProblem(secret: string): string | undefined {
	const encoded = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
	const key = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : undefined;
	return key === undefined || (key !== '' && encoded.test(key))
		? undefined
		: `must continue in base64 after "${secretPrefix}"; leave the prefix away for a secret in plain text`;
}

/** What an attempt is signed over. The body is the exact text that is sent. */
export type Signed = {
	readonly deliveryId: string;
	readonly event: WebhookEvent;
	readonly body: string;
	readonly secret: string;
	readonly at: Date;
};

/** The headers that say what a request is and prove who sent it: those of spec.md, section 6, and of Standard Webhooks. */
export function signedHeaders({deliveryId, event, body, secret, at}: Signed): Record<string, string> {
	const timestamp = Math.floor(at.getTime() / 1000).toString();
	return {
		'X-Tinbox-Event': event,
		'X-Tinbox-Delivery-Id': deliveryId,
		'X-Tinbox-Signature': bodySignature(secret, body),
		'webhook-id': deliveryId,
		'webhook-timestamp': timestamp,
		'webhook-signature': standardSignature(secret, {id: deliveryId, timestamp}, body),
	};
}
