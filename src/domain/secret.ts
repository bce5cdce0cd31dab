import {createHash, createHmac, randomBytes, timingSafeEqual} from 'node:crypto';
import {apiKeyStart} from '../contract/keys.js';

/** A new secret: 256 random bits in base64url. */
export function createSecret(): string {
	return randomBytes(32).toString('base64url');
}

/** SHA-256 in hex: all that is kept of a secret that will only be compared. Random bits need no salt. */
export function hashSecret(secret: string): string {
	return createHash('sha256').update(secret).digest('hex');
}

/** Whether this is the secret that the hash was made of, in a time that does not tell how much of it is right. */
export function matchesHash(secret: string, hash: string): boolean {
	return timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash));
}

/** Whether two texts are the same, in a time that tells their lengths at most. */
export function isSameSecret(one: string, other: string): boolean {
	const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
	return bytes.length === others.length && timingSafeEqual(bytes, others);
}

/** Tells what the password is for, and keeps it from beginning like a flag on a command line. */
const passwordStart = 'tbx_smtp_';

/** A password that only who has the secret can find again: 192 bits of an HMAC-SHA-256 in base64url. */
export function derivePassword(secret: string, ...of: readonly (string | number)[]): string {
	return passwordStart + createHmac('sha256', secret).update(JSON.stringify(of)).digest().toString('base64url', 0, 24);
}

/** A new key: `tbx_live_` and 192 random bits in base64url. */
export function generateKey(): string {
	return apiKeyStart + randomBytes(24).toString('base64url');
}

/** Whether the text has the form of a key; says nothing about whether the key exists. */
export function looksLikeKey(text: string): boolean {
	return text.startsWith(apiKeyStart) && text.length <= 200;
}
