import {randomInt} from 'node:crypto';

/** Letters and digits that nobody mistakes for one another. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Ten characters with 50 random bits: short enough to read out, too many to guess. */
export function createLocalPart(): string {
	return Array.from({length: 10}, () => alphabet[randomInt(alphabet.length)]).join('');
}
