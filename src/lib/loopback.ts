import {BlockList, isIP, isIPv6} from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether a host is this machine and no other: an address without brackets, or `localhost`. */
export function isLoopback(host: string): boolean {
	return host === 'localhost' || (isIP(host) !== 0 && loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4'));
}
