import {BlockList, isIP, isIPv6} from 'node:net';
import {readUrl} from '../text/url.js';

/** TCP address: a host name or IP address without brackets, and a port. */
export type HostPort = {readonly host: string; readonly port: number};

/**
 * True for the addresses that a listener uses to accept connections on all interfaces. They are no address to connect to.
 */
export function isEverywhere(host: string): boolean {
	return host === '0.0.0.0' || host === '::';
}

/** Address at which this machine reaches a listener. */
export function reachableHost(host: string): string {
	return isEverywhere(host) ? '127.0.0.1' : host;
}

/** Adds brackets to an IPv6 address, as in a URL (RFC 3986, section 3.2.2). */
export function bracketed(host: string): string {
	return isIPv6(host) ? `[${host}]` : host;
}

/** Removes the brackets that `bracketed` adds. */
export function withoutBrackets(host: string): string {
	return host.replace(/^\[(.*)\]$/, '$1');
}

/** Canonical spelling of an IP address, as in URLs. Returns an address with a zone, or any other text, unchanged. */
export function plainAddress(address: string): string {
	const url = isIPv6(address) ? readUrl(`http://[${address}]`) : undefined;
	return url ? withoutBrackets(url.hostname) : address;
}

/** Host and port as in a URL: `127.0.0.1:1025`, `[::1]:1025`. */
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

/**
 * Client at an address, for fair queues and rate limits. All loopback addresses are one client, and all addresses of an IPv6
 * network with a prefix of 64 bits, because a single program can use any of them.
 */
export function clientAt(address: string): string {
	const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
	if (isLoopback(plain)) {
		return 'localhost';
	}

	return isIPv6(plain) ? `${networkOf(plain)}::/64` : plain;
}

/** First four groups of an IPv6 address. */
function networkOf(address: string): string {
	const [before = [], after = []] = address.split('::').map(half => half.split(':').filter(group => group !== ''));
	const omitted = Array.from({length: Math.max(8 - before.length - after.length, 0)}, () => '0');
	return [...before, ...omitted, ...after].slice(0, 4).join(':');
}
