import {readdirSync, readFileSync, readlinkSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {isIPv4, type Socket} from 'node:net';
import type {TurnBudget} from '../queue/event-loop.js';

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

/** The process that listens on a TCP port, where the system tells: on Linux, and only of one's own processes. */
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

/** From the table in proc(5): the second field is the local address with the port in hex, the fourth 0A for "listens". */
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
		// Another user's process.
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
	/** Keeps back what is received from now on, and soon no more is; or goes on. */
	hold(isHeld: boolean): void;
};

/**
 * Has a connection on which nothing has come yet hand on what it receives in pieces of so many bytes, in turns with the others;
 * a byte costs 1. To parse one byte can take a hundred times as long as another.
 */
export function paceReading(socket: Socket, pace: TurnBudget, pieceLength: number): PacedReading {
	const push = socket.push.bind(socket);
	const read = socket._read.bind(socket);
	/** Null stands for the end. */
	const received: Array<Buffer | null> = [];
	let wantsMore = true;
	let isHeld = false;
	const handOn = () => {
		const piece = isHeld ? undefined : received.shift();
		if (piece === undefined || socket.destroyed) {
			return {cost: 0, hasMore: false};
		}

		wantsMore = push(piece);
		return {cost: piece?.length ?? 0, hasMore: received.length > 0};
	};
	socket._read = size => {
		// What was received comes first, and is all that is kept of what the other side sends.
		if (received.length === 0) {
			read(size);
		}
	};
	socket.push = (chunk: Buffer | null) => {
		// Whoever left waits for nothing.
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
