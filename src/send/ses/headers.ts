import {SesProblem} from './problems.js';
import type {SesHeader} from './schemas.js';

/** Those that SES sets by itself. */
const ownNames = new Set([
	'bcc',
	'cc',
	'content-disposition',
	'content-type',
	'date',
	'from',
	'message-id',
	'mime-version',
	'reply-to',
	'return-path',
	'subject',
	'to',
]);

/** Those that a mail may have once, besides the ones above. */
const singleNames = new Set(
	`accept-language acceptlanguage archived-at auto-submitted bounces-to comments content-alternative content-base
	content-class content-description content-duration content-id content-language content-length content-location
	content-md5 content-transfer-encoding delivered-to disposition-notification-options disposition-notification-to
	dkim-signature domainkey-signature errors-to importance in-reply-to keywords list-archive list-help list-id list-owner
	list-post list-subscribe list-unsubscribe list-unsubscribe-post message-context organization original-from
	original-message-id original-recipient original-subject precedence priority references return-receipt-to sender
	solicitation sensitivity thread-index thread-topic user-agent vbr-info`.split(/\s+/),
);

/** The header fields of a request that has SES make the mail. */
export function readOwnHeaders(headers: readonly SesHeader[]): Array<readonly [name: string, value: string]> {
	const own = headers.find(({Name}) => ownNames.has(Name.toLowerCase()));
	if (own !== undefined) {
		throw new SesProblem('invalid', `Header '${own.Name}' cannot be set by a request.`);
	}

	checkOnce(headers.map(({Name}) => Name));
	return headers.map(({Name, Value}) => [Name, Value] as const);
}

/** Throws for a field that a mail has twice and may not. */
export function checkOnce(names: readonly string[]): void {
	const seen = new Set<string>();
	for (const name of names) {
		const key = name.toLowerCase();
		if (seen.has(key)) {
			throw new SesProblem('invalid', `Duplicate header '${name}'.`);
		}

		if (singleNames.has(key) || (ownNames.has(key) && !['bcc', 'cc', 'to'].includes(key))) {
			seen.add(key);
		}
	}
}

/** The default headers with those of an entry, which come in the place of others with their name. */
export function replaceHeaders(defaults: readonly SesHeader[], replacements: readonly SesHeader[]): SesHeader[] {
	const replaced = new Set(replacements.map(({Name}) => Name.toLowerCase()));
	return [...defaults.filter(({Name}) => !replaced.has(Name.toLowerCase())), ...replacements];
}
