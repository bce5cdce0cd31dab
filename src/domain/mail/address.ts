import {domainToASCII, domainToUnicode} from 'node:url';

/** Maximum length of a domain name (RFC 1035). Longer ones are not converted. */
const maxDomainLength = 255;

/** Addresses and claims that are canonical already, as most are. */
const plain = /^[a-z\d._+-]+@(?!.*xn--)[a-z\d.-]*[a-z\d]$/;

/**
 * Returns an address for display: lower case (a deliberate simplification of RFC 5321, section 2.4), otherwise as typed.
 * Each letter is converted on its own, because a final sigma is another letter in a domain.
 */
export function shownAddress(address: string): string {
	return address.trim().replace(/\p{CWL}/gu, letter => letter.toLowerCase());
}

/**
 * Returns the canonical form of the address of a mail or of an inbox (also `*@domain` and `*`), for comparison only. The result must not be
 * canonicalized again. Envelopes have no comments (RFC 5321, section 4.1.2): parentheses are ordinary characters.
 */
export function canonicalAddress(address: string): string {
	if (plain.test(address)) {
		return address;
	}

	const shown = shownAddress(address);
	const at = shown.lastIndexOf('@');
	return at < 0 ? shown : `${canonicalLocalPart(shown.slice(0, at))}@${canonicalDomain(shown.slice(at + 1))}`;
}

/** Returns a canonical address without its `+tag`; null if it has none. */
export function untagged(canonical: string): string | null {
	const at = canonical.lastIndexOf('@');
	const plus = canonical.indexOf('+');
	return plus > 0 && plus < at ? canonical.slice(0, plus) + canonical.slice(at) : null;
}

/** Returns the canonical address of the inbox for the whole domain of a canonical address: `*@domain`. */
export function domainCatchAll(canonical: string): string {
	return `*@${canonical.slice(canonical.lastIndexOf('@') + 1)}`;
}

/** Converts a punycode domain to Unicode if both are equivalent. */
export function readableAddress(address: string): string {
	const at = address.lastIndexOf('@');
	const domain = address.slice(at + 1);
	if (at < 0 || domain.length > maxDomainLength) {
		return address;
	}

	return address.slice(0, at + 1) + domain.split('.').map(readableLabel).join('.');
}

/** Removes quotes and backslashes (RFC 5321, section 4.1.2). */
function canonicalLocalPart(localPart: string): string {
	return localPart
		.replace(/\\(.)|"/gsu, '$1')
		.replaceAll('ς', 'σ')
		.normalize();
}

/** Returns the name for DNS: A-labels (RFC 5890), without the trailing dot. */
function canonicalDomain(domain: string): string {
	if (domain.length > maxDomainLength) {
		return domain;
	}

	const [, ipv6 = ''] = /^\[(?:ipv6:)?([\da-f:.]+)\]$/.exec(domain) ?? [];
	const literal = ipv6.includes(':') && domainToASCII(`[${ipv6}]`);
	return literal || domain.split('.').map(canonicalLabel).join('.').replace(/\.$/, '');
}

/** Converts one label, or several separated by dots of other scripts. Returns text that is no label unchanged. */
function canonicalLabel(label: string): string {
	const isInternational = /^[\w\-\u0080-\u{10ffff}]*$/u.test(label) && /^xn--|[^\w-]/i.test(label);
	return (isInternational && convert(domainToASCII, label)) || label.normalize();
}

function readableLabel(label: string): string {
	const readable = /^xn--/i.test(label) ? convert(domainToUnicode, label) : '';
	return readable !== '' && canonicalLabel(readable) === canonicalLabel(label.toLowerCase()) ? readable : label;
}

/** Converts a label; `''` if it is invalid. It gets a parent domain, because a number alone would be taken for an IP address. */
function convert(converter: (domain: string) => string, label: string): string {
	return converter(`${label}.test`).slice(0, -'.test'.length);
}
