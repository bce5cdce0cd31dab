import {randomBytes, X509Certificate} from 'node:crypto';
import type {Log} from '../lib/log.js';
import {type KeyPair, keepKeyPair, keyPairFiles, readKeptKeyPair} from './key-pair.js';
import {constraintsOf, permits, type Subtree} from './name-constraints.js';
import {type Listening, type Machine, subtreesFor} from './names.js';

/** Vouches for the certificates of a daemon. */
export type Authority = KeyPair & {
	readonly parsed: X509Certificate;
	/** Whether it can vouch for the name or address. */
	vouchesFor(name: string): boolean;
};

const day = 86_400_000;
const lifeMs = 3650 * day;

/** With less left it is made again: people have to trust it anew, and shall do so before their tests fail. */
const leastLeftMs = 180 * day;

export type AuthorityOptions = {
	readonly folder: string;
	readonly listening: Listening;
	readonly machine: Machine;
	readonly now: Date;
	readonly log: Log;
};

/**
 * The authority of a data directory. It is made at the first start, and again when it must vouch for more or ends soon, of which
 * the log tells. Then it has another key: what trusted the old one trusts nothing any more, for its key is gone. What it
 * once vouched for it still does then, so that settings that change to and fro do not make it anew each time.
 */
export async function loadAuthority({folder, listening, machine, now, log}: AuthorityOptions): Promise<Authority> {
	const files = keyPairFiles(folder, 'ca.pem', 'ca-key.pem');
	const known = readKeptKeyPair(files, log);
	const kept = known && authorityOf(known);
	const wanted = subtreesFor(listening, machine);
	const missing = wanted.filter(subtree => !kept?.permitted.includes(subtree));
	const leftMs = kept ? Date.parse(kept.parsed.validTo) - now.getTime() : 0;
	if (kept && missing.length === 0 && leftMs > leastLeftMs) {
		return kept;
	}

	if (kept) {
		const reason = missing.length > 0 ? `it has to vouch for ${missing.join(', ')}` : 'the old one ends soon';
		log.warn({}, `A new certificate authority is made: ${reason}. Whoever trusted the old one has to trust this one.`);
	}

	const {issueAuthority} = await import('./issue.js');
	const validity = {notBefore: new Date(now.getTime() - day), notAfter: new Date(now.getTime() + lifeMs)};
	const permitted = [...new Set([...(kept?.permitted ?? []), ...wanted])];
	const pair = await issueAuthority(commonName(machine), validity, permitted);
	await keepKeyPair(files, pair, log);
	return authorityOf(pair);
}

function authorityOf(pair: KeyPair): Authority & {readonly permitted: readonly Subtree[]} {
	const parsed = new X509Certificate(pair.certificate);
	const permitted = constraintsOf(parsed) ?? [];
	return {...pair, parsed, permitted, vouchesFor: name => permits(permitted, name.replace(/^\*\./, ''))};
}

/** Recognised in a list of authorities. No two have the same, by which clients would mistake one for the other. */
function commonName({name}: Machine): string {
	return `tinbox on ${name.slice(0, 40)} (${randomBytes(3).toString('hex')})`;
}
