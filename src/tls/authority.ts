import {randomBytes, X509Certificate} from 'node:crypto';
import type {Log} from '../lib/log.js';
import type {NewAuthority} from './issue.js';
import type {KeyPair} from './key-pair.js';
import {constraintsOf, type Subtree} from './name-constraints.js';
import {type Listening, type Machine, nowhere, privateRanges, subtreesFor} from './names.js';

/** Vouches for the certificates of a daemon. */
export type Authority = KeyPair & {readonly parsed: X509Certificate; readonly subtrees: readonly Subtree[]};

const day = 86_400_000;
const lifeMs = 3650 * day;

/** With less left it is made again: people have to trust it anew, and shall do so before their tests fail. */
const leastLeftMs = 180 * day;

export type AuthorityOptions = {
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

	const validity = {notBefore: new Date(now.getTime() - day), notAfter: new Date(now.getTime() + lifeMs)};
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

export function toAuthority(pair: KeyPair): Authority {
	const parsed = new X509Certificate(pair.certificate);
	return {...pair, parsed, subtrees: constraintsOf(parsed) ?? []};
}

/** Recognised in a list of authorities. No two have the same, by which clients would mistake one for the other. */
function commonName({name}: Machine): string {
	return `tinbox on ${name.slice(0, 40)} (${randomBytes(3).toString('hex')})`;
}
