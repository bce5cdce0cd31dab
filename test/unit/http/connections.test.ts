import {once} from 'node:events';
import {createServer} from 'node:http';
import net from 'node:net';
import {expect, onTestFinished, test, vi} from 'vitest';
import {HttpConnections} from '../../../src/http/server/connections.js';
import {Admission} from '../../../src/lib/queue/admission.js';
import {SlotPool} from '../../../src/lib/queue/slots.js';
import {Quota} from '../../../src/services/quotas.js';
import {sendRaw} from '../../helpers/raw-http.js';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {openTinbox, type Tinbox} from '../../helpers/tinbox.js';

/** HTTP request that keeps the connection open by default. */
function get(port: number, path = '/v1/health', header = 'Connection: keep-alive'): string {
	return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${header}\r\n\r\n`;
}

async function isReachable(port: number): Promise<boolean> {
	return (await sendRaw(port, get(port, '/v1/health', 'Connection: close'))).status === 200;
}

async function eventually(look: () => void | Promise<void>): Promise<void> {
	await vi.waitFor(look, {interval: 5});
}

/** Connection that records the received data. */
class Connection {
	readonly socket: net.Socket;
	received = '';

	private constructor(port: number) {
		this.socket = net.connect(port, '127.0.0.1').setEncoding('latin1');
		this.socket
			.on('error', () => {})
			.on('data', data => {
				this.received += data;
			});
		onTestFinished(() => void this.socket.destroy());
	}

	static async open(port: number): Promise<Connection> {
		const connection = new Connection(port);
		await once(connection.socket, 'connect');
		return connection;
	}

	get isOpen(): boolean {
		return !this.socket.readableEnded && !this.socket.destroyed;
	}

	get statuses(): readonly string[] {
		return [...this.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
	}

	async request(): Promise<void> {
		const before = this.statuses.length;
		this.socket.write(get(this.socket.remotePort ?? 0));
		await eventually(() => expect(this.statuses.length).toBe(before + 1));
	}

	async ended(): Promise<void> {
		await eventually(() => expect(this.isOpen).toBe(false));
	}
}

async function openAll(port: number, count: number): Promise<readonly Connection[]> {
	return Promise.all(Array.from({length: count}, () => Connection.open(port)));
}

/** Opens a long poll of a new user. */
async function holdPoll(tinbox: Tinbox): Promise<Connection> {
	const {user, key} = await tinbox.user(`user-${Math.random()}`);
	const plain = {name: null, teamId: null, address: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(user, plain);
	const connection = await Connection.open(tinbox.port);
	connection.socket.write(get(tinbox.port, `/v1/inboxes/${inbox.id}/messages?wait=60`, `X-API-Key: ${key}`));
	await eventually(() => expect(tinbox.services.feed.waiting(inbox.id)).toBe(1));
	return connection;
}

/** Opens an event stream of a new user. */
async function holdStream(tinbox: Tinbox): Promise<Connection> {
	const {key} = await tinbox.user(`user-${Math.random()}`);
	const connection = await Connection.open(tinbox.port);
	connection.socket.write(get(tinbox.port, '/v1/events', `X-API-Key: ${key}`));
	await eventually(() => expect(connection.statuses).toEqual(['200']));
	return connection;
}

test('20,000 pipelined requests on one connection do not delay other connections', async () => {
	let served = 0;
	const tinbox = await openTinbox({
		settings: {maxPipelined: 20_000},
		wrapStore: store => ({
			...store,
			keys: {
				...store.keys,
				async byHash(hash) {
					served++;
					return store.keys.byHash(hash);
				},
			},
		}),
	});
	const {key} = await tinbox.user('ann');
	const [flood, neighbour] = [await Connection.open(tinbox.port), await Connection.open(tinbox.port)];
	flood.socket.write(get(tinbox.port, '/v1/users/me', `X-API-Key: ${key}`).repeat(20_000));
	await neighbour.request();
	expect(served).toBeLessThan(2000);
	expect(flood.isOpen).toBe(true);
});

test('pipelined requests are answered in order, up to a limit', async () => {
	const tinbox = await openTinbox({settings: {maxPipelined: 3}});
	const connection = await Connection.open(tinbox.port);
	const requests = ['/v1/health', '/v1/nothing', '/v1/health', '/v1/nothing'];
	connection.socket.write(requests.map(path => get(tinbox.port, path)).join(''));
	await eventually(() => expect(connection.statuses).toEqual(['200', '404', '200', '404']));
	await connection.request();

	connection.socket.write(get(tinbox.port).repeat(5));
	await connection.ended();
	expect(connection.statuses.slice(5)).toEqual(['429']);
	expect(connection.received).toContain(
		'A connection can have at most 3 waiting requests. Wait for responses, or start the daemon with a larger --max-pipelined.',
	);
	expect(await isReachable(tinbox.port)).toBe(true);
});

test('pipelined requests of a closed connection are dropped', async () => {
	const tinbox = await openTinbox();
	const connection = await holdPoll(tinbox);
	connection.socket.write(get(tinbox.port).repeat(10));
	connection.socket.destroy();
	expect(await isReachable(tinbox.port)).toBe(true);
	await tinbox.stopServer();
	expect(connection.statuses).toEqual([]);
});

test.each([
	{what: 'A poll', path: (inbox: string) => `/v1/inboxes/${inbox}/messages?wait=1`},
	{what: 'An event stream', path: () => '/v1/events'},
])('$what whose client disconnects before it starts occupies no slot', async ({path}) => {
	const one = {perUser: 1, total: 1};
	let keyLookups = 0;
	let identify = () => {};
	const left = new Promise<void>(resolve => {
		identify = resolve;
	});
	const tinbox = await openTinbox({
		settings: {maxHttpConnections: 1, maxPolls: one, maxStreams: one},
		wrapStore: store => ({
			...store,
			keys: {
				...store.keys,
				async byHash(hash) {
					keyLookups++;
					await left;
					return store.keys.byHash(hash);
				},
			},
		}),
	});
	const {user, key} = await tinbox.user('ann');
	const plain = {name: null, teamId: null, address: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(user, plain);
	const request = get(tinbox.port, path(inbox.id), `X-API-Key: ${key}`);
	const leavingClient = await Connection.open(tinbox.port);
	leavingClient.socket.write(request);
	await eventually(() => expect(keyLookups).toBe(1));
	leavingClient.socket.destroy();
	// With one allowed connection, this request succeeds only after the first connection has ended.
	await eventually(async () => expect(await isReachable(tinbox.port)).toBe(true));
	identify();

	const remainingClient = await Connection.open(tinbox.port);
	remainingClient.socket.write(request);
	await eventually(() => expect(remainingClient.statuses).toEqual(['200']));
});

test('the connection with the longest idle time is closed for a new one', async () => {
	const tinbox = await openTinbox({settings: {maxHttpConnections: 3}});
	const [first, second, third] = [
		await Connection.open(tinbox.port),
		await Connection.open(tinbox.port),
		await Connection.open(tinbox.port),
	];
	await first.request();
	const fourth = await Connection.open(tinbox.port);
	await fourth.request();
	await second.ended();
	expect([first, third, fourth].map(({isOpen}) => isOpen)).toEqual([true, true, true]);
});

test('connections with active requests stay open: a further connection gets 429 until one ends', async () => {
	const tinbox = await openTinbox({settings: {maxHttpConnections: 3}});
	const poll = await holdPoll(tinbox);
	await holdPoll(tinbox);
	await holdStream(tinbox);
	const refused = await sendRaw(tinbox.port, get(tinbox.port));
	expect(refused).toMatchObject({status: 429, headers: {connection: 'close'}});
	expect(JSON.parse(refused.body)).toMatchObject({
		code: 'limit_reached',
		detail:
			'The daemon accepts at most 3 HTTP connections. Close some, or start the daemon with a larger --max-http-connections.',
	});
	poll.socket.destroy();
	await eventually(async () => expect(await isReachable(tinbox.port)).toBe(true));
});

/** More bytes than the buffers of a connection hold. */
const long = 'x'.repeat(16 * 1024 * 1024);

/**
 * Starts a server with few connections: `/long` sends a long response that clients do not read, `/news` never
 * responds, and other paths wait for a body.
 */
async function startSmallServer(max: number, pipelined = {max, total: 100 * max}) {
	const raiseAdvice = 'a larger limit';
	const limits = {noun: 'polls', perUser: 9, total: 9, format: String, freeAdvice: 'End some', raiseAdvice};
	const quota = new Quota(limits);
	const slots = new SlotPool(max).share(max, 0);
	let started = 0;
	const closed: unknown[] = [];
	const connections = new HttpConnections(
		{connections: {max, raiseAdvice}, slots, pipelined: {...pipelined, raiseAdvice}},
		new Admission({concurrency: 64}),
		(request, response) => {
			started++;
			response.once('close', () => closed.push(request.headers['x-api-key']));
			if (request.url === '/long') {
				response.end(long);
			} else if (request.url === '/news') {
				connections.holdForNews(response, quota, 'ann');
			} else {
				request.on('end', () => response.end()).resume();
			}
		},
	);
	let parsed = 0;
	const server = createServer({}, connections.answer)
		.on('connection', connections.take)
		.on('request', () => parsed++);
	await once(server.listen(0, '127.0.0.1'), 'listening');
	onTestFinished(() => void server.close().closeAllConnections());
	const {port} = server.address() as net.AddressInfo;
	return {
		parsed: () => parsed,
		tick(times: number) {
			for (let index = 0; index < times; index++) {
				connections.tick();
			}
		},
		open: () => Connection.open(port),
		activeCount: () => connections.activeCount,
		/** Keys of the requests that were answered or aborted. */
		closed,
		/** Opens a request to `/news` with this number of pipelined requests behind it. */
		async wait(behind: number) {
			const before = started;
			const connection = await Connection.open(port);
			connection.socket.write(get(port, '/news') + get(port).repeat(behind));
			await eventually(() => expect(started).toBe(before + 1));
			return connection;
		},
		async begin(path: string, key: string, header = 'Content-Length: 100') {
			const before = started;
			const connection = await Connection.open(port);
			if (path === '/long') {
				connection.socket.pause();
			}

			connection.socket.write(get(port, path, `X-API-Key: ${key}\r\n${header}`));
			await eventually(() => expect(started).toBe(before + 1));
			return connection;
		},
	};
}

test('a pipelined request above the limit closes the connection, with 429 if no response has started', async () => {
	const tinbox = await openTinbox({settings: {maxPipelined: 3}});
	const [poll, stream] = [await holdPoll(tinbox), await holdStream(tinbox)];
	for (const {socket} of [poll, stream]) {
		socket.write(get(tinbox.port).repeat(2000));
	}

	await poll.ended();
	await stream.ended();
	expect([poll, stream].map(({statuses}) => statuses)).toEqual([['429'], ['200']]);
	expect(poll.received).toContain('A connection can have at most 3 waiting requests.');
});

test('only some of many pipelined requests behind a wait are read; without a wait, all are answered', async () => {
	const server = await startSmallServer(100);
	const poll = await server.wait(5000);
	const many = await server.open();
	many.socket.write(get(1).repeat(5000));
	await eventually(() => expect(many.statuses.length).toBe(5000));
	expect(new Set(many.statuses)).toEqual(new Set(['200']));
	expect(server.parsed()).toBeLessThan(5000 + 100);
	expect(poll.isOpen).toBe(true);
});

test('all connections share a limit of pipelined requests, above which each connection may have one', async () => {
	const server = await startSmallServer(6, {max: 3, total: 3});
	const [first, second] = [await server.wait(3), await server.wait(1)];
	const third = await server.wait(2);
	await third.ended();
	expect(third.statuses).toEqual(['429']);
	expect(third.received).toContain('All connections together can have at most 3 waiting requests.');
	expect([first, second].map(({isOpen}) => isOpen)).toEqual([true, true]);

	first.socket.destroy();
	await eventually(() => expect(server.activeCount()).toBe(1));
	const another = await server.wait(2);
	await server.wait(0);
	expect(another.isOpen).toBe(true);
});

test('among slow clients, the user with the most connections makes room for others, down to a minimum', async () => {
	const server = await startSmallServer(10);
	await server.begin('/long', 'bob', 'Accept: */*');
	for (let index = 0; index < 9; index++) {
		await server.begin('/long', 'ann', 'Accept: */*');
	}

	const early = await server.open();
	await early.ended();
	expect(early.statuses).toEqual(['429']);

	server.tick(1);
	await server.begin('/', 'eve');
	const late = await server.open();
	await late.ended();
	expect(late.statuses).toEqual(['429']);
	expect(server.closed).toEqual(['ann']);
});

test('without progress, the user with the most connections makes room for others', async () => {
	const server = await startSmallServer(6);
	const news = await server.begin('/news', 'ann', 'Accept: */*');
	const connectionOfBob = await server.begin('/', 'bob');
	const connectionsOfAnn = [await server.begin('/', 'ann'), await server.begin('/', 'ann')];
	server.tick(2);
	connectionsOfAnn.push(await server.begin('/', 'ann'), await server.begin('/', 'ann'));
	const early = await server.open();
	await early.ended();
	expect(early.statuses).toEqual(['429']);

	server.tick(4);
	for (const left of [3, 2, 1]) {
		await server.begin('/', 'eve');
		await eventually(() => expect(connectionsOfAnn.filter(({isOpen}) => isOpen).length).toBe(left));
	}

	expect(
		[news, connectionOfBob, connectionsOfAnn[0], connectionsOfAnn[1]].map(connection => connection?.isOpen),
	).toEqual([true, true, false, false]);
});

test('a new connection is kept for its first request while other clients are slow', async () => {
	const server = await startSmallServer(10);
	for (let index = 0; index < 9; index++) {
		await server.begin('/long', 'ann', 'Accept: */*');
	}

	server.tick(1);
	const opened = await server.open();
	await server.begin('/', 'eve');
	expect(server.closed).toEqual(['ann']);
	expect(opened.isOpen).toBe(true);
});

test('connections with different keys of a user are counted together', async () => {
	let identified = 0;
	vi.useFakeTimers({toFake: ['setInterval', 'clearInterval']});
	const tinbox = await openTinbox({
		settings: {maxHttpConnections: 5},
		wrapStore: store => ({
			...store,
			keys: {
				...store.keys,
				async byHash(hash) {
					identified++;
					return store.keys.byHash(hash);
				},
			},
		}),
	});
	onTestFinished(() => void vi.useRealTimers());
	const [ann, bob] = [await tinbox.user('ann'), await tinbox.user('bob')];
	const more = [
		await tinbox.services.keys.create(ann.user, 'two'),
		await tinbox.services.keys.create(ann.user, 'three'),
	];
	const connections: Connection[] = [];
	for (const key of [bob.key, bob.key, ann.key, ...more.map(({raw}) => raw)]) {
		const connection = await Connection.open(tinbox.port);
		connection.socket.write(
			get(
				tinbox.port,
				'/v1/inboxes',
				`X-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 9`,
			).replace('GET', 'POST'),
		);
		connections.push(connection);
		await eventually(() => expect(identified).toBe(connections.length));
	}

	vi.advanceTimersByTime(5000);
	expect(await isReachable(tinbox.port)).toBe(true);
	await eventually(() => expect(connections.filter(({isOpen}) => isOpen).length).toBe(4));
	expect(connections.slice(0, 2).map(({isOpen}) => isOpen)).toEqual([true, true]);
});

test('an unread response ends after a minute, unlike a wait', async () => {
	const server = await startSmallServer(6);
	const news = await server.begin('/news', 'ann', 'Accept: */*');
	const read = await server.begin('/long', 'ann', 'Accept: */*');
	const unread = await server.begin('/long', 'ann', 'Accept: */*');
	server.tick(60);
	read.socket.resume();
	await eventually(() => expect(read.received.length).toBeGreaterThan(long.length));
	// Now the server knows that everything was read.
	await read.request();
	expect(unread.socket.destroyed).toBe(false);
	server.tick(61);
	unread.socket.resume();
	await unread.ended();
	expect(unread.received.length).toBeLessThan(long.length);
	expect([news, read].map(({isOpen}) => isOpen)).toEqual([true, true]);
});

test.each(['http', 'smtp'] as const)(
	'400 idle %s connections leave both listeners reachable if 300 files may be open',
	async which => {
		const tinbox = await openTinbox({openFiles: 300});
		const idle = await openAll(which === 'http' ? tinbox.port : tinbox.smtp.port, 400);
		await eventually(() => expect(idle.filter(({isOpen}) => isOpen).length).toBeLessThan(200));
		expect(await isReachable(tinbox.port)).toBe(true);
		await eventually(async () => (await SmtpSession.open(tinbox.smtp)).quit());
	},
);
