import {once} from 'node:events';
import {connect, createServer, type Socket} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {peerUser} from '../../../../src/lib/io/sockets.js';

/** The server's side of a connection. */
async function accepted(listen: string, to = listen): Promise<Socket> {
	const server = createServer();
	await once(server.listen(0, listen), 'listening');
	const address = server.address();
	const taken = once(server, 'connection');
	const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, to);
	const [socket] = (await taken) as [Socket];
	onTestFinished(() => {
		client.destroy();
		socket.destroy();
		server.close();
	});
	return socket;
}

const isTold = process.platform === 'linux';

test.skipIf(!isTold).each([
	['127.0.0.1', '127.0.0.1'],
	['0.0.0.0', '127.0.0.2'],
	['::1', '::1'],
	['::', '::1'],
	['::', '127.0.0.1'],
])('on a listener at %s, who connects to %s is known', async (listen, to) => {
	expect(await peerUser(await accepted(listen, to))).toBe(process.getuid?.());
});

test('of a connection that there is not, nobody is known', async () => {
	const ends = {localAddress: '127.0.0.1', localPort: 9, remoteAddress: '127.0.0.1', remotePort: 9};
	expect(await peerUser(ends)).toBeUndefined();
	expect(await peerUser({...ends, remoteAddress: '2001:db8::1:2', localAddress: '::ffff:1.2.3.4'})).toBeUndefined();
	expect(await peerUser({...ends, remotePort: undefined})).toBeUndefined();
});
