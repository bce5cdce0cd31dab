import {createHmac, randomBytes, timingSafeEqual} from 'node:crypto';

/** Prefix of a Standard Webhooks secret; the rest is the key in base64. */
export const secretPrefix = 'whsec_';

/** Header values that a Standard Webhooks 1.0.0 signature covers besides the body. */
type Stamp = {
	readonly id: string;
	/** Seconds since 1970. */
	readonly timestamp: string;
};

/** Maximum clock difference between sender and receiver, as in the reference libraries. */
const toleranceMs = 5 * 60_000;

const mismatch = 'The signature does not match: it was made for another body or with another secret.';

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

/** Sentence about an invalid `X-Tinbox-Signature`; undefined if it is valid. */
export function bodySignatureProblem(secret: string, body: string | Uint8Array, signature: string): string | undefined {
	return isSame(signature.toLowerCase(), bodySignature(secret, body)) ? undefined : mismatch;
}

/** Sentence about an invalid `webhook-signature`, which can list several; undefined if one is valid and recent. */
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
	return isFresh
		? undefined
		: 'The signature is valid, but its timestamp differs from the current time by more than 5 minutes.';
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
	const [a, b] = [Buffer.from(given), Buffer.from(expected)];
	return a.length === b.length && timingSafeEqual(a, b);
}

function standardKey(secret: string): Buffer {
	return secret.startsWith(secretPrefix)
		? Buffer.from(secret.slice(secretPrefix.length), 'base64')
		: Buffer.from(secret);
}
