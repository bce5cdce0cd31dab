import type {X509Certificate} from 'node:crypto';
import {BlockList, isIP} from 'node:net';
import {hostname, networkInterfaces} from 'node:os';
import {isEverywhere, plainAddress, withoutBrackets} from '../lib/io/hosts.js';

/** Name constraint of an authority: a domain with its subdomains, or an address range, such as `test` and `127.0.0.0/8`. */
export type Subtree = string;

/** Object identifier of the extension (RFC 5280, section 4.2.1.10). */
export const nameConstraintsId = '2.5.29.30';
const encodedId = Buffer.from([0x55, 0x1d, 0x1e]);

/** ASN.1 tags in DER. */
const tags = {sequence: 0x30, extensions: 0xa3, permitted: 0xa0, dnsName: 0x82, address: 0x87};

/** True if a subtree covers the name or address. A wildcard must be covered with all its names. */
export function permits(subtrees: readonly Subtree[], name: string): boolean {
	const family = familyOf(name);
	return subtrees.some(subtree => {
		const [network = '', bits] = subtree.split('/');
		if (bits === undefined || family === undefined) {
			return bits === undefined && family === undefined && `.${name}`.endsWith(`.${network}`);
		}

		const range = new BlockList();
		range.addSubnet(network, Number(bits), familyOf(network));
		return range.check(name, family);
	});
}

/** Encodes the extension that permits only these subtrees. */
export function encodeConstraints(subtrees: readonly Subtree[]): Buffer {
	const bases = subtrees.map(subtree => {
		const [network = '', bits] = subtree.split('/');
		return bits === undefined
			? element(tags.dnsName, Buffer.from(network))
			: element(tags.address, rangeBytes(network, Number(bits)));
	});
	return element(tags.sequence, element(tags.permitted, ...bases.map(base => element(tags.sequence, base))));
}

/** Subtrees that a certificate permits; undefined if it has no such extension. */
export function constraintsOf({raw}: X509Certificate): readonly Subtree[] | undefined {
	const [certificate] = elementsIn(raw);
	const [toBeSigned] = elementsIn(certificate?.content);
	const [extensions] = elementsIn(elementsIn(toBeSigned?.content).find(({tag}) => tag === tags.extensions)?.content);
	const value = elementsIn(extensions?.content)
		.map(({content}) => elementsIn(content))
		.find(([id]) => id?.content.equals(encodedId))
		?.at(-1);
	const [constraints] = elementsIn(value?.content);
	const [permitted] = elementsIn(constraints?.content);
	return (
		value &&
		elementsIn(permitted?.content)
			.flatMap(subtree => elementsIn(subtree.content))
			.map(({tag, content}) => (tag === tags.address ? rangeOf(content) : content.toString()))
	);
}

type Element = {readonly tag: number; readonly content: Buffer};

function element(tag: number, ...contents: readonly Buffer[]): Buffer {
	const content = Buffer.concat(contents);
	const {length} = content;
	const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from(head), content]);
}

function elementsIn(bytes: Buffer = Buffer.alloc(0)): readonly Element[] {
	const elements: Element[] = [];
	for (let at = 0; at < bytes.length; ) {
		const short = bytes.readUInt8(at + 1);
		const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
		const start = at + 2 + lengthBytes;
		const end = start + (lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes));
		elements.push({tag: bytes.readUInt8(at), content: bytes.subarray(start, end)});
		at = end;
	}

	return elements;
}

/** Bytes of an address and its mask. */
function rangeBytes(network: string, bits: number): Buffer {
	const address = addressBytes(network);
	return Buffer.concat([address, address.map((_, index) => 0xff00 >> Math.min(8, Math.max(0, bits - 8 * index)))]);
}

function rangeOf(bytes: Buffer): Subtree {
	const address = bytes.subarray(0, bytes.length / 2);
	const bits = [...bytes.subarray(bytes.length / 2)].reduce(
		(sum, byte) => sum + byte.toString(2).replaceAll('0', '').length,
		0,
	);
	const text =
		address.length === 4 ? address.join('.') : plainAddress((address.toString('hex').match(/.{4}/g) ?? []).join(':'));
	return `${text}/${bits}`;
}

function addressBytes(address: string): Buffer {
	if (isIP(address) === 4) {
		return Buffer.from(address.split('.').map(Number));
	}

	const [head = [], tail] = address.split('::').map(half => (half === '' ? [] : half.split(':')));
	const zeros = Array<string>(tail ? 8 - head.length - tail.length : 0).fill('0');
	return Buffer.from([...head, ...zeros, ...(tail ?? [])].map(group => group.padStart(4, '0')).join(''), 'hex');
}

function familyOf(name: string): 'ipv4' | 'ipv6' | undefined {
	return ({4: 'ipv4', 6: 'ipv6'} as const)[isIP(name)];
}

/** Listeners of a daemon and their names. */
export type Listening = {
	/** Bind address. */
	readonly host: string;
	/** Additional host names. */
	readonly hostNames: readonly string[];
	/** Mail domain. */
	readonly domain: string;
};

/** Name and addresses of this machine, needed for listeners on all interfaces. */
export type Machine = {readonly name: string; readonly addresses: readonly string[]};

/** Unknown machine. */
export const nowhere: Machine = {name: '', addresses: []};

/** Names that every authority covers. */
const everywhere: readonly Subtree[] = ['localhost', 'test', '127.0.0.0/8', '::1/128'];

/** Private networks. Addresses in them change, so an authority covers all of them. */
export const privateRanges: readonly Subtree[] = [
	'10.0.0.0/8',
	'172.16.0.0/12',
	'192.168.0.0/16',
	'100.64.0.0/10',
	'fc00::/7',
];

export function thisMachine(): Machine {
	const addresses = Object.values(networkInterfaces()).flatMap(entries => entries ?? []);
	// A link-local address is used with the name of an interface, which no certificate can contain.
	const reachable = addresses.filter(({internal, scopeid = 0}) => !internal && scopeid === 0);
	return {name: hostname(), addresses: reachable.map(({address}) => address)};
}

/** Names and addresses of the listeners, unique and normalized. */
export function namesOf({host, hostNames, domain}: Listening, machine: Machine): readonly string[] {
	const domains = [domain, ...(domain.includes('.') ? [`*.${domain}`] : [])];
	return distinct(['localhost', '127.0.0.1', '::1', ...ownNames({host, hostNames}, machine), ...domains]);
}

/** Subtrees that an authority must cover for these listeners. */
export function subtreesFor(listening: Pick<Listening, 'host' | 'hostNames'>, machine: Machine): readonly Subtree[] {
	const own = distinct(ownNames(listening, machine)).filter(name => !permits(everywhere, name));
	const ranges = own.map(name => {
		const kind = isIP(name);
		return kind === 0
			? name
			: (privateRanges.find(range => permits([range], name)) ?? `${name}/${kind === 4 ? 32 : 128}`);
	});
	return [...new Set([...everywhere, ...ranges])];
}

function ownNames(
	{host, hostNames}: Pick<Listening, 'host' | 'hostNames'>,
	{name, addresses}: Machine,
): readonly string[] {
	return [...(isEverywhere(host) ? [name, ...addresses] : [host]), ...hostNames];
}

/** Normalized name: lower case, no trailing dot. */
export function plainName(name: string): string {
	return plainAddress(withoutBrackets(name).toLowerCase().replace(/\.$/, ''));
}

/** Unique normalized names without those that no certificate can contain. Clients reject a certificate with an invalid name. */
function distinct(names: readonly string[]): readonly string[] {
	return [...new Set(names.map(plainName))].filter(name => isIP(name) !== 0 || isDnsName(name));
}

function isDnsName(name: string): boolean {
	return name.length <= 253 && /^(?:\*\.)?[\w-]{1,63}(?:\.[\w-]{1,63})*$/.test(name);
}
