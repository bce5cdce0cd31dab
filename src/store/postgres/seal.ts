import {createCipheriv, createDecipheriv, hkdfSync, randomBytes} from 'node:crypto';

const [cipher, nonceBytes, tagBytes] = ['aes-256-gcm', 12, 16] as const;

/** Seals texts so that only who has the key can read them, each under its name: one in the place of another opens to nothing. */
export class Seal {
	readonly #key: Buffer;

	/** The key may be any text that nobody can guess. */
	constructor(key: string) {
		this.#key = Buffer.from(hkdfSync('sha256', key, '', 'tinbox secrets in a database', 32));
	}

	seal(name: string, text: string): Buffer {
		const nonce = randomBytes(nonceBytes);
		const encryption = createCipheriv(cipher, this.#key, nonce).setAAD(Buffer.from(name));
		const sealed = [encryption.update(text, 'utf8'), encryption.final()];
		return Buffer.concat([nonce, ...sealed, encryption.getAuthTag()]);
	}

	/** Undefined for what was sealed with another key or name, or was changed since. */
	unseal(name: string, sealed: Uint8Array): string | undefined {
		const [nonce, text, tag] = [
			sealed.subarray(0, nonceBytes),
			sealed.subarray(nonceBytes, -tagBytes),
			sealed.subarray(-tagBytes),
		];
		try {
			const decryption = createDecipheriv(cipher, this.#key, nonce, {authTagLength: tagBytes});
			decryption.setAAD(Buffer.from(name)).setAuthTag(tag);
			return decryption.update(text, undefined, 'utf8') + decryption.final('utf8');
		} catch {
			return undefined;
		}
	}
}
