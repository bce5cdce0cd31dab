import {once} from 'node:events';
import {connect, createServer, type Socket} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {peerUser} from '../../../../src/lib/io/sockets.js';

/** Opens a connection and resolves to the socket of the server. */
async function acceptConnection(listen: string, to = listen): Promise<Socket> {
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
	return socket;
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

test('a connection that does not exist has no user', async () => {
	const endpoints = {localAddress: '127.0.0.1', localPort: 9, remoteAddress: '127.0.0.1', remotePort: 9};
	expect(await peerUser(endpoints)).toBeUndefined();
	expect(
		await peerUser({...endpoints, remoteAddress: '2001:db8::1:2', localAddress: '::ffff:1.2.3.4'}),
	).toBeUndefined();
	expect(await peerUser({...endpoints, remotePort: undefined})).toBeUndefined();
});
