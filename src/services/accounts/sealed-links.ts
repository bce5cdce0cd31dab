import {hkdfSync} from 'node:crypto';
import {EncryptJWT, jwtDecrypt} from 'jose';

const algorithms = {alg: 'dir', enc: 'A256GCM'};

const maxTokenLength = 2048;

export type SealedLink = {readonly token: string; readonly expiresAt: Date};

/**
 * Encrypted links (RFC 7516) that expire. They contain what they open, so that nothing is stored, and are valid on every node with
 * the secret. A link for one purpose is invalid for another.
 */
export class SealedLinks<Link extends Readonly<Record<string, string>>> {
	readonly #key: Uint8Array;
	readonly #now: () => Date;

	constructor(secret: string, purpose: string, now: () => Date) {
		this.#key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
		this.#now = now;
	}

	async seal(link: Link, lifetimeS: number): Promise<SealedLink> {
		const expiresAt = new Date((Math.floor(this.#now().getTime() / 1000) + lifetimeS) * 1000);
		const token = await new EncryptJWT(link)
			.setProtectedHeader(algorithms)
			.setExpirationTime(expiresAt)
			.encrypt(this.#key);
		return {token, expiresAt};
	}

	/** Returns the content of a token; undefined if it is invalid or expired. */
	async read(token: string): Promise<Link | undefined> {
		try {
			const {payload} = await jwtDecrypt<Link>(token.slice(0, maxTokenLength), this.#key, {
				keyManagementAlgorithms: [algorithms.alg],
				contentEncryptionAlgorithms: [algorithms.enc],
				requiredClaims: ['exp'],
				currentDate: this.#now(),
			});
			return payload;
		} catch {
			return undefined;
		}
	}
}
