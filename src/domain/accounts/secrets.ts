import {createHash, createHmac, randomBytes, timingSafeEqual} from 'node:crypto';
import {apiKeyStart} from '../../contract/constants.js';

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

/** Characters of an address and a password at most. */
const maxSendKey = 400;

const sendKeyStart = 'tbx_send_';

/** The key of an inbox for sending APIs, of its id and its password; fits where AWS has access key ids. */
export function sendKeyOf(inboxId: string, password: string): string {
	return `${sendKeyStart}${inboxId.replaceAll('-', '')}_${password.slice(passwordStart.length)}`;
}

/**
 * The inbox and the password that such a key says, or a text of the form `<inbox>:<password>`. Undefined for a text of neither
 * form; both are empty when it only begins as a key of an inbox does.
 */
export function readSendKey(text: string): {readonly inbox: string; readonly password: string} | undefined {
	const [, hex = '', secret = ''] = /^tbx_send_([\da-f]{32})_([\w-]{32})$/.exec(text) ?? [];
	if (hex !== '') {
		const inbox = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
		return {inbox, password: passwordStart + secret};
	}

	const at = text.lastIndexOf(`:${passwordStart}`);
	const isInbox = at > 0 && text.length <= maxSendKey;
	return isInbox
		? {inbox: text.slice(0, at), password: text.slice(at + 1)}
		: text.startsWith(sendKeyStart)
			? {inbox: '', password: ''}
			: undefined;
}

/** A new key: `tbx_live_` and 192 random bits in base64url. */
export function generateKey(): string {
	return apiKeyStart + randomBytes(24).toString('base64url');
}

const webSessionStart = 'tbx_web_';

/** The secret of a web session, of the half in the cookie and the half that the page keeps. */
export function webSessionSecret(cookie: string, appKey: string): string {
	return `${webSessionStart}${cookie}.${appKey}`;
}

/** Whether the text has the form of such a secret. */
export function looksLikeWebSession(text: string): boolean {
	return text.startsWith(webSessionStart) && text.length <= 200;
}

/** Whether the text has the form of a key; says nothing about whether the key exists. */
export function looksLikeKey(text: string): boolean {
	return text.startsWith(apiKeyStart) && text.length <= 200;
}
