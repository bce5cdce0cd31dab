import {X509Certificate} from 'node:crypto';
import {stat} from 'node:fs/promises';
import {createSecureContext, type SecureContext} from 'node:tls';
import {CertificateError, causeOf} from '../lib/errors.js';
import {ensureDirectory, guardFolder, nodeFiles} from '../lib/io/files.js';
import type {Log} from '../lib/log.js';
import {
	authorityInFolder,
	DaemonCertificate,
	findAuthority,
	type Issue,
	issueApart,
	type KeptAuthority,
} from './authority.js';
import type {Order} from './issue.js';
import {type KeyPair, type KeyPairFiles, parseKeyPair, readNamed} from './key-pair.js';
import {type Listening, type Machine, namesOf, plainName, thisMachine} from './names.js';

/** A certificate of the user's own, for a name or for all names one label below it (`*.example.com`). */
type OwnCertificate = KeyPairFiles & {readonly name: string};

type OwnCertificatesOptions = {
	createContext(pair: KeyPair): SecureContext;
	readonly now: () => Date;
	readonly log: Log;
};

/** How often, at most, it is looked whether a file has changed: watching does not see all ways to replace one. */
const lookEveryMs = 1000;

/** Certificates that the user has, which are read again when their files change. */
class OwnCertificates {
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

/** What can be wrong with a certificate; `old-tls` is right and spoken for by TLS 1.1 at most. */
const defects = ['expired', 'wrong-host', 'self-signed', 'untrusted', 'old-tls'] as const;

type Defect = (typeof defects)[number];

/** For `wrong-host`: a name that the authority vouches for and nobody asks for. */
const otherHost = 'another-host.test';

const day = 86_400_000;

type WrongCertificatesOptions = {
	authority(): Promise<KeyPair>;
	readonly issue: Issue;
	/** Each has names below it, one for each defect. */
	readonly domains: readonly string[];
	createContext(pair: KeyPair, isOldTls: boolean): SecureContext;
	readonly now: () => Date;
};

/** Certificates that are wrong on purpose, shown to clients that ask for names such as `expired.tinbox.test`. */
class WrongCertificates {
	readonly #options: WrongCertificatesOptions;
	readonly #domains: ReadonlySet<string>;
	/** By name, of which there are only so many. */
	readonly #made = new Map<string, Promise<SecureContext>>();

	constructor(options: WrongCertificatesOptions) {
		this.#options = options;
		this.#domains = new Set(options.domains);
	}

	/** Undefined for a name under which nothing is wrong. */
	defectOf(name: string): Defect | undefined {
		const [label = ''] = name.split('.', 1);
		return this.#domains.has(name.slice(label.length + 1)) ? defects.find(defect => defect === label) : undefined;
	}

	/** Made when first asked for. */
	async contextFor(name: string, defect: Defect): Promise<SecureContext> {
		const {createContext} = this.#options;
		const made =
			this.#made.get(name) ?? this.#issue(name, defect).then(pair => createContext(pair, defect === 'old-tls'));
		this.#made.set(name, made);
		return made.catch(error => {
			this.#made.delete(name);
			throw error;
		});
	}

	async #issue(name: string, defect: Defect): Promise<KeyPair> {
		const now = this.#options.now().getTime();
		const days = (from: number, to: number) => ({
			notBefore: new Date(now + from * day),
			notAfter: new Date(now + to * day),
		});
		const valid = days(-1, 397);
		const {certificate, key} = await this.#options.authority();
		const right: Order = {names: [name], validity: valid, authority: {certificate, key}};
		const orders: Readonly<Record<Defect, Order>> = {
			expired: {...right, validity: days(-90, -1)},
			'wrong-host': {...right, names: [otherHost]},
			'self-signed': {...right, authority: null},
			untrusted: {...right, authority: {commonName: 'untrusted test CA', validity: valid}},
			'old-tls': right,
		};
		return (await this.#options.issue(orders[defect])).leaf;
	}
}

/** What handshakes use. */
export type Certificates = {
	/** The context for a client that asks for that name; null when it asks for none. */
	contextFor(servername: string | null): Promise<SecureContext>;
	/** Whether only old TLS is spoken under the name. A context cannot see to that: Node.js goes by the one a handshake began with. */
	readonly speaksOldTls: (servername: string) => boolean;
	/** The certificate of the authority, PEM. */
	authority(): Promise<string>;
	/** Of clients that show a certificate, PEM; undefined when none is asked for. */
	readonly clientAuthority: string | undefined;
	/** Has those that are not there yet made, soon unless somebody asks for them before. */
	start(): void;
	/** Ends what is being made. */
	close(): Promise<void>;
};

export type CertificatesOptions = {
	/** Where the daemon's own are kept, for its owner alone. One process at a time may use it. */
	readonly folder: string;
	/** In that folder unless given. */
	readonly kept?: KeptAuthority | undefined;
	readonly listening: Listening;
	readonly own: readonly OwnCertificate[];
	/** A file with the authority that clients' certificates must be of. */
	readonly clientAuthority: string | null;
	readonly now: () => Date;
	readonly log: Log;
	/** This one unless given. */
	readonly machine?: () => Machine;
};

/** A daemon that has just started is asked for other things first, and that of a short run never for a certificate. */
const soonMs = 1000;

/** For TLS 1.1, whose signatures OpenSSL takes for too weak by default. */
const oldTls = {minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0'} as const;

/**
 * The certificates of a daemon. Throws `CertificateError` when one of the user's own cannot
 * be used, `UnsafePathError` when somebody else may have put one there.
 */
export async function openCertificates(options: CertificatesOptions): Promise<Certificates> {
	const {folder, listening, now, log, machine = thisMachine} = options;
	await ensureDirectory(nodeFiles, folder);
	await guardFolder(folder, sentence => log.warn({}, sentence));
	const clientAuthority = options.clientAuthority === null ? undefined : await readAuthority(options.clientAuthority);
	const kept = options.kept ?? authorityInFolder(folder, log);
	const {isShared} = kept;
	const known = await kept.read();
	const authority = findAuthority({known, isShared, listening, machine: machine(), now: now(), log});
	// With none given, Node.js would load all that the system trusts.
	const ca = clientAuthority ?? [];
	const createContext = ({certificate, key}: KeyPair, isOldTls = false) =>
		// Without an id, a client that has shown a certificate cannot resume its session.
		createSecureContext({cert: certificate, key, ca, sessionIdContext: 'tinbox', ...(isOldTls && oldTls)});
	const own = await OwnCertificates.load(options.own, {createContext, now, log});
	const closed = new AbortController();
	let soon: NodeJS.Timeout | undefined;
	const issue = async (order: Order) => issueApart(order, closed.signal);
	const names = () => namesOf(listening, machine());
	const usual = new DaemonCertificate({folder, kept, names, issue, createContext, now, log}, authority);
	const domains = [listening.domain, ...listening.hostNames, 'localhost'].map(plainName);
	const wrong = new WrongCertificates({authority: async () => usual.authority(), domains, issue, createContext, now});
	return {
		async contextFor(servername) {
			const name = plainName(servername ?? '');
			const defect = wrong.defectOf(name);
			return defect ? wrong.contextFor(name, defect) : ((await own.contextFor(name)) ?? usual.context());
		},
		speaksOldTls: servername => wrong.defectOf(plainName(servername)) === 'old-tls',
		authority: async () => (await usual.authority()).certificate,
		clientAuthority,
		start() {
			soon = setTimeout(() => usual.start(), soonMs).unref();
		},
		async close() {
			clearTimeout(soon);
			closed.abort();
			await usual.settled();
		},
	};
}

async function readAuthority(file: string): Promise<string> {
	const pem = await readNamed(file);
	try {
		new X509Certificate(pem);
		return pem;
	} catch (error) {
		throw new CertificateError(`${file} does not contain a CA certificate in PEM format: ${causeOf(error)}.`);
	}
}
