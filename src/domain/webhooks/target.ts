import {BlockList, isIP} from 'node:net';
import {readUrl} from '../../lib/text/url.js';

/** Returns true if requests to this IP address are allowed. */
export type TargetPolicy = (address: string) => boolean;

/** Resolves a host name: no addresses if the host does not exist, `unknown` if the resolver fails. Fair between users. */
export type FindHost = (hostname: string, userId: string) => Promise<readonly string[] | 'unknown'>;

/** Forbidden in every case: link-local, multicast and reserved addresses, cloud metadata services, and retired tunnels. */
const alwaysForbidden = [
	'169.254.0.0/16',
	'100.100.100.200/32',
	'168.63.129.16/32',
	'192.0.0.192/32',
	'224.0.0.0/4',
	'240.0.0.0/4',
	'fe80::/10',
	// Amazon (instances, pods, names, time), Google, Oracle, Scaleway, Akamai, Alibaba.
	'fd00:ec2::/32',
	'fd20:ce::254/128',
	'fd00:c1::a9fe:a9fe/128',
	'fd00:42::42/128',
	'fd00:a9fe:a9fe::1/128',
	'fd00:100::100:200/128',
	'ff00::/8',
	'64:ff9b:1::/48',
	'2001::/32',
	'2002::/16',
];

/** Local addresses: loopback, private, and special-purpose (registries of RFC 6890). */
const local = [
	'0.0.0.0/8',
	'10.0.0.0/8',
	'100.64.0.0/10',
	'127.0.0.0/8',
	'172.16.0.0/12',
	'192.0.0.0/24',
	'192.0.2.0/24',
	'192.88.99.0/24',
	'192.168.0.0/16',
	'198.18.0.0/15',
	'198.51.100.0/24',
	'203.0.113.0/24',
	'::/128',
	'::1/128',
	'100::/64',
	'2001::/23',
	'2001:db8::/32',
	'3fff::/20',
	'5f00::/16',
	'fc00::/7',
	'fec0::/10',
];

/**
 * Returns the policy against server-side request forgery. `allowed` lists addresses and subnets (`10.1.0.0/16`) that are
 * allowed although they are local; link-local and metadata addresses never are. With `othersAllowed: false`, public
 * addresses are forbidden as well. Throws `RangeError` for an invalid entry.
 */
export function createTargetPolicy({
	localAllowed,
	othersAllowed = true,
	allowed = [],
}: {
	readonly localAllowed: boolean;
	readonly othersAllowed?: boolean;
	readonly allowed?: readonly string[];
}): TargetPolicy {
	const allowList = createList(allowed);
	const forbidden = createList(alwaysForbidden);
	const inside = createList(local);
	const isAllowed = (address: string) =>
		!contains(forbidden, address) &&
		(contains(allowList, address) || (contains(inside, address) ? localAllowed : othersAllowed));
	return address => {
		const plain = address.replace(/%.*$/, '');
		return isIP(plain) !== 0 && [plain, ...embeddedIpv4(plain)].every(isAllowed);
	};
}

/**
 * Names the option that allows a rejected address, in words that follow "must not be sent"; empty for addresses that are
 * always forbidden.
 */
export function exemption(address: string): string {
	const [forbidden, inside] = [createList(alwaysForbidden), createList(local)];
	const plain = address.replace(/%.*$/, '');
	const parts = [plain, ...embeddedIpv4(plain)];
	const needed = parts.filter(part => contains(inside, part));
	return parts.some(part => contains(forbidden, part)) || needed.length === 0
		? ''
		: `, unless the daemon is started with --webhook-allow ${needed.join(',')}`;
}

/** Describes what is wrong with the URL of a receiver, for `invalidField`. Does not check the address of its host. */
export function urlProblem(text: string, {withLogin = false} = {}): string | undefined {
	const url = readUrl(text);
	if (!url || /[\s\p{Cc}]/u.test(text)) {
		return 'must be an absolute URL such as "https://example.com/hook"';
	}

	const {protocol, username, password, hostname} = url;
	if (protocol !== 'http:' && protocol !== 'https:') {
		return 'must begin with "http://" or "https://"';
	}

	if (!withLogin && (username || password)) {
		return 'must not contain a user name or a password';
	}

	// Names under `invalid` never exist (RFC 6761, section 6.4).
	return /(^|\.)invalid\.?$/.test(hostname) ? 'names a host that does not exist' : undefined;
}

/** Returns the IP address in a URL, in any notation; undefined for a name. */
export function literalAddress(url: string): string | undefined {
	const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
	return isIP(host) === 0 ? undefined : host;
}

function createList(subnets: readonly string[]): BlockList {
	const list = new BlockList();
	for (const subnet of subnets) {
		const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(subnet) ?? [];
		const family = isIP(address);
		const maxBits = family === 4 ? 32 : 128;
		const prefix = Number(bits ?? maxBits);
		if (family === 0 || prefix > maxBits) {
			throw new RangeError(`"${subnet}" is neither an IP address nor a subnet such as 10.1.0.0/16.`);
		}

		list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
	}

	return list;
}

function contains(list: BlockList, address: string): boolean {
	return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Returns the IPv4 address that an IPv6 address leads to: compatible, mapped, translated (RFC 2765), NAT64 (RFC 6052) and
 * ISATAP (RFC 5214). `::` and `::1` lead nowhere. Teredo and 6to4 are forbidden as a whole.
 */
function embeddedIpv4(address: string): readonly string[] {
	const hex = isIP(address) === 6 ? hexOf(address) : '';
	const hasIpv4 = /^(?!0{31}[01])(0{24}|0{20}f{4}|0{16}f{4}0{4}|0064ff9b0{16}|.{16}0[02]005efe)/.test(hex);
	return hasIpv4 ? [Buffer.from(hex.slice(24), 'hex').join('.')] : [];
}

/** Returns an IPv6 address as 32 hexadecimal digits. */
function hexOf(address: string): string {
	const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
	const [head, tail] = canonical.split('::').map(half => half.split(':').filter(group => group !== ''));
	const groups = [...(head ?? []), ...(tail ?? [])].length;
	return [...(head ?? []), ...Array<string>(8 - groups).fill('0'), ...(tail ?? [])]
		.map(group => group.padStart(4, '0'))
		.join('');
}
