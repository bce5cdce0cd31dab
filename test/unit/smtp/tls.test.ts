import {once} from 'node:events';
import tls from 'node:tls';
import {describe, expect, test, vi} from 'vitest';
import {pem, RawClient, startServer, testTls, trusting} from './test-server.js';

const both = ['STARTTLS', 'implicit'] as const;

test('STARTTLS is announced only without TLS', async () => {
	const running = await startServer({tls: testTls()});
	const plain = await RawClient.open(running.port);
	expect(plain.output).toMatch(/^250-STARTTLS\r$/m);
	expect(plain.output).toMatch(/^250-AUTH PLAIN LOGIN CRAM-MD5 XOAUTH2 OAUTHBEARER\r$/m);
	for (const mode of both) {
		const client = await RawClient.openTls(running, mode);
		expect(client.output).not.toMatch(/STARTTLS/);
		expect(await client.say('STARTTLS')).toMatch(/^503 /);
	}
});

test('all other extensions are the same with and without TLS', async () => {
	const [off, on] = [await startServer(), await startServer({tls: testTls()})];
	const announced = async (client: RawClient) =>
		client.output.match(/^250.*$/gm)?.filter(line => !/STARTTLS/.test(line));
	const plain = await announced(await RawClient.open(off.port));
	expect(await announced(await RawClient.open(on.port))).toEqual(plain);
	expect(await announced(await RawClient.openTls(on, 'implicit'))).toEqual(plain);
});

describe.each(both)('over TLS by %s', mode => {
	test('mail is accepted and stored with its session', async () => {
		const running = await startServer({tls: testTls()});
		const client = await RawClient.openTls(running, mode);
		for (const subject of ['one', 'two']) {
			await client.beginMail();
			expect(await client.say(`Subject: ${subject}\r\n\r\nhi\r\n.`)).toBe('250 2.6.0 Stored');
		}

		await client.say('QUIT');
		expect(running.mails.map(({source}) => source)).toEqual(
			['one', 'two'].map(subject => `Subject: ${subject}\r\n\r\nhi\r\n`),
		);
		const session = {
			tls: {version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', servername: 'mail.test'},
			auth: null,
			client: {host: '127.0.0.1', helo: 'client.test'},
		};
		expect(running.sessions).toEqual([session, session]);
		expect(running.refused).toEqual([]);
	});

	test('the TLS version of the session is recorded, not the first version that supported its cipher', async () => {
		const running = await startServer({tls: testTls()});
		const options = {...trusting, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-SHA'} as const;
		const client = await RawClient.openTls(running, mode, options);
		await client.beginMail();
		await client.say('.');
		expect(running.sessions[0]?.tls).toEqual({
			version: 'TLSv1.2',
			cipher: 'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
			servername: 'mail.test',
		});
	});

	test('pipelined commands and a large mail are processed completely', async () => {
		const running = await startServer({tls: testTls(), maxMessageSize: 30_000_000});
		const client = await RawClient.openTls(running, mode);
		const mail = `Subject: large\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(320_000)}`;
		client.send('MAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\n');
		expect([await client.reply(), await client.reply(), await client.reply()].map(reply => reply.slice(0, 3))).toEqual([
			'250',
			'250',
			'354',
		]);
		client.send(`${mail}.\r\nQUIT\r\n`);
		expect(await client.reply()).toBe('250 2.6.0 Stored');
		expect(await client.reply()).toMatch(/^221 /);
		expect(running.mails[0]?.source === mail).toBe(true);
	});

	test('a client without a server name can resume a session', async () => {
		const running = await startServer({tls: testTls()});
		const options = {
			ca: pem('ca'),
			servername: '',
			maxVersion: 'TLSv1.2',
			checkServerIdentity: () => undefined,
		} as const;
		const first = await RawClient.openTls(running, mode, options);
		const session = (first.socket as tls.TLSSocket).getSession();
		const second = await RawClient.openTls(running, mode, {...options, ...(session && {session})});
		expect((second.socket as tls.TLSSocket).isSessionReused()).toBe(true);
		await second.beginMail();
		await second.say('.');
		expect(running.sessions[0]?.tls?.servername).toBeNull();
	});

	test('a client certificate is recorded only if the authority issued it', async () => {
		const running = await startServer({tls: testTls('offer', pem('ca'))});
		for (const name of ['client', 'stranger', 'stranger', '']) {
			const own = name === '' ? {} : {cert: pem(name), key: pem(`${name}-key`)};
			const client = await RawClient.openTls(running, mode, {...trusting, ...own});
			await client.beginMail();
			expect(await client.say('.')).toMatch(/^250 /);
		}

		expect(running.sessions.map(({tls}) => tls?.client)).toEqual(['O=Shop, CN=app', undefined, undefined, undefined]);
		expect(running.logged[0]).toMatchObject({
			message: 'Client certificate could not be verified',
			fields: {host: '127.0.0.1'},
		});
	});

	test('a client that sends before the greeting is served normally', async () => {
		const running = await startServer({tls: testTls()});
		for (let turn = 0; turn < 20; turn++) {
			const plain = RawClient.connect(mode === 'implicit' ? running.securePort : running.port);
			if (mode === 'STARTTLS') {
				await plain.reply();
				await plain.say('STARTTLS');
			}

			plain.socket.removeAllListeners('data').pause();
			const socket = tls.connect({socket: plain.socket, ...trusting});
			socket.write('EHLO client.test\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\n\r\n.\r\nQUIT\r\n');
			let output = '';
			for await (const text of socket.setEncoding('latin1')) {
				output += text;
			}

			const greeting = mode === 'implicit' ? ['220 '] : [];
			expect(output.match(/^\d{3} /gm)).toEqual([...greeting, '250 ', '250 ', '250 ', '354 ', '250 ', '221 ']);
		}
	});

	test('a connection is freed after any kind of disconnect', async () => {
		const running = await startServer({tls: testTls(), maxConnections: 2});
		const open = async () => RawClient.openTls(running, mode);
		const begin = async () => {
			const client = RawClient.connect(mode === 'implicit' ? running.securePort : running.port);
			if (mode === 'STARTTLS') {
				await client.reply();
				await client.say('STARTTLS');
			}

			return client;
		};
		const ends: ReadonlyArray<() => Promise<RawClient>> = [
			async () => {
				const client = await open();
				await client.say('QUIT');
				return client;
			},
			open,
			begin,
			async () => {
				const client = await begin();
				client.send('\x16\x03\x01\x00\x05half');
				return client;
			},
			async () => {
				const client = await begin();
				client.send(`\x16\x03\x01\x00\x20${'bad'.repeat(20)}`);
				return client;
			},
			async () => {
				const client = await begin();
				await client.startTls({servername: 'mail.test'}).catch(() => {});
				return client;
			},
		];
		for (const end of [...ends, ...ends]) {
			const client = await vi.waitFor(end);
			client.socket.destroy();
			await vi.waitFor(async () => {
				const one = await open();
				const other = await open().finally(() => one.socket.destroy());
				other.socket.destroy();
			});
		}
	});

	test('a client that renegotiates is disconnected', async () => {
		const running = await startServer({tls: testTls()});
		const client = await RawClient.openTls(running, mode, {...trusting, maxVersion: 'TLSv1.2'});
		(client.socket as tls.TLSSocket).renegotiate({}, () => {});
		await client.closed();
		const other = await RawClient.openTls(running, mode);
		expect(await other.say('NOOP')).toMatch(/^250 /);
	});

	test('the server stops despite open sessions and unfinished handshakes', async () => {
		const running = await startServer({tls: testTls(), stopDeadlineMs: 10_000});
		const client = await RawClient.openTls(running, mode);
		const half = RawClient.connect(mode === 'implicit' ? running.securePort : running.port);
		if (mode === 'STARTTLS') {
			await half.reply();
			await half.say('STARTTLS');
		}

		half.send('\x16\x03\x01\x02');
		await half.flush();
		await running.server.stop();
		await client.closed();
		await half.closed();
		expect(client.output).toMatch(/421 .*shutting down/);
		expect(running.refused).toEqual([]);
	});
});

describe('input after STARTTLS and before the handshake is discarded:', () => {
	const injected =
		'EHLO evil.test\r\nMAIL FROM:<evil@example.test>\r\nRCPT TO:<victim@tinbox.test>\r\nDATA\r\nevil\r\n.\r\n';

	test.each([
		['in the same packet', (client: RawClient) => client.send(`STARTTLS\r\n${injected}`)],
		[
			'in a packet that starts within STARTTLS',
			async (client: RawClient) => {
				client.send('STARTT');
				await client.flush();
				client.send(`LS\r\n${injected}NOOP`);
			},
		],
		['with half a command', (client: RawClient) => client.send('STARTTLS\r\nMAIL FROM:<evil@')],
	])('%s', async (_how, say) => {
		const running = await startServer({tls: testTls()});
		const plain = await RawClient.open(running.port);
		await plain.beginMail('victim@tinbox.test').catch(() => {});
		await plain.say('.');
		running.mails.splice(0);
		await plain.say('AUTH PLAIN AGEAYg==');
		await plain.say('MAIL FROM:<evil@example.test>');
		await plain.say('RCPT TO:<victim@tinbox.test>');
		await say(plain);
		expect(await plain.reply()).toMatch(/^220 /);
		const client = await plain.startTls();
		// The first reply belongs to the first command after the handshake.
		expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^503 /);
		expect(await client.say('EHLO client.test')).toMatch(/^250-/);
		expect(await client.say('DATA')).toMatch(/^503 /);
		await client.beginMail();
		expect(await client.say('Subject: x\r\n\r\n.')).toMatch(/^250 /);
		expect(client.output.match(/^\d{3} /gm)).toHaveLength(7);
		expect(running.mails.map(({envelope}) => envelope)).toEqual([{from: 'app@example.test', to: ['joe@tinbox.test']}]);
		expect(running.sessions.at(-1)).toMatchObject({auth: null, client: {helo: 'client.test'}});
	});

	test('more input than one read ends the session', async () => {
		const {port, mails, refused} = await startServer({tls: testTls()});
		const client = await RawClient.open(port);
		client.send(`STARTTLS\r\n${injected.repeat(2000)}`);
		expect(await client.reply()).toMatch(/^220 /);
		await client.closed();
		expect(client.output).not.toMatch(/^(?:354|503)/m);
		expect(mails).toEqual([]);
		expect(refused).toMatchObject([{stage: 'tls', reason: 'A TLS handshake was expected'}]);
	});

	test('STARTTLS with a parameter is rejected', async () => {
		const {port} = await startServer({tls: testTls()});
		expect(await (await RawClient.open(port)).say('STARTTLS now')).toMatch(/^501 /);
	});
});

describe('if TLS is required', () => {
	test('all mail commands are rejected until STARTTLS', async () => {
		const running = await startServer({tls: testTls('require')});
		const client = await RawClient.open(running.port);
		expect(client.output).not.toMatch(/AUTH/);
		for (const command of [
			'MAIL FROM:<a@b.test>',
			'RCPT TO:<a@b.test>',
			'DATA',
			'AUTH PLAIN AGEAYg==',
			'HELO a.test',
		]) {
			expect(await client.say(command)).toBe('530 5.7.0 Must issue a STARTTLS command first');
		}

		expect(await client.say('NOOP')).toMatch(/^250 /);
		expect(await client.say('STARTTLS')).toMatch(/^220 /);
		const secure = await client.startTls();
		expect(await secure.say('EHLO client.test')).toMatch(/AUTH/);
		await secure.beginMail();
		expect(await secure.say('.')).toMatch(/^250 /);
		expect(running.refused).toMatchObject([
			{stage: 'mail', reason: 'Must issue a STARTTLS command first'},
			{stage: 'auth'},
			{stage: 'connect'},
		]);
	});

	test('QUIT is accepted without TLS', async () => {
		const {port} = await startServer({tls: testTls('require')});
		expect(await (await RawClient.open(port)).say('QUIT')).toMatch(/^221 /);
	});
});

describe('a failed handshake is reported with a reason:', () => {
	test.each<{cause: string; options: tls.ConnectionOptions; reason: RegExp}>([
		{
			cause: 'an unknown authority',
			options: {servername: 'mail.test'},
			reason: /not trust the certificate; requested server name: mail/,
		},
		{
			cause: 'no common version',
			options: {...trusting, servername: 'old-tls.mail.test'},
			reason: /no TLS version in common; requested server name: old-tls\.mail\.test$/,
		},
		{
			cause: 'no common cipher',
			options: {...trusting, maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA'},
			reason: /no cipher or key/,
		},
	])('$cause', async ({options, reason}) => {
		const running = await startServer({tls: testTls()});
		for (const [index, mode] of both.entries()) {
			await expect(RawClient.openTls(running, mode, options)).rejects.toThrow();
			await vi.waitFor(() => expect(running.refused).toHaveLength(index + 1));
		}

		expect(running.refused).toEqual(
			both.map(mode => ({
				client: {host: '127.0.0.1', helo: mode === 'STARTTLS' ? 'client.test' : null},
				ids: {session: expect.any(String)},
				stage: 'tls',
				addresses: [null],
				reply: null,
				reason: expect.stringMatching(reason),
			})),
		);
	});

	test('a client that disconnects right after the handshake, but not one that sends QUIT', async () => {
		const {securePort, refused} = await startServer({tls: testTls()});
		const [client, other] = [
			await RawClient.connectTls(securePort, {...trusting, servername: 'mail.test'}),
			await RawClient.connectTls(securePort),
		];
		client.socket.destroy();
		await vi.waitFor(() =>
			expect(refused).toMatchObject([
				{
					stage: 'tls',
					reason: expect.stringMatching(/^the client disconnected right after .*; requested server name: mail\.test$/),
				},
			]),
		);
		await other.reply();
		await other.say('QUIT');
		await other.closed();
		expect(refused).toHaveLength(1);
	});

	test('plain text instead of a handshake', async () => {
		const {port, securePort, refused} = await startServer({tls: testTls()});
		const client = RawClient.connect(securePort);
		client.send('EHLO client.test\r\n');
		expect(await client.reply()).toBe('421 This port requires implicit TLS');
		await client.closed();
		const other = await RawClient.open(port);
		await other.say('STARTTLS');
		expect(await other.say('EHLO client.test')).toBe('421 A TLS handshake was expected');
		await other.closed();
		expect(refused.map(({stage}) => stage)).toEqual(['tls', 'tls']);
	});

	test('a client that waits for a greeting on the port for implicit TLS', async () => {
		const {securePort, refused} = await startServer({tls: testTls(), handshakeDeadlineMs: 50});
		const client = RawClient.connect(securePort);
		expect(await client.reply()).toBe('421 This port requires implicit TLS');
		expect(refused).toMatchObject([{stage: 'tls', reply: expect.stringMatching(/^421 /)}]);
	});

	test('a handshake on a port without implicit TLS', async () => {
		const {port, refused} = await startServer({tls: testTls()});
		await expect(RawClient.connectTls(port)).rejects.toThrow();
		await vi.waitFor(() =>
			expect(refused).toMatchObject([
				{stage: 'tls', addresses: [null], reason: 'This port does not support implicit TLS'},
			]),
		);
	});

	test('a handshake delayed by the server, with another reason than a silent client', async () => {
		const {certificates} = testTls();
		const contextFor = () => new Promise<never>(() => {});
		const tls = {...testTls(), certificates: {...certificates, contextFor}};
		const {securePort, refused} = await startServer({tls, handshakeDeadlineMs: 1000});
		await expect(RawClient.connectTls(securePort)).rejects.toThrow();
		expect(refused).toMatchObject([
			{stage: 'tls', reason: 'the handshake timed out; requested server name: mail.test'},
		]);
	});

	test('a handshake that times out', async () => {
		const running = await startServer({tls: testTls(), handshakeDeadlineMs: 100});
		const client = RawClient.connect(running.securePort);
		client.send('\x16\x03\x01\x02\x00\x01');
		await client.closed();
		expect(running.refused).toHaveLength(1);
	});
});

test('a client that disconnects before the handshake is not reported', async () => {
	const {port, securePort, refused} = await startServer({tls: testTls()});
	for (let turn = 0; turn < 3; turn++) {
		const client = RawClient.connect(securePort);
		await once(client.socket, 'connect');
		client.socket.destroy();
		const other = RawClient.connect(port);
		await other.reply();
		other.socket.destroy();
	}

	const last = await RawClient.connectTls(securePort);
	await last.reply();
	await last.say('QUIT');
	expect(refused).toEqual([]);
});
