import {X509Certificate} from 'node:crypto';
import type {SecureContext} from 'node:tls';
import {plainAddress} from '../lib/hosts.js';
import type {Log} from '../lib/log.js';
import {type Authority, toAuthority} from './authority.js';
import type {NewAuthority} from './issue.js';
import type {Issue} from './issue-apart.js';
import type {KeptAuthority} from './kept-authority.js';
import {type KeyPair, keepKeyPair, keyPairFiles, readKeptKeyPair} from './key-pair.js';
import {permits} from './name-constraints.js';

const day = 86_400_000;

/** In all, and when a new one is made. */
const lifeMs = 90 * day;
const renewalMs = 30 * day;

/** How often, at most, it is looked whether the names are still the same. */
const lookEveryMs = 10_000;

export type DaemonCertificateOptions = {
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
			const validity = {notBefore: new Date(at - day), notAfter: new Date(Math.min(at + lifeMs, ends))};
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
