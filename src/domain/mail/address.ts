import {domainToASCII, domainToUnicode} from 'node:url';

/** Of a domain name, RFC 1035 allows fewer. What is longer is none, and its spellings are not worth the time. */
const maxDomainLength = 255;

/** Addresses and claims that are canonical as they are, which is most. */
const plain = /^[a-z\d._+-]+@(?!.*xn--)[a-z\d.-]*[a-z\d]$/;

/**
 * An address as it is shown: as it was typed, without case (a deliberate simplification of RFC 5321, section 2.4). Letter by
 * letter, since a sigma at the end of a word is another letter to a domain.
 */
export function shownAddress(address: string): string {
	return address.trim().replace(/\p{CWL}/gu, letter => letter.toLowerCase());
}

/**
 * What all spellings of one address, or of one claim (`*@domain`, `*`), have in common: to compare by, not to show, and
 * not to be made canonical again. Comments have no place in an envelope (RFC 5321, section 4.1.2): parentheses are letters.
 */
export function canonicalAddress(address: string): string {
	if (plain.test(address)) {
		return address;
	}

	const shown = shownAddress(address);
	const at = shown.lastIndexOf('@');
	return at < 0 ? shown : `${canonicalLocalPart(shown.slice(0, at))}@${canonicalDomain(shown.slice(at + 1))}`;
}

/** The canonical address without its `+tag`; null when it has none. */
export function untagged(canonical: string): string | null {
	const at = canonical.lastIndexOf('@');
	const plus = canonical.indexOf('+');
	return plus > 0 && plus < at ? canonical.slice(0, plus) + canonical.slice(at) : null;
}

/** The canonical claim to everything in the domain of a canonical address. */
export function domainClaim(canonical: string): string {
	return `*@${canonical.slice(canonical.lastIndexOf('@') + 1)}`;
}

/** The same address with its domain in Unicode where that was in punycode: what both mean is the same. */
export function readableAddress(address: string): string {
	const at = address.lastIndexOf('@');
	const domain = address.slice(at + 1);
	if (at < 0 || domain.length > maxDomainLength) {
		return address;
	}

	return address.slice(0, at + 1) + domain.split('.').map(readableLabel).join('.');
}

/** What the quotes and backslashes of RFC 5321, section 4.1.2, stand for, needed or not. */
function canonicalLocalPart(localPart: string): string {
	return localPart
		.replace(/\\(.)|"/gsu, '$1')
		.replaceAll('ς', 'σ')
		.normalize();
}

/** The name that is looked up in the DNS: of international labels their A-label (RFC 5890), without the root's dot. */
function canonicalDomain(domain: string): string {
	if (domain.length > maxDomainLength) {
		return domain;
	}

	const [, ipv6 = ''] = /^\[(?:ipv6:)?([\da-f:.]+)\]$/.exec(domain) ?? [];
	const literal = ipv6.includes(':') && domainToASCII(`[${ipv6}]`);
	return literal || domain.split('.').map(canonicalLabel).join('.').replace(/\.$/, '');
}

/** One label, or several with the dots of other scripts in between. What is no label stands for itself. */
function canonicalLabel(label: string): string {
	const isInternational = /^[\w\-\u0080-\u{10ffff}]*$/u.test(label) && /^xn--|[^\w-]/i.test(label);
	return (isInternational && convert(domainToASCII, label)) || label.normalize();
}

function readableLabel(label: string): string {
	const readable = /^xn--/i.test(label) ? convert(domainToUnicode, label) : '';
	return readable !== '' && canonicalLabel(readable) === canonicalLabel(label.toLowerCase()) ? readable : label;
}

/** Below another label: alone, what looks like a number would be taken for an IP address. Empty when it is no label. */
function convert(converter: (domain: string) => string, label: string): string {
	return converter(`${label}.test`).slice(0, -'.test'.length);
}
