import {randomBytes, X509Certificate} from 'node:crypto';
import {once} from 'node:events';
import {createRequire} from 'node:module';
import type {SecureContext} from 'node:tls';
import {Worker} from 'node:worker_threads';
import {plainAddress} from '../lib/io/hosts.js';
import type {Log} from '../lib/log.js';
import type {Issued, NewAuthority, Order} from './issue.js';
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

/** Carries an order out. */
export type Issue = (order: Order) => Promise<Issued>;

/** Issues in a thread of its own: to load the library alone takes longer than this one may be held. */
export async function issueApart(order: Order, signal: AbortSignal): Promise<Issued> {
	const file = createRequire(import.meta.url).resolve('#issue-worker');
	const worker = new Worker(file, {workerData: order, execArgv: []});
	try {
		const [issued] = await once(worker, 'message', {signal});
		return issued;
	} finally {
		await worker.terminate();
	}
}

/** Where the certificate of an authority and its key are kept. */
export type KeptAuthority = {
	/** Undefined when there is none. */
	read(): Promise<KeyPair | undefined>;
	/** Keeps it in the place of what was read last, and resolves to it; to that of another daemon which was faster. */
	keep(pair: KeyPair): Promise<KeyPair>;
	/** Whether other daemons use it, too, and may replace it. */
	readonly isShared: boolean;
};

/** In the folder of a daemon that has an authority of its own. */
export function authorityInFolder(folder: string, log: Log): KeptAuthority {
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

/** Vouches for the certificates of a daemon. */
type Authority = KeyPair & {readonly parsed: X509Certificate; readonly subtrees: readonly Subtree[]};

const dayMs = 86_400_000;
const authorityLifeMs = 3650 * dayMs;

/** With less left it is made again: people have to trust it anew, and shall do so before their tests fail. */
const leastLeftMs = 180 * dayMs;

type AuthorityOptions = {
	/** The one that is kept. */
	readonly known: KeyPair | undefined;
	/** Whether other machines have it, too: then it vouches for all private networks, and need not for the name of each machine. */
	readonly isShared: boolean;
	readonly listening: Listening;
	readonly machine: Machine;
	readonly now: Date;
	readonly log: Log;
};

/**
 * The authority that is kept, or the one that is to be made: at the first start, and again when it must vouch for more or
 * ends soon, of which the log tells. Then it gets another key: what trusted the old one trusts nothing any more, for its key
 * is gone. What it once vouched for it still does then, so that settings that change to and fro do not make it anew each time.
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

/** Recognised in a list of authorities. No two have the same, by which clients would mistake one for the other. */
function commonName({name}: Machine): string {
	return `tinbox on ${name.slice(0, 40)} (${randomBytes(3).toString('hex')})`;
}

/** In all, and when a new one is made. */
const certificateLifeMs = 90 * dayMs;
const renewalMs = 30 * dayMs;

/** How often, at most, it is looked whether the names are still the same. */
const lookEveryMs = 10_000;

type DaemonCertificateOptions = {
	readonly folder: string;
	readonly kept: KeptAuthority;
	/** All that it is for at the moment. */
	names(): readonly string[];
	readonly issue: Issue;
	createContext(pair: KeyPair): SecureContext;
	readonly now: () => Date;
	readonly log: Log;
};

type Shown = {readonly parsed: X509Certificate; readonly context: SecureContext};

/**
 * The certificate that a daemon shows unless it has one of the user's for the name, and the authority that vouches for it. Each
 * handshake looks whether a new one is due, by the clock on the wall: no timer is late where the machine has slept.
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
		// What another authority vouched for is not to be seen, were it for a moment.
		this.#shown = kept && 'parsed' in authority ? this.#toShown(kept) : undefined;
	}

	/** Makes what is due while others go on. */
	start(): void {
		this.#look();
	}

	/** Waits where there is none to show. Rejects when none could be made, which is tried again for the next one who asks. */
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

	/** Waits while it is made. */
	async authority(): Promise<Authority> {
		if (!('parsed' in this.#authority)) {
			await this.context();
		}

		return this.#authority as Authority;
	}

	/** Resolves when nothing is being made. */
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

	/** Takes the authority that another daemon has put in the place of this one; the next look has it vouch. */
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

	/** Without those for which the authority may not vouch: one of them, and clients refuse all. */
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

/** One that was made when the clock was ahead is not valid yet. */
function isValid({validFrom, validTo}: X509Certificate, now: number): boolean {
	return Date.parse(validFrom) <= now && now < Date.parse(validTo);
}

/** Without what cannot be handed to a thread. */
function plain(authority: Authority | NewAuthority): KeyPair | NewAuthority {
	return 'parsed' in authority ? {certificate: authority.certificate, key: authority.key} : authority;
}

/** As Node.js writes them: `DNS:localhost, IP Address:127.0.0.1`. */
function namesIn({subjectAltName = ''}: X509Certificate): string[] {
	return subjectAltName.split(', ').map(entry => plainAddress(entry.replace(/^(?:DNS|IP Address):/, '')));
}

const authoritySecret = 'authority';

/** Secrets that daemons share. `put` stores a secret if the current one is `before`, and resolves to the current one. */
type SharedSecrets = {
	get(name: string): Promise<string | undefined>;
	put(name: string, secret: string, before?: string): Promise<string>;
};

/** The authority of all daemons that share a store. */
export function sharedAuthority(secrets: SharedSecrets): KeptAuthority {
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
