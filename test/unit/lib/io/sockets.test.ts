import {once} from 'node:events';
import net, {type AddressInfo, type Socket} from 'node:net';
import {setImmediate as turn} from 'node:timers/promises';
import fc from 'fast-check';
import {expect, onTestFinished, test, vi} from 'vitest';
import {type PacedReading, paceReading} from '../../../../src/lib/io/sockets.js';
import {TurnBudget} from '../../../../src/lib/queue/event-loop.js';

/** Opens `count` connections to a server that sends the bytes and closes. */
async function openReceivers(
	bytes: Buffer,
	count: number,
	maxPerTurn: number,
	paced = (_: PacedReading) => {},
): Promise<readonly Socket[]> {
	const server = net.createServer(socket => socket.on('error', () => {}).end(bytes)).listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => void server.close());
	const pace = new TurnBudget(maxPerTurn);
	return Array.from({length: count}, () => {
		const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
		paced(paceReading(socket, pace, 2048));
		onTestFinished(() => void socket.destroy());
		return socket;
	});
}

test('a paced socket delivers all bytes in order and its end, even if the reader pauses', async () => {
	await fc.assert(
		fc.asyncProperty(fc.nat(300_000), fc.integer({min: 1, max: 10_000}), fc.boolean(), async (length, max, pauses) => {
			const bytes = Buffer.from(Array.from({length}, (_, index) => index % 251));
			const sockets = await openReceivers(bytes, 3, max);
			const received = sockets.map(async socket => {
				const chunks: Buffer[] = [];
				socket.on('data', chunk => {
					chunks.push(chunk);
					if (pauses) {
						socket.pause();
						setImmediate(() => socket.resume());
					}
				});
				await once(socket, 'end');
				return Buffer.concat(chunks).equals(bytes);
			});
			expect(await Promise.all(received)).toEqual([true, true, true]);
		}),
		{numRuns: 20},
	);
});

test('paced sockets together deliver at most their budget per turn of the event loop', async () => {
	const sockets = await openReceivers(Buffer.alloc(100_000), 20, 10_000);
	let inTurn = 0;
	let maxInTurn = 0;
	let ended = 0;
	for (const socket of sockets) {
		socket.on('data', ({length}) => {
			inTurn += length;
			maxInTurn = Math.max(maxInTurn, inTurn);
		});
		socket.on('end', () => {
			ended += 1;
		});
	}

	while (ended < sockets.length) {
		await turn();
		inTurn = 0;
	}

	// The budget may run twice between two checks.
	expect(maxInTurn).toBeLessThanOrEqual(2 * (10_000 + 2048));
});

test('a destroyed paced socket delivers none of its buffered bytes', async () => {
	const [socket] = await openReceivers(Buffer.alloc(100_000), 1, 1);
	let received = 0;
	socket?.on('data', ({length}) => {
		received += length;
		socket.destroy();
	});
	await once(socket ?? new net.Socket(), 'close');
	await turn();
	await turn();
	expect(received).toBeLessThanOrEqual(2048);
});

test('a held paced socket buffers its input and delivers it after the release', async () => {
	const bytes = Buffer.alloc(50_000, 'x');
	const server = net.createServer(socket => socket.on('error', () => {}).write(bytes)).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
	onTestFinished(() => {
		socket.destroy();
		server.close();
	});
	const reading = paceReading(socket, new TurnBudget(2048), 2048);
	let received = 0;
	let receivedWhileHeld = 0;
	socket.once('data', () => reading.hold(true));
	socket.on('data', ({length}) => {
		received += length;
	});
	await once(socket, 'data');
	for (let turns = 0; turns < 10; turns++) {
		await turn();
		receivedWhileHeld = received;
	}

	expect(receivedWhileHeld).toBe(2048);
	reading.hold(false);
	await vi.waitFor(() => expect(received).toBe(bytes.length));
});

test('a held paced socket without buffered input still delivers its end', async () => {
	let reading: PacedReading | undefined;
	const [socket] = await openReceivers(Buffer.alloc(1000), 1, 1_000_000, paced => {
		reading = paced;
	});
	let received = 0;
	socket?.on('data', ({length}) => {
		received += length;
		reading?.hold(true);
	});
	await once(socket ?? new net.Socket(), 'end');
	expect(received).toBe(1000);
});
