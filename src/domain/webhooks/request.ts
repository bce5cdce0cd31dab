import {createECDH, createHash, createPrivateKey, createPublicKey, type KeyObject, sign} from 'node:crypto';
import {type EndpointFormat, type WebhookEvent, webhookHeaders} from '../../contract/constants.js';
import {bodySignature, secretPrefix, standardSignature} from '../../contract/webhook-signature.js';
import type {FaultHit} from '../faults/fault.js';
import {type Message, senderOf} from '../mail/message.js';

/** Maximum length of a text in the body of an event: bodies are stored, and the sender chooses the subject. */
const maxTextLength = 2000;

/** Returns the body of a `message.received` event. Long texts are truncated. */
export function eventBody(message: Message): string {
	const {fromName, subject} = message.summary;
	return JSON.stringify({
		event: 'message.received',
		inbox_id: message.inboxId,
		message: {
			id: message.id,
			from: truncate(senderOf(message)),
			from_name: fromName === undefined ? null : truncate(fromName),
			subject: truncate(subject),
			received_at: message.receivedAt,
		},
	});
}

/** Returns the body of a `fault.hit` event. `fault` is null if the tag of an address requested it. */
export function hitEventBody({faultId, name, inboxId, delayMs, messageId, ...hit}: FaultHit): string {
	return JSON.stringify({
		event: 'fault.hit',
		inbox_id: inboxId,
		fault: faultId === null ? null : {id: faultId, name},
		hit: {...hit, delay_ms: delayMs, message_id: messageId},
	});
}

/** Truncates a text, but not within a surrogate pair. */
function truncate(text: string): string {
	return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Returns the body of a test delivery, with invented ids. */
export function testBody(at: Date): string {
	return JSON.stringify({
		test: true,
		inbox_id: 'test-inbox',
		message_id: 'test-message',
		from: 'sender@example.com',
		to: ['inbox@tinbox.test'],
		subject: 'A test delivery from tinbox',
		timestamp: at.toISOString(),
	});
}

/** Describes what is wrong with a secret that the user chose, for `invalidField`; undefined if it is valid. */
export function secretProblem(secret: string, format: EndpointFormat = 'tinbox'): string | undefined {
	if (format === 'resend' && !secret.startsWith(secretPrefix)) {
		return `must begin with "${secretPrefix}", like the secrets of Resend`;
	}

	const encoded = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
	const key = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : undefined;
	return key === undefined || (key !== '' && encoded.test(key))
		? undefined
		: `must have base64 after "${secretPrefix}". Omit the prefix for a plain-text secret`;
}

/** Input of the signature. `body` is the exact text that is sent. */
type SignatureInput = {
	readonly format?: EndpointFormat;
	readonly deliveryId: string;
	readonly event: WebhookEvent;
	readonly body: string;
	readonly secret: string;
	readonly at: Date;
};

/**
 * Returns the headers that describe and sign a request: `X-Tinbox-*` with Standard Webhooks, Svix for Resend, the
 * signature of SendGrid. Mailgun signs in the body; Postmark uses a login in the URL; messages of SES can only be signed
 * by SNS.
 */
export function signedHeaders({
	format = 'tinbox',
	deliveryId,
	event,
	body,
	secret,
	at,
}: SignatureInput): Record<string, string> {
	const timestamp = Math.floor(at.getTime() / 1000).toString();
	const standard = () => standardSignature(secret, {id: deliveryId, timestamp}, body);
	switch (format) {
		case 'resend':
			return {'svix-id': deliveryId, 'svix-timestamp': timestamp, 'svix-signature': standard()};
		case 'sendgrid':
			return {
				'X-Twilio-Email-Event-Webhook-Signature': sendgridSignature(secret, timestamp, body),
				'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
			};
		case 'ses':
			return {'Content-Type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification'};
		case 'postmark':
		case 'mailgun':
			return {};
		case 'tinbox':
	}

	return {
		[webhookHeaders.event]: event,
		[webhookHeaders.deliveryId]: deliveryId,
		[webhookHeaders.bodySignature]: bodySignature(secret, body),
		[webhookHeaders.id]: deliveryId,
		[webhookHeaders.timestamp]: timestamp,
		[webhookHeaders.signature]: standard(),
	};
}

/**
 * Signs an event as SendGrid does: ECDSA on P-256 over timestamp and body, in base64. The key pair is derived from the
 * secret of the endpoint.
 */
function sendgridSignature(secret: string, timestamp: string, body: string): string {
	return sign('sha256', Buffer.from(timestamp + body), deriveKey(secret)).toString('base64');
}

/** Returns the public key for the verification, in base64 (SubjectPublicKeyInfo). */
export function sendgridVerificationKey(secret: string): string {
	return createPublicKey(deriveKey(secret)).export({type: 'spki', format: 'der'}).toString('base64');
}

function deriveKey(secret: string): KeyObject {
	const curve = createECDH('prime256v1');
	// About one of 2^32 hashes is no valid key.
	for (let attempt = 0; ; attempt += 1) {
		const number = createHash('sha256').update(`tinbox sendgrid ${attempt} ${secret}`).digest();
		try {
			curve.setPrivateKey(number);
		} catch {
			continue;
		}

		const point = curve.getPublicKey();
		const part = (from: number, to: number) => point.subarray(from, to).toString('base64url');
		const jwk = {kty: 'EC', crv: 'P-256', d: number.toString('base64url'), x: part(1, 33), y: part(33, 65)};
		return createPrivateKey({key: jwk, format: 'jwk'});
	}
}
