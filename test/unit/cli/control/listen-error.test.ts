import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {explainListenError} from '../../../../src/cli/control/settings.js';
import {openTinbox} from '../../../helpers/tinbox.js';

const settingsWithoutPorts = {
	host: '127.0.0.1',
	tls: 'off',
	smtpsPort: null,
	httpsPort: null,
} as const;

/** The error of a second listener on the port. */
async function listenErrorOn(port: number): Promise<Error & {address?: string}> {
	const [error] = await once(createServer().listen(port, '127.0.0.1'), 'error');
	return error;
}

test('the error for a port in use contains the address, with brackets around IPv6', async () => {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => void server.close());
	server.on('connection', socket => socket.end('220 not HTTP\r\n'));
	const {port: smtpPort} = server.address() as AddressInfo;
	const error = await listenErrorOn(smtpPort);
	const settings = {...settingsWithoutPorts, smtpPort, httpPort: smtpPort};
	expect(await explainListenError(error, settings)).toMatchObject({
		message: expect.stringMatching(`^Port ${smtpPort} on 127.0.0.1 is in use`),
		hint: expect.stringContaining('--smtp-port'),
	});
	expect(await explainListenError(error, {...settings, smtpPort: 0, httpsPort: smtpPort})).toMatchObject({
		hint: expect.stringContaining('--https-port'),
	});
	error.address = '::1';
	expect(await explainListenError(error, settings)).toMatchObject({
		message: expect.stringMatching(`^Port ${smtpPort} on \\[::1\\] is in use`),
	});
});

test('the error for the SMTPS port in use names --smtps-port', async () => {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => void server.close());
	const {port} = server.address() as AddressInfo;
	const error = await listenErrorOn(port);
	const settings = {...settingsWithoutPorts, tls: 'offer', smtpPort: port - 440, httpPort: 1} as const;
	for (const smtpsPort of [null, port]) {
		expect(await explainListenError(error, {...settings, smtpsPort})).toMatchObject({
			hint: expect.stringContaining('--smtps-port or TINBOX_SMTPS_PORT'),
		});
	}
});

test('the error for a port of another tinbox suggests free ports', async () => {
	const tinbox = await openTinbox();
	for (const port of [tinbox.port, tinbox.smtp.port]) {
		const settings = {...settingsWithoutPorts, smtpPort: tinbox.smtp.port, httpPort: tinbox.port};
		expect(await explainListenError(await listenErrorOn(port), settings)).toMatchObject({
			message: expect.stringMatching(`^Port ${port} on 127.0.0.1 is in use`),
			hint: expect.stringMatching(/belongs to another user.* --smtp-port 0 --http-port 0$/),
		});
	}
});

test.each(['ENOTFOUND', 'EAI_AGAIN'])('the error for an unresolvable host names the host (%s)', async code => {
	const error = Object.assign(new Error('getaddrinfo'), {code, syscall: 'getaddrinfo', hostname: 'no.invalid'});
	expect(
		await explainListenError(error, {...settingsWithoutPorts, host: 'no.invalid', smtpPort: 0, httpPort: 0}),
	).toMatchObject({
		message: 'Cannot resolve the host name "no.invalid".',
		hint: expect.stringContaining('--host'),
	});
});
