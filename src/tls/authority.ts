import {randomBytes, X509Certificate} from 'node:crypto';
import {once} from 'node:events';
import {createRequire} from 'node:module';
import type {SecureContext} from 'node:tls';
import {Worker} from 'node:worker_threads';
import {plainAddress} from '../lib/io/hosts.js';
import type {Log} from '../lib/log.js';
import type {IssuedCertificate, IssueRequest, NewAuthority} from './issue.js';
import {type KeyPair, type KeyPairFiles, keepKeyPair, keyPairFiles, readKeptKeyPair} from './key-pair.js';
import {
	constraintsOf,
	type Listening,
	type Machine,
	nowhere,
	permits,
	privateRanges,
	type Subtree,
	subtreesFor,
} from './names.js';

/** Issues a certificate. */
export type Issue = (order: IssueRequest) => Promise<IssuedCertificate>;

/** Issues a certificate in a worker thread, because loading the library alone would block the main thread for too long. */
export async function issueInWorker(order: IssueRequest, signal: AbortSignal): Promise<IssuedCertificate> {
	const file = createRequire(import.meta.url).resolve('#issue-worker');
	const worker = new Worker(file, {workerData: order, execArgv: []});
	try {
		const [issued] = await once(worker, 'message', {signal});
		return issued;
	} finally {
		await worker.terminate();
	}
}

/** Storage of a certificate authority and its private key. */
export type AuthorityStore = {
	/** Returns undefined if there is none. */
	read(): Promise<KeyPair | undefined>;
	/**
	 * Replaces the pair that was last read. Resolves to the stored pair, which another daemon may have stored first.
	 */
	keep(pair: KeyPair): Promise<KeyPair>;
	/** True if other daemons use it, too, and may replace it. */
	readonly isShared: boolean;
};

/** Stores the authority of one daemon in a folder. */
export function authorityInFolder(folder: string, log: Log): AuthorityStore {
	const files: KeyPairFiles = keyPairFiles(folder, 'ca.pem', 'ca-key.pem');
	return {
		read: async () => readKeptKeyPair(files, log),
		async keep(pair) {
			await keepKeyPair(files, pair, log);
			return pair;
		},
		isShared: false,
	};
}

/** Authority that signs the certificates of a daemon. */
type Authority = KeyPair & {readonly parsed: X509Certificate; readonly subtrees: readonly Subtree[]};

const dayMs = 86_400_000;
const authorityLifeMs = 3650 * dayMs;

/**
 * Remaining validity below which a new authority is created, early enough for people to trust it before their tests fail.
 */
const leastLeftMs = 180 * dayMs;

type AuthorityOptions = {
	/** Stored authority, if any. */
	readonly known: KeyPair | undefined;
	/** True if other machines use it, too. It then covers all private networks instead of the name of each machine. */
	readonly isShared: boolean;
	readonly listening: Listening;
	readonly machine: Machine;
	readonly now: Date;
	readonly log: Log;
};

/**
 * Returns the stored authority, or the request for a new one: at the first start, if it must cover more names, or if it
 * expires soon, which is logged. A new authority has a new key, so clients must trust it anew. It also covers the names of
 * the old one, so that alternating settings do not create one each time.
 */
export function findAuthority({
	known,
	isShared,
	listening,
	machine,
	now,
	log,
}: AuthorityOptions): Authority | NewAuthority {
	const kept = known && toAuthority(known);
	const missing = subtreesFor(listening, isShared ? nowhere : machine).filter(
		subtree => !kept?.subtrees.includes(subtree),
	);
	if (kept) {
		const reason = whyAnew(kept.parsed, missing, now.getTime());
		if (reason === undefined) {
			return kept;
		}

		log.warn(
			{},
			`Creating a new certificate authority: ${reason}; clients that trusted the old one must trust the new one`,
		);
	}

	const validity = {notBefore: new Date(now.getTime() - dayMs), notAfter: new Date(now.getTime() + authorityLifeMs)};
	const wanted = [...subtreesFor(listening, machine), ...(isShared ? privateRanges : [])];
	return {commonName: commonName(machine), validity, subtrees: [...new Set([...(kept?.subtrees ?? []), ...wanted])]};
}

function whyAnew({validFrom, validTo}: X509Certificate, missing: readonly Subtree[], now: number): string | undefined {
	if (missing.length > 0) {
		return `it must cover ${missing.join(', ')}`;
	}

	if (Date.parse(validFrom) > now) {
		return 'the old one was created while the clock was ahead';
	}

	return Date.parse(validTo) - now > leastLeftMs ? undefined : 'the old one expires soon';
}

function toAuthority(pair: KeyPair): Authority {
	const parsed = new X509Certificate(pair.certificate);
	return {...pair, parsed, subtrees: constraintsOf(parsed) ?? []};
}

/** Unique name of an authority. With equal names, clients would confuse two authorities. */
function commonName({name}: Machine): string {
	return `tinbox on ${name.slice(0, 40)} (${randomBytes(3).toString('hex')})`;
}

/** Validity of a server certificate, and the remaining validity at which it is renewed. */
const certificateLifeMs = 90 * dayMs;
const renewalMs = 30 * dayMs;

/** Minimum interval between checks of the names of this machine. */
const lookEveryMs = 10_000;

type DaemonCertificateOptions = {
	readonly folder: string;
	readonly kept: AuthorityStore;
	/** Names that the certificate must cover now. */
	names(): readonly string[];
	readonly issue: Issue;
	createContext(pair: KeyPair): SecureContext;
	readonly now: () => Date;
	readonly log: Log;
};

type Shown = {readonly parsed: X509Certificate; readonly context: SecureContext};

/**
 * Certificate that a daemon presents for names without a user certificate, and the authority that signed it. Each handshake
 * checks by the wall clock if a renewal is due, because timers are late after the machine slept.
 */
export class DaemonCertificate {
	readonly #options: DaemonCertificateOptions;
	#authority: Authority | NewAuthority;
	#shown: Shown | undefined;
	#lookedAt = Number.NEGATIVE_INFINITY;
	#renewal: Promise<void> | undefined;
	#adoption: Promise<void> | undefined;

	constructor(options: DaemonCertificateOptions, authority: Authority | NewAuthority) {
		this.#options = options;
		this.#authority = authority;
		const kept = readKeptKeyPair(this.#files, options.log);
		// A certificate of another authority must not be presented.
		this.#shown = kept && 'parsed' in authority ? this.#toShown(kept) : undefined;
	}

	/** Creates the certificate in the background if needed. */
	start(): void {
		this.#look();
	}

	/** Waits if there is no certificate yet. Rejects if it could not be created; the next call retries. */
	async context(): Promise<SecureContext> {
		this.#look();
		if (this.#shown === undefined || !isValid(this.#shown.parsed, this.#options.now().getTime())) {
			await this.#renewal;
		}

		if (this.#shown === undefined) {
			throw new Error('it could not be created; see the log');
		}

		return this.#shown.context;
	}

	/** Waits while the authority is created. */
	async authority(): Promise<Authority> {
		if (!('parsed' in this.#authority)) {
			await this.context();
		}

		return this.#authority as Authority;
	}

	/** Resolves when no certificate is being created. */
	async settled(): Promise<void> {
		await this.#adoption;
		await this.#renewal;
	}

	#look(): void {
		const now = this.#options.now().getTime();
		if (this.#shown && Math.abs(now - this.#lookedAt) < lookEveryMs) {
			return;
		}

		this.#lookedAt = now;
		if (this.#options.kept.isShared && 'parsed' in this.#authority) {
			this.#adoption ??= this.#adopt().finally(() => {
				this.#adoption = undefined;
			});
		}

		if (this.#shown === undefined || this.#isDue(this.#shown.parsed, now)) {
			this.#renewal ??= this.#renew();
		}
	}

	#isDue(parsed: X509Certificate, now: number): boolean {
		return (
			!isValid(parsed, now) ||
			Date.parse(parsed.validTo) - now < renewalMs ||
			String(namesIn(parsed).sort()) !== String([...this.#names()].sort()) ||
			('parsed' in this.#authority && !parsed.verify(this.#authority.parsed.publicKey))
		);
	}

	/** Adopts the authority that another daemon stored; the next check issues a certificate with it. */
	async #adopt(): Promise<void> {
		const pair = await this.#options.kept.read().catch(() => undefined);
		if (pair && 'parsed' in this.#authority && pair.certificate !== this.#authority.certificate) {
			this.#authority = toAuthority(pair);
			this.#lookedAt = Number.NEGATIVE_INFINITY;
		}
	}

	async #renew(): Promise<void> {
		const {kept, issue, now, log} = this.#options;
		try {
			const at = now().getTime();
			const authority = this.#authority;
			const ends = 'parsed' in authority ? Date.parse(authority.parsed.validTo) : authority.validity.notAfter.getTime();
			const validity = {notBefore: new Date(at - dayMs), notAfter: new Date(Math.min(at + certificateLifeMs, ends))};
			let issued = await issue({names: this.#names(), validity, authority: plain(authority)});
			if (!('parsed' in authority) && issued.authority) {
				const pair = await kept.keep(issued.authority);
				this.#authority = toAuthority(pair);
				if (pair !== issued.authority) {
					issued = await issue({names: this.#names(), validity, authority: pair});
				}
			}

			const names = this.#names();
			this.#shown = this.#toShown(issued.leaf);
			await keepKeyPair(this.#files, issued.leaf, log);
			log.info({names: names.join(' '), until: validity.notAfter.toISOString()}, 'Certificate created');
		} catch (error) {
			if (!(error instanceof Error && error.name === 'AbortError')) {
				log.error({err: error}, 'Creating a certificate failed');
			}
		} finally {
			this.#renewal = undefined;
		}
	}

	/** Names within the name constraints of the authority. Clients reject a certificate with any other name. */
	#names(): readonly string[] {
		const {subtrees = []} = this.#authority;
		return this.#options.names().filter(name => permits(subtrees, name.replace(/^\*\./, '')));
	}

	#toShown(pair: KeyPair): Shown {
		return {parsed: new X509Certificate(pair.certificate), context: this.#options.createContext(pair)};
	}

	get #files() {
		return keyPairFiles(this.#options.folder, 'cert.pem', 'key.pem');
	}
}

/** False for a certificate that was created while the clock was ahead. */
function isValid({validFrom, validTo}: X509Certificate, now: number): boolean {
	return Date.parse(validFrom) <= now && now < Date.parse(validTo);
}

/** Removes the fields that cannot be passed to a thread. */
function plain(authority: Authority | NewAuthority): KeyPair | NewAuthority {
	return 'parsed' in authority ? {certificate: authority.certificate, key: authority.key} : authority;
}

/** Names in a certificate. Node.js formats them as `DNS:localhost, IP Address:127.0.0.1`. */
function namesIn({subjectAltName = ''}: X509Certificate): string[] {
	return subjectAltName.split(', ').map(entry => plainAddress(entry.replace(/^(?:DNS|IP Address):/, '')));
}

const authoritySecret = 'authority';

/** Secrets that daemons share. `put` stores a secret if the current one is `before`, and resolves to the current one. */
type SharedSecrets = {
	get(name: string): Promise<string | undefined>;
	put(name: string, secret: string, before?: string): Promise<string>;
};

/** Stores the authority of all daemons that share a store. */
export function sharedAuthority(secrets: SharedSecrets): AuthorityStore {
	let known: string | undefined;
	return {
		async read() {
			known = await secrets.get(authoritySecret);
			return known === undefined ? undefined : JSON.parse(known);
		},
		async keep(pair) {
			const own = JSON.stringify(pair);
			const kept = await secrets.put(authoritySecret, own, known);
			return kept === own ? pair : JSON.parse(kept);
		},
		isShared: true,
	};
}
