import {BlockList, isIP, isIPv6} from 'node:net';
import {readUrl} from '../text/url.js';

/** A TCP address: a name or an IP address without brackets, and a port. */
export type HostPort = {readonly host: string; readonly port: number};

/** Whether a listener on this address takes connections to any. It is no address to connect to. */
export function isEverywhere(host: string): boolean {
	return host === '0.0.0.0' || host === '::';
}

/** Where this machine reaches a listener on this address. */
export function reachableHost(host: string): string {
	return isEverywhere(host) ? '127.0.0.1' : host;
}

/** As in a URL, with brackets around an IPv6 address (RFC 3986, section 3.2.2). */
export function bracketed(host: string): string {
	return isIPv6(host) ? `[${host}]` : host;
}

/** Undoes `bracketed`. */
export function withoutBrackets(host: string): string {
	return host.replace(/^\[(.*)\]$/, '$1');
}

/** An IP address in the one spelling that URLs have for it, of which IPv6 knows many; one with a zone, and anything else, as it is. */
export function plainAddress(address: string): string {
	const url = isIPv6(address) ? readUrl(`http://[${address}]`) : undefined;
	return url ? withoutBrackets(url.hostname) : address;
}

/** As in a URL: `127.0.0.1:1025`, `[::1]:1025`. */
export function hostPort({host, port}: HostPort): string {
	return `${bracketed(host)}:${port}`;
}

/** True for `localhost` and for a loopback address (IPv4, IPv6 without brackets, or IPv4-mapped). */
export function isLoopback(host: string): boolean {
	const loopback = new BlockList();
	loopback.addSubnet('127.0.0.0', 8);
	loopback.addAddress('::1', 'ipv6');
	return host === 'localhost' || (isIP(host) !== 0 && loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4'));
}
