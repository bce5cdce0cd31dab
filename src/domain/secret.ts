import {createHash, randomBytes, timingSafeEqual} from 'node:crypto';

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
