import {canonicalAddress} from '../../domain/address.js';
import {AppError} from '../../domain/errors.js';
import {isLocalUser, type User} from '../../domain/user.js';

/** Throws `forbidden` for what the local user alone may claim: all mail, and all of the domain of the addresses given out. */
export function assertMayClaim(user: User, claim: string | null, domain: string): void {
	const reserved = ['*', `*@${domain}`].map(canonicalAddress);
	if (claim !== null && reserved.includes(canonicalAddress(claim)) && !isLocalUser(user)) {
		throw new AppError(
			'forbidden',
			`Only the local user of this daemon can claim "*" or "*@${domain}". Claim an exact address, or "*@" and another domain.`,
		);
	}
}
