/** An address as claims and lookups compare it: without case (a deliberate simplification of RFC 5321, section 2.4). */
export function normalizeAddress(address: string): string {
	return address.trim().toLowerCase();
}

/**
 * The claims that can take mail for an address, strongest first: the address itself, the address without its
 * `+tag`, everything of its domain, everything.
 */
export function claimsFor(address: string): readonly string[] {
	const exact = normalizeAddress(address);
	const at = exact.lastIndexOf('@');
	const plus = exact.indexOf('+');
	const untagged = plus > 0 && plus < at ? [exact.slice(0, plus) + exact.slice(at)] : [];
	return [exact, ...untagged, `*${exact.slice(at)}`, '*'];
}
