import {sanitizeLine} from './sanitize.js';

/**
 * Mailboxes from outside as mail writes them (RFC 5322, section 3.4), safe to print: `Ann <ann@example.com>, bob@example.com`.
 * Each is made safe by itself, so that none can hide another.
 */
export function mailboxList(
	mailboxes: ReadonlyArray<{readonly name: string | null; readonly address: string}>,
): string {
	const shown = mailboxes.map(({name, address}) => {
		const safe = sanitizeLine(address);
		return name === null ? safe : `${phrase(name)} <${safe}>`;
	});
	return shown.join(', ');
}

/** A name from outside as it stands before an address, in quotes if it has special characters; safe to print. */
export function phrase(name: string): string {
	const shown = sanitizeLine(name);
	return /^[^()<>[\]:;@\\,"]+$/.test(shown) ? shown : `"${shown.replace(/["\\]/g, '\\$&')}"`;
}
