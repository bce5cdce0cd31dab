import {createHash, createHmac, randomBytes, timingSafeEqual} from 'node:crypto';
import {apiKeyStart} from '../../contract/constants.js';

/** Creates a secret of 256 random bits in base64url. */
export function createSecret(): string {
	return randomBytes(32).toString('base64url');
}

/** Returns the SHA-256 hash in hex. Random secrets need no salt. */
export function hashSecret(secret: string): string {
	return createHash('sha256').update(secret).digest('hex');
}

/** Compares a secret with a hash in constant time. */
export function matchesHash(secret: string, hash: string): boolean {
	return timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash));
}

/** Compares two texts in a time that reveals at most their lengths. */
export function isSameSecret(one: string, other: string): boolean {
	const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
	return bytes.length === others.length && timingSafeEqual(bytes, others);
}

/** Prefix that shows the purpose, and keeps a password from looking like a flag on a command line. */
const passwordStart = 'tbx_smtp_';

/** Derives a password from a secret: 192 bits of an HMAC-SHA-256 in base64url. */
export function derivePassword(secret: string, ...of: readonly (string | number)[]): string {
	return passwordStart + createHmac('sha256', secret).update(JSON.stringify(of)).digest().toString('base64url', 0, 24);
}

/** Maximum length of an address and a password together. */
const maxSendKey = 400;

const sendKeyStart = 'tbx_send_';

/** Returns the sending API key of an inbox. It fits into fields for AWS access key ids. */
export function sendKeyOf(inboxId: string, password: string): string {
	return `${sendKeyStart}${inboxId.replaceAll('-', '')}_${password.slice(passwordStart.length)}`;
}

/**
 * Parses a sending API key, or a text of the form `<inbox>:<password>`. Undefined for other texts; both parts are empty
 * for a malformed key.
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

/** Creates an API key: `tbx_live_` and 192 random bits in base64url. */
export function generateKey(): string {
	return apiKeyStart + randomBytes(24).toString('base64url');
}

const webSessionStart = 'tbx_web_';

/** Combines the secret of a web session from the parts in the cookie and in the page. */
export function webSessionSecret(cookie: string, appKey: string): string {
	return `${webSessionStart}${cookie}.${appKey}`;
}

/** True if the text has the form of a web session secret. */
export function looksLikeWebSession(text: string): boolean {
	return text.startsWith(webSessionStart) && text.length <= 200;
}

/** Forms of the secrets that a daemon issues: `createSecret`, user tokens (RFC 7519), and texts with the prefixes of the others. */
const ownSecret = new RegExp(
	`^[\\w-]{43}$|^eyJ[\\w-]*\\.[\\w-]+\\.[\\w-]+$|${[apiKeyStart, passwordStart, sendKeyStart, webSessionStart].join('|')}`,
);

/** True if the text has the form of a credential that a daemon issues, such as an operator token. It need not exist. */
export function looksLikeOwnSecret(text: string): boolean {
	return ownSecret.test(text);
}

/** True if the text has the form of an API key. The key need not exist. */
export function looksLikeKey(text: string): boolean {
	return text.startsWith(apiKeyStart) && text.length <= 200;
}
