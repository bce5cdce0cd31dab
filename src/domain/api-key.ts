import {randomBytes} from 'node:crypto';

export type ApiKey = {
	readonly id: string;
	readonly userId: string;
	readonly name: string;
	/** The first 16 characters, by which a person recognises the key. */
	readonly prefix: string;
	/** SHA-256 of the whole key in hex; the key itself is kept nowhere. */
	readonly hash: string;
	readonly createdAt: string;
	readonly lastUsedAt: string | null;
};

export const keyPrefix = 'tbx_live_';

/** A new key: `tbx_live_` and 192 random bits in base64url. */
export function generateKey(): string {
	return keyPrefix + randomBytes(24).toString('base64url');
}

/** Whether the text has the form of a key; says nothing about whether the key exists. */
export function looksLikeKey(text: string): boolean {
	return text.startsWith(keyPrefix) && text.length <= 200;
}
