import {readdirSync, readFileSync, readlinkSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {isIPv4, type Socket} from 'node:net';
import {networkInterfaces} from 'node:os';
import type {TurnBudget} from '../queue/event-loop.js';
import {isLoopback} from './hosts.js';

type Ends = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>;

/** TCP connections of this machine on Linux, see proc_net_tcp(5). */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * User id of the process at the other end of a connection, or `closed` if a process of this machine has closed it: the system
 * then reports user 0 or nothing. Undefined if the process is on another machine, or if the system does not provide it.
 */
export async function peerUser({
	localAddress,
	localPort,
	remoteAddress,
	remotePort,
}: Ends): Promise<number | 'closed' | undefined> {
	if (
		localAddress === undefined ||
		localPort === undefined ||
		remoteAddress === undefined ||
		remotePort === undefined
	) {
		return undefined;
	}

	// Addresses as seen by the other end. A dual-stack socket has its IPv4 addresses in the IPv6 table.
	const ports = [remotePort, localPort].map(port => port.toString(16).padStart(4, '0').toUpperCase());
	const [theirs, ours] = [remoteAddress, localAddress].map(hexOf);
	let hasTables = false;
	for (const table of tables) {
		const text = await readFile(table, 'latin1').catch(() => '');
		hasTables ||= text !== '';
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

	return hasTables && isOfThisMachine(remoteAddress) ? 'closed' : undefined;
}

function isOfThisMachine(address: string): boolean {
	const plain = withoutMapping(address);
	const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({address}) => address));
	return isLoopback(plain) || own.includes(plain.replace(/%.*$/, ''));
}

/** Address without the prefix of IPv4-mapped addresses. */
function withoutMapping(address: string): string {
	return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Prefix of an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2). */
const mapped = '0000000000000000FFFF0000';

/** User of a table row. A connection without a process has the inode 0, and reports user 0. */
function userIn(row: string): number | 'closed' {
	const fields = row.split(/\s+/);
	return fields[8] === '0' ? 'closed' : Number(fields[6]);
}

/**
 * Address in the format of the table: 32-bit words in host byte order, which is little-endian on all current Linux systems.
 */
function hexOf(address: string): string {
	const bytes = bytesOf(withoutMapping(address).replace(/%.*$/, ''));
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

/** Process that listens on a TCP port. Works on Linux only, and only for processes of the same user. */
export function portHolder(port: number): {readonly pid: number; readonly command: string} | undefined {
	try {
		const sockets = new Set(listeningInodes(port).map(inode => `socket:[${inode}]`));
		const pid = readdirSync('/proc').find(entry => /^\d+$/.test(entry) && holdsOne(entry, sockets));
		return pid === undefined
			? undefined
			: {pid: Number(pid), command: readFileSync(`/proc/${pid}/comm`, 'utf8').trim()};
	} catch {
		return undefined;
	}
}

/**
 * Socket inodes from the table: the second field is the local address with the port in hex, the fourth is 0A for "listen".
 */
function listeningInodes(port: number): string[] {
	const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
	return ['/proc/net/tcp', '/proc/net/tcp6']
		.flatMap(table => readFileSync(table, 'utf8').split('\n').slice(1))
		.map(line => line.trim().split(/\s+/))
		.filter(([, local, , state]) => local?.endsWith(wanted) && state === '0A')
		.flatMap(fields => fields[9] ?? []);
}

function holdsOne(pid: string, sockets: ReadonlySet<string>): boolean {
	try {
		return readdirSync(`/proc/${pid}/fd`).some(fd => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`)));
	} catch {
		// Process of another user.
		return false;
	}
}

function linkOf(file: string): string {
	try {
		return readlinkSync(file);
	} catch {
		return '';
	}
}

export type PacedReading = {
	/** Pauses or resumes the delivery of received data. */
	hold(isHeld: boolean): void;
};

/**
 * Delivers the data received on a new connection in pieces of `pieceLength` bytes, in turns with other connections. The cost is the
 * number of bytes, or the time for parsing in ms. This bounds the time spent on parsing, which differs per byte by a factor of up to
 * 100.
 */
export function paceReading(
	socket: Socket,
	pace: TurnBudget,
	pieceLength: number,
	unit: 'bytes' | 'ms' = 'bytes',
): PacedReading {
	const push = socket.push.bind(socket);
	const read = socket._read.bind(socket);
	/** Received pieces; null marks the end. */
	const received: Array<Buffer | null> = [];
	let wantsMore = true;
	let isHeld = false;
	const handOn = () => {
		const piece = isHeld ? undefined : received.shift();
		if (piece === undefined || socket.destroyed) {
			return {cost: 0, hasMore: false};
		}

		const start = performance.now();
		wantsMore = push(piece);
		const cost = unit === 'ms' ? performance.now() - start : (piece?.length ?? 0);
		return {cost, hasMore: received.length > 0};
	};
	socket._read = size => {
		// Reads more only after all received data was delivered, which bounds the memory of a connection.
		if (received.length === 0) {
			read(size);
		}
	};
	socket.push = (chunk: Buffer | null) => {
		// A closed connection is not held.
		isHeld &&= chunk !== null;
		received.push(...(chunk === null ? [null] : cut(chunk, pieceLength)));
		pace.add(handOn);
		return received.length === 0 && wantsMore;
	};
	return {
		hold(isToBe) {
			isHeld = isToBe;
			pace.add(handOn);
		},
	};
}

function cut(bytes: Buffer, length: number): Buffer[] {
	const count = Math.ceil(bytes.length / length);
	return Array.from({length: count}, (_, index) => bytes.subarray(index * length, (index + 1) * length));
}
