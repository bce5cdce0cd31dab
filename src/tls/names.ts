import {isIP} from 'node:net';
import {hostname, networkInterfaces} from 'node:os';
import {isEverywhere, plainAddress, withoutBrackets} from '../lib/hosts.js';
import {permits, type Subtree} from './name-constraints.js';

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
