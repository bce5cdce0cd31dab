import {createECDH, createHash, createPrivateKey, createPublicKey, type KeyObject, sign} from 'node:crypto';
import {type EndpointFormat, type WebhookEvent, webhookHeaders} from '../../contract/constants.js';
import {bodySignature, secretPrefix, standardSignature} from '../../contract/webhook-signature.js';
import type {FaultHit} from '../faults/fault.js';
import {type Message, senderOf} from '../mail/message.js';

/** Characters of a text in the body that announces a message: bodies are kept, and a mail chooses its subject. */
const maxTextLength = 2000;

/** The body that announces a message. Texts longer than any that people write are cut. */
export function eventBody(message: Message): string {
	const {fromName, subject} = message.summary;
	return JSON.stringify({
		event: 'message.received',
		inbox_id: message.inboxId,
		message: {
			id: message.id,
			from: cut(senderOf(message)),
			from_name: fromName === undefined ? null : cut(fromName),
			subject: cut(subject),
			received_at: message.receivedAt,
		},
	});
}

/** The body that tells what a fault did; null for the fault where an address asked for it. Of a hit all texts are short. */
export function hitEventBody({faultId, name, inboxId, delayMs, messageId, ...hit}: FaultHit): string {
	return JSON.stringify({
		event: 'fault.hit',
		inbox_id: inboxId,
		fault: faultId === null ? null : {id: faultId, name},
		hit: {...hit, delay_ms: delayMs, message_id: messageId},
	});
}

/** Never within a character. */
function cut(text: string): string {
	return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The body of a test delivery. Its ids stand for nothing. */
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

/** What is wrong with a user's own secret, for `invalidField`; undefined when it can sign. */
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

/** What an attempt is signed over. The body is the exact text that is sent. */
type Signed = {
	readonly format?: EndpointFormat;
	readonly deliveryId: string;
	readonly event: WebhookEvent;
	readonly body: string;
	readonly secret: string;
	readonly at: Date;
};

/**
 * The headers that say what a request is and prove who sent it, each format by its own: ours, and those of Standard Webhooks; those
 * of Svix for Resend; the signature of SendGrid. Mailgun's is in the body, Postmark's user and password are in the URL, and what SES
 * sends nobody but SNS can sign.
 */
export function signedHeaders({
	format = 'tinbox',
	deliveryId,
	event,
	body,
	secret,
	at,
}: Signed): Record<string, string> {
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
 * The signature of SendGrid's event webhook: ECDSA on P-256 over the timestamp and the body, in base64. The key pair comes
 * from the secret of the endpoint alone, so that it stays the same wherever that is given.
 */
function sendgridSignature(secret: string, timestamp: string, body: string): string {
	return sign('sha256', Buffer.from(timestamp + body), keyOf(secret)).toString('base64');
}

/** What an app verifies these with, in base64 (SubjectPublicKeyInfo). */
export function sendgridVerificationKey(secret: string): string {
	return createPublicKey(keyOf(secret)).export({type: 'spki', format: 'der'}).toString('base64');
}

function keyOf(secret: string): KeyObject {
	const curve = createECDH('prime256v1');
	// Of 2^32 hashes about one is no key.
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
