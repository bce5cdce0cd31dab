import {createHmac, randomBytes, timingSafeEqual} from 'node:crypto';

/** Begins a secret of which the rest is the key in base64, as Standard Webhooks has it. */
export const secretPrefix = 'whsec_';

/** What a signature of Standard Webhooks 1.0.0 covers besides the body, as the headers say it. */
export type Stamp = {
	readonly id: string;
	/** Seconds since 1970. */
	readonly timestamp: string;
};

/** How far the clocks of sender and receiver may be apart, as in the reference libraries. */
const toleranceMs = 5 * 60_000;

const mismatch = 'The signature does not match: it is of another body, or made with another secret.';

/** A new signing secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function createWebhookSecret(): string {
	return secretPrefix + randomBytes(32).toString('base64');
}

/** HMAC-SHA256 of the body in hex, keyed with the secret as it is shown: `X-Tinbox-Signature`. */
export function bodySignature(secret: string, body: string | Uint8Array): string {
	return createHmac('sha256', secret).update(body).digest('hex');
}

/** `webhook-signature` of Standard Webhooks 1.0.0, keyed with what `whsec_` encodes (another secret: its bytes). */
export function standardSignature(secret: string, {id, timestamp}: Stamp, body: string | Uint8Array): string {
	const hmac = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body);
	return `v1,${hmac.digest('base64')}`;
}

/** What is wrong with an `X-Tinbox-Signature`, as a sentence; undefined when it is right. */
export function bodySignatureProblem(secret: string, body: string | Uint8Array, signature: string): string | undefined {
	return isSame(signature.toLowerCase(), bodySignature(secret, body)) ? undefined : mismatch;
}

/** What is wrong with a `webhook-signature`, which may list several; undefined when one is right and made just now. */
export function standardSignatureProblem(
	secret: string,
	body: string | Uint8Array,
	{signature, ...stamp}: Stamp & {readonly signature: string},
	now: Date,
): string | undefined {
	const expected = standardSignature(secret, stamp, body);
	if (!signature.split(' ').some(one => isSame(one, expected))) {
		return mismatch;
	}

	const isFresh = Math.abs(now.getTime() - Number(stamp.timestamp) * 1000) <= toleranceMs;
	return isFresh ? undefined : 'The signature is right, but its timestamp is more than five minutes away from now.';
}

/** In a time that does not tell how much of it is right. */
function isSame(given: string, expected: string): boolean {
	const [a, b] = [Buffer.from(given), Buffer.from(expected)];
	return a.length === b.length && timingSafeEqual(a, b);
}

function standardKey(secret: string): Buffer {
	return secret.startsWith(secretPrefix)
		? Buffer.from(secret.slice(secretPrefix.length), 'base64')
		: Buffer.from(secret);
}
