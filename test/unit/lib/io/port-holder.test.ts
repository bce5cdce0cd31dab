import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {portHolder} from '../../../../src/lib/io/sockets.js';

test('who listens on a port is told where the system tells', async () => {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => {
		server.close();
	});
	const {port} = server.address() as AddressInfo;
	const pid = process.platform === 'linux' ? process.pid : undefined;
	expect(portHolder(port)?.pid).toBe(pid);
});

test('nobody listens on port 1', () => {
	expect(portHolder(1)).toBeUndefined();
});
