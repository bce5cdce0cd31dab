import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {explainListenError} from '../../../src/cli/control/listen-error.js';

test('a port that is taken is told with its address, an IPv6 one in brackets', async () => {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => void server.close());
	const {port: smtpPort} = server.address() as AddressInfo;
	const second = createServer().listen(smtpPort, '127.0.0.1');
	const [error] = await once(second, 'error');
	const settings = {host: '127.0.0.1', smtpPort};
	expect(explainListenError(error, settings)).toMatchObject({
		message: expect.stringMatching(`^Port ${smtpPort} on 127.0.0.1 is taken`),
		hint: expect.stringContaining('--smtp-port'),
	});
	error.address = '::1';
	expect(explainListenError(error, settings)).toMatchObject({
		message: expect.stringMatching(`^Port ${smtpPort} on \\[::1\\] is taken`),
	});
});

test.each(['ENOTFOUND', 'EAI_AGAIN'])('a host that does not resolve is named (%s)', code => {
	const error = Object.assign(new Error('getaddrinfo'), {code, syscall: 'getaddrinfo', hostname: 'no.invalid'});
	expect(explainListenError(error, {host: 'no.invalid', smtpPort: 0})).toMatchObject({
		message: 'The host name "no.invalid" does not resolve, so there is no address to listen on.',
		hint: expect.stringContaining('--host'),
	});
});
