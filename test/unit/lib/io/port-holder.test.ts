import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {portHolder} from '../../../../src/lib/io/sockets.js';

test('the process that listens on a port is identified on Linux', async () => {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => {
		server.close();
	});
	const {port} = server.address() as AddressInfo;
	const pid = process.platform === 'linux' ? process.pid : undefined;
	expect(portHolder(port)?.pid).toBe(pid);
});

test('a port without a listener has no holder', () => {
	expect(portHolder(1)).toBeUndefined();
});
