import type {X509Certificate} from 'node:crypto';
import {BlockList, isIP} from 'node:net';
import {hostname, networkInterfaces} from 'node:os';
import {isEverywhere, plainAddress, withoutBrackets} from '../lib/io/hosts.js';

/** What an authority may vouch for: a domain with all below it, or a range of addresses, as `test` and `127.0.0.0/8`. */
export type Subtree = string;

/** Of the extension (RFC 5280, section 4.2.1.10). */
export const nameConstraintsId = '2.5.29.30';
const encodedId = Buffer.from([0x55, 0x1d, 0x1e]);

/** ASN.1 tags, as DER writes them. */
const tags = {sequence: 0x30, extensions: 0xa3, permitted: 0xa0, dnsName: 0x82, address: 0x87};

/** Whether one of the subtrees holds the name or address. A wildcard stands for names, and each of them must be held. */
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

/** The value of the extension that permits the subtrees and nothing else. */
export function encodeConstraints(subtrees: readonly Subtree[]): Buffer {
	const bases = subtrees.map(subtree => {
		const [network = '', bits] = subtree.split('/');
		return bits === undefined
			? element(tags.dnsName, Buffer.from(network))
			: element(tags.address, rangeBytes(network, Number(bits)));
	});
	return element(tags.sequence, element(tags.permitted, ...bases.map(base => element(tags.sequence, base))));
}

/** The subtrees that a certificate of `encodeConstraints` permits; undefined for one that has no such extension. */
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

/** The address and its mask. */
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

/** Where a daemon listens, and for whom. */
export type Listening = {
	/** The address or name that the listeners are bound to. */
	readonly host: string;
	/** Further names by which they are called. */
	readonly hostNames: readonly string[];
	/** Of the mail. */
	readonly domain: string;
};

/** What this machine is called, and has as addresses, of which listeners on all of them must know. */
export type Machine = {readonly name: string; readonly addresses: readonly string[]};

/** A machine of which nothing is known. */
export const nowhere: Machine = {name: '', addresses: []};

/** What every authority vouches for. */
const everywhere: readonly Subtree[] = ['localhost', 'test', '127.0.0.0/8', '::1/128'];

/** The addresses in them are given anew from day to day: an authority has to do for all of them. */
export const privateRanges: readonly Subtree[] = [
	'10.0.0.0/8',
	'172.16.0.0/12',
	'192.168.0.0/16',
	'100.64.0.0/10',
	'fc00::/7',
];

export function thisMachine(): Machine {
	const addresses = Object.values(networkInterfaces()).flatMap(entries => entries ?? []);
	// Link-local addresses are reached by the name of an interface, too, which no certificate holds.
	const reachable = addresses.filter(({internal, scopeid = 0}) => !internal && scopeid === 0);
	return {name: hostname(), addresses: reachable.map(({address}) => address)};
}

/** All names and addresses by which the listeners may be called, each once and in one spelling. */
export function namesOf({host, hostNames, domain}: Listening, machine: Machine): readonly string[] {
	const domains = [domain, ...(domain.includes('.') ? [`*.${domain}`] : [])];
	return distinct(['localhost', '127.0.0.1', '::1', ...ownNames({host, hostNames}, machine), ...domains]);
}

/** What an authority must vouch for, for listeners there. */
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

/** As names are compared: without case and without the dot at the end. */
export function plainName(name: string): string {
	return plainAddress(withoutBrackets(name).toLowerCase().replace(/\.$/, ''));
}

/** Without what no certificate can hold: one such name, and clients refuse all of it. */
function distinct(names: readonly string[]): readonly string[] {
	return [...new Set(names.map(plainName))].filter(name => isIP(name) !== 0 || isDnsName(name));
}

function isDnsName(name: string): boolean {
	return name.length <= 253 && /^(?:\*\.)?[\w-]{1,63}(?:\.[\w-]{1,63})*$/.test(name);
}
