import {X509Certificate} from 'node:crypto';
import type {SecureContext} from 'node:tls';
import {plainAddress} from '../lib/hosts.js';
import type {Log} from '../lib/log.js';
import type {Authority} from './authority.js';
import {type KeyPair, keepKeyPair, keyPairFiles, readKeptKeyPair} from './key-pair.js';

const day = 86_400_000;

/** In all, and when a new one is made. */
const lifeMs = 90 * day;
const renewalMs = 30 * day;

/** How often, at most, it is looked whether the names are still the same. */
const lookEveryMs = 10_000;

export type LeafOptions = {
	readonly folder: string;
	readonly authority: Authority;
	/** All that it is for at the moment. */
	names(): readonly string[];
	createContext(pair: KeyPair): SecureContext;
	readonly now: () => Date;
	readonly log: Log;
};

type Current = {readonly parsed: X509Certificate; readonly context: SecureContext};

/**
 * The certificate that a daemon shows unless it has one of its own for the name. Each handshake looks whether a new one is due,
 * by the clock on the wall: no timer is late where the machine has slept.
 */
export class Leaf {
	readonly #options: LeafOptions;
	#current: Current;
	#lookedAt: number;
	#renewal: Promise<void> | undefined;

	private constructor(options: LeafOptions, current: Current) {
		this.#options = options;
		this.#current = current;
		this.#lookedAt = options.now().getTime();
	}

	/** That of the start before if it still serves, else a new one. */
	static async open(options: LeafOptions): Promise<Leaf> {
		const kept = readKeptKeyPair(filesOf(options), options.log);
		const current = kept && toCurrent(kept, options);
		const isOfUse = current && !isDue(current, options);
		return new Leaf(options, isOfUse ? current : await issue(options));
	}

	/** Waits for a new one only where the old one has ended. */
	async context(): Promise<SecureContext> {
		const now = this.#options.now().getTime();
		if (Math.abs(now - this.#lookedAt) >= lookEveryMs) {
			this.#lookedAt = now;
			if (isDue(this.#current, this.#options)) {
				this.#renewal ??= this.#renew();
			}
		}

		if (Date.parse(this.#current.parsed.validTo) <= now) {
			await this.#renewal;
		}

		return this.#current.context;
	}

	async #renew(): Promise<void> {
		try {
			this.#current = await issue(this.#options);
		} catch (error) {
			this.#options.log.warn({err: error}, 'The certificate could not be renewed.');
		} finally {
			this.#renewal = undefined;
		}
	}
}

function isDue({parsed}: Current, options: LeafOptions): boolean {
	return (
		Date.parse(parsed.validTo) - options.now().getTime() < renewalMs ||
		!parsed.verify(options.authority.parsed.publicKey) ||
		String(namesIn(parsed).sort()) !== String([...possibleNames(options)].sort())
	);
}

async function issue(options: LeafOptions): Promise<Current> {
	const {authority, now, log} = options;
	const names = possibleNames(options);
	// Loaded only here, where it is needed: it takes its time.
	const {issueLeaf} = await import('./issue.js');
	const at = now().getTime();
	const notAfter = new Date(Math.min(at + lifeMs, Date.parse(authority.parsed.validTo)));
	const pair = await issueLeaf(names, {notBefore: new Date(at - day), notAfter}, authority);
	await keepKeyPair(filesOf(options), pair, log);
	log.info({names: names.join(' '), until: notAfter.toISOString()}, 'A certificate was made.');
	return toCurrent(pair, options);
}

/** Without those for which the authority may not vouch: one of them, and clients refuse all. */
function possibleNames({authority, names}: LeafOptions): readonly string[] {
	return names().filter(name => authority.vouchesFor(name));
}

function toCurrent(pair: KeyPair, {createContext}: LeafOptions): Current {
	return {parsed: new X509Certificate(pair.certificate), context: createContext(pair)};
}

function filesOf({folder}: LeafOptions) {
	return keyPairFiles(folder, 'cert.pem', 'key.pem');
}

/** As Node.js writes them: `DNS:localhost, IP Address:127.0.0.1`. */
function namesIn({subjectAltName = ''}: X509Certificate): string[] {
	return subjectAltName.split(', ').map(entry => plainAddress(entry.replace(/^(?:DNS|IP Address):/, '')));
}
