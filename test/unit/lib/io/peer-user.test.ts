import {once} from 'node:events';
import {connect, createServer, type Socket} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {peerUser} from '../../../../src/lib/io/sockets.js';

/** Opens a connection and resolves to the socket of the server. */
async function acceptConnection(listen: string, to = listen): Promise<Socket> {
	return (await connectedPair(listen, to)).socket;
}

/** Opens a connection and resolves to the sockets of both ends. */
async function connectedPair(listen: string, to = listen): Promise<{client: Socket; socket: Socket}> {
	const server = createServer();
	await once(server.listen(0, listen), 'listening');
	const address = server.address();
	const accepting = once(server, 'connection');
	const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, to);
	const [socket] = (await accepting) as [Socket];
	onTestFinished(() => {
		client.destroy();
		socket.destroy();
		server.close();
	});
	return {client, socket};
}

const isSupported = process.platform === 'linux';

test.skipIf(!isSupported).each([
	['127.0.0.1', '127.0.0.1'],
	['0.0.0.0', '127.0.0.2'],
	['::1', '::1'],
	['::', '::1'],
	['::', '127.0.0.1'],
])('the user of a connection to a listener on %s at address %s is identified', async (listen, to) => {
	expect(await peerUser(await acceptConnection(listen, to))).toBe(process.getuid?.());
});

test.skipIf(!isSupported).each([
	['closes', (client: Socket) => client.destroy()],
	['resets', (client: Socket) => client.resetAndDestroy()],
])('a client that %s its connection is reported as closed, not as root', async (_, leave) => {
	const {client, socket} = await connectedPair('127.0.0.1');
	socket.on('error', () => {});
	const {localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0} = socket;
	leave(client);
	await once(client, 'close');
	expect(await peerUser({localAddress, localPort, remoteAddress, remotePort})).toBe('closed');
});

test('a connection that does not exist has no user', async () => {
	const endpoints = {localAddress: '127.0.0.1', localPort: 9, remoteAddress: '127.0.0.1', remotePort: 9};
	expect(await peerUser(endpoints)).toBe(isSupported ? 'closed' : undefined);
	expect(await peerUser({...endpoints, remoteAddress: '192.0.2.1'})).toBeUndefined();
	expect(
		await peerUser({...endpoints, remoteAddress: '2001:db8::1:2', localAddress: '::ffff:1.2.3.4'}),
	).toBeUndefined();
	expect(await peerUser({...endpoints, remotePort: undefined})).toBeUndefined();
});
