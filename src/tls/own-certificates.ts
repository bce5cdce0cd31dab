import {X509Certificate} from 'node:crypto';
import {stat} from 'node:fs/promises';
import type {SecureContext} from 'node:tls';
import {CertificateError, causeOf} from '../lib/errors.js';
import type {Log} from '../lib/log.js';
import {type KeyPair, type KeyPairFiles, parseKeyPair, readNamed} from './key-pair.js';
import {plainName} from './names.js';

/** A certificate of the user's own, for a name or for all names one label below it (`*.example.com`). */
export type OwnCertificate = KeyPairFiles & {readonly name: string};

export type OwnCertificatesOptions = {
	createContext(pair: KeyPair): SecureContext;
	readonly now: () => Date;
	readonly log: Log;
};

/** How often, at most, it is looked whether a file has changed: watching does not see all ways to replace one. */
const lookEveryMs = 1000;

/** Certificates that the user has, which are read again when their files change. */
export class OwnCertificates {
	readonly #byName: ReadonlyMap<string, Reloading>;

	private constructor(byName: ReadonlyMap<string, Reloading>) {
		this.#byName = byName;
	}

	/** Throws `CertificateError` for the first that cannot be used. */
	static async load(
		certificates: readonly OwnCertificate[],
		options: OwnCertificatesOptions,
	): Promise<OwnCertificates> {
		const byName = new Map<string, Reloading>();
		for (const certificate of certificates) {
			byName.set(plainName(certificate.name), await Reloading.load(certificate, options));
		}

		return new OwnCertificates(byName);
	}

	/** Undefined when there is none for the name. */
	async contextFor(name: string): Promise<SecureContext | undefined> {
		const certificate = this.#byName.get(name) ?? this.#byName.get(name.replace(/^[^.]+/, '*'));
		return certificate?.context();
	}
}

class Reloading {
	readonly #files: KeyPairFiles;
	readonly #options: OwnCertificatesOptions;
	#context: SecureContext;
	/** Of the files as they were read. */
	#version: string;
	#lookedAt: number;

	private constructor(files: KeyPairFiles, options: OwnCertificatesOptions, context: SecureContext, version: string) {
		this.#files = files;
		this.#options = options;
		this.#context = context;
		this.#version = version;
		this.#lookedAt = options.now().getTime();
	}

	static async load(files: KeyPairFiles, options: OwnCertificatesOptions): Promise<Reloading> {
		const version = await versionOf(files);
		return new Reloading(files, options, await readContext(files, options), version);
	}

	async context(): Promise<SecureContext> {
		const now = this.#options.now().getTime();
		if (Math.abs(now - this.#lookedAt) >= lookEveryMs) {
			this.#lookedAt = now;
			await this.#look();
		}

		return this.#context;
	}

	async #look(): Promise<void> {
		const version = await versionOf(this.#files);
		if (version === this.#version) {
			return;
		}

		this.#version = version;
		try {
			this.#context = await readContext(this.#files, this.#options);
			this.#options.log.info({}, `Certificate ${this.#files.certificate} reloaded`);
		} catch (error) {
			this.#options.log.warn({}, `${causeOf(error)} Keeping the previous certificate`);
		}
	}
}

async function readContext(
	files: KeyPairFiles,
	{createContext, now, log}: OwnCertificatesOptions,
): Promise<SecureContext> {
	const pair = {certificate: await readNamed(files.certificate), key: await readNamed(files.key)};
	const parsed = parseKeyPair(pair);
	if (parsed === undefined) {
		throw new CertificateError(problemOf(files, pair));
	}

	if (Date.parse(parsed.validTo) < now().getTime()) {
		log.warn({}, `Certificate ${files.certificate} has expired`);
	}

	try {
		return createContext(pair);
	} catch (error) {
		throw new CertificateError(`The certificate ${files.certificate} cannot be used: ${causeOf(error)}.`);
	}
}

/** Why it is no pair. */
function problemOf({certificate, key}: KeyPairFiles, pair: KeyPair): string {
	try {
		new X509Certificate(pair.certificate);
	} catch {
		return `${certificate} does not contain a certificate in PEM format.`;
	}

	return `${key} is not the private key of ${certificate}. The key must be in PEM format, without a passphrase.`;
}

/** Changes whenever one of the files does. */
async function versionOf({certificate, key}: KeyPairFiles): Promise<string> {
	const stats = await Promise.all(
		[certificate, key].map(async file => stat(file, {bigint: true}).catch(() => undefined)),
	);
	return stats.map(file => `${file?.ino} ${file?.size} ${file?.mtimeNs}`).join();
}
