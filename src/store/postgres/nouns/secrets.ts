import {createCipheriv, createDecipheriv, hkdfSync, randomBytes} from 'node:crypto';
import path from 'node:path';
import {createSecret} from '../../../domain/accounts/secrets.js';
import {StoreError} from '../../../lib/errors.js';
import {ensureDirectory, guardFolder, nodeFiles} from '../../../lib/io/files.js';
import type {Log} from '../../../lib/log.js';
import {createFileSecrets} from '../../file-secrets.js';
import type {SecretStore} from '../../port.js';
import {background, type Database} from '../session/database.js';
import type {Transaction} from '../session/session.js';

const [cipher, nonceBytes, tagBytes] = ['aes-256-gcm', 12, 16] as const;

/**
 * Encrypts and authenticates texts (AES-256-GCM). The name is authenticated, so that a text cannot take the place of another.
 */
export class Seal {
	readonly #key: Buffer;

	/** Derives the encryption key from any text with enough entropy. */
	constructor(key: string) {
		this.#key = Buffer.from(hkdfSync('sha256', key, '', 'tinbox secrets in a database', 32));
	}

	seal(name: string, text: string): Buffer {
		const nonce = randomBytes(nonceBytes);
		const encryption = createCipheriv(cipher, this.#key, nonce).setAAD(Buffer.from(name));
		const sealed = [encryption.update(text, 'utf8'), encryption.final()];
		return Buffer.concat([nonce, ...sealed, encryption.getAuthTag()]);
	}

	/** Returns undefined if the text was sealed with another key or name, or was changed. */
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

type SecretOptions = {
	/** File with the encryption key, the same for all nodes. */
	readonly keyFile: string;
	readonly log: Log;
};

/** Row that verifies the key: it contains its own name, sealed. */
const checkName = 'check';

/**
 * Secrets as encrypted rows: neither the database nor its backups reveal them. The first node creates the key file if it is
 * missing. Throws `StoreError` if a later node has no or another key, and `UnsafePathError` if another user may have written
 * it.
 */
export async function openPostgresSecrets(database: Database, options: SecretOptions): Promise<SecretStore> {
	const seal = await openSeal(database, options);
	const open = (name: string, sealed: Uint8Array | undefined) => sealed && seal.unseal(name, sealed);
	return {
		get: async name => open(name, await database.run(async sql => sealedIn(sql, name))),
		put: async (name, secret, before) =>
			database.begin(background, async sql => {
				await sql`lock table secrets in exclusive mode`;
				const known = open(name, await sealedIn(sql, name));
				if (known !== undefined && known !== before) {
					return known;
				}

				await putSealed(sql, name, seal.seal(name, secret));
				return secret;
			}),
	};
}

async function openSeal(database: Database, {keyFile, log}: SecretOptions): Promise<Seal> {
	const file = path.resolve(keyFile);
	const [folder, name] = [path.dirname(file), path.basename(file)];
	const keys = createFileSecrets(folder, log);
	return database.begin(background, async sql => {
		await sql`lock table secrets in exclusive mode`;
		const sealed = await sealedIn(sql, checkName);
		if (!sealed) {
			await ensureDirectory(nodeFiles, folder);
			await guardFolder(folder, sentence => log.warn({}, sentence));
			const seal = new Seal((await keys.get(name)) ?? (await keys.put(name, createSecret())));
			await putSealed(sql, checkName, seal.seal(checkName, checkName));
			return seal;
		}

		const key = await keys.get(name);
		const seal = new Seal(key ?? '');
		if (seal.unseal(checkName, sealed) !== checkName) {
			const problem =
				key === undefined
					? `The secrets in this database are encrypted, and ${file} does not contain their key.`
					: `The secrets in this database are encrypted with another key than the one in ${file}.`;
			throw new StoreError(
				`${problem} Copy the key file of another node of this database, or set its path with --store-key-file.`,
			);
		}

		return seal;
	});
}

async function sealedIn(sql: Pick<Transaction, 'unsafe'>, name: string): Promise<Uint8Array | undefined> {
	const [row] = await sql.unsafe<{sealed: Uint8Array}[]>('select sealed from secrets where name = $1', [name]);
	return row?.sealed;
}

async function putSealed(sql: Transaction, name: string, sealed: Buffer): Promise<void> {
	await sql`
		insert into secrets (name, sealed) values (${name}, ${sealed})
		on conflict (name) do update set sealed = excluded.sealed
	`;
}
