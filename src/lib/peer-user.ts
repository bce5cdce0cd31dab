import {readFile} from 'node:fs/promises';
import {isIPv4, type Socket} from 'node:net';

type Ends = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>;

/** The connections of this machine, as Linux tells them (proc_net_tcp(5)). */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * The id of the user who has the other end of an open connection, where that is on this machine, too. Undefined where it is not,
 * or where the system does not tell.
 */
export async function peerUser({
	localAddress,
	localPort,
	remoteAddress,
	remotePort,
}: Ends): Promise<number | undefined> {
	if (
		localAddress === undefined ||
		localPort === undefined ||
		remoteAddress === undefined ||
		remotePort === undefined
	) {
		return undefined;
	}

	// As the other end sees it. A socket for both families has the addresses of IPv4 in the table of IPv6.
	const ports = [remotePort, localPort].map(port => port.toString(16).padStart(4, '0').toUpperCase());
	const [theirs, ours] = [remoteAddress, localAddress].map(hexOf);
	for (const table of tables) {
		const text = await readFile(table, 'latin1').catch(() => '');
		for (const prefix of ['', mapped]) {
			const at = text.indexOf(` ${prefix}${theirs}:${ports[0]} ${prefix}${ours}:${ports[1]} `);
			const [user] =
				at === -1
					? []
					: text
							.slice(at + 1)
							.split('\n', 1)
							.map(userIn);
			if (user !== undefined) {
				return user;
			}
		}
	}

	return undefined;
}

/** Before an address of IPv4 that is written as one of IPv6 (RFC 4291, section 2.5.5.2). */
const mapped = '0000000000000000FFFF0000';

/** The address, state, two queues and a timer come before it. */
function userIn(row: string): number {
	return Number(row.split(/\s+/)[6]);
}

/** Each word of 32 bits has its bytes in the order of the machine, which is the reverse on all that run Linux today. */
function hexOf(address: string): string {
	const bytes = bytesOf(address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, ''));
	const words = Array.from({length: bytes.length / 4}, (_, index) => bytes.slice(index * 4, index * 4 + 4));
	return words.map(word => Buffer.from(word.reverse()).toString('hex').toUpperCase()).join('');
}

function bytesOf(address: string): number[] {
	if (isIPv4(address)) {
		return address.split('.').map(Number);
	}

	const [before = '', after] = address.split('::').map(half => half.split(':').filter(group => group !== ''));
	const groups = [...before, ...Array(8 - before.length - (after?.length ?? 0)).fill('0'), ...(after ?? [])];
	return groups.flatMap(group => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}
