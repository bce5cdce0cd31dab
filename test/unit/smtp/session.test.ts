import {connect} from 'node:net';
import fc from 'fast-check';
import {createTransport} from 'nodemailer';
import {expect, onTestFinished, test, vi} from 'vitest';
import {AppError, type ErrorCode} from '../../../src/domain/errors.js';
import {RawClient, startServer} from './test-server.js';

test('the server greets immediately and once', async () => {
	const {port} = await startServer();
	const client = RawClient.connect(port);
	expect(await client.reply()).toBe('220 tinbox.test ESMTP');
	expect(await client.say('QUIT')).toBe('221 2.0.0 Bye');
	await client.closed();
	expect(client.output.match(/^220 /gm)).toHaveLength(1);
});

test('a client that sends before the greeting is served normally', async () => {
	const {port, mails} = await startServer();
	const client = RawClient.connect(port);
	client.send(
		'EHLO client.test\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\nSubject: early\r\n\r\n.\r\nQUIT\r\n',
	);
	await client.closed();
	expect(client.output.match(/^\d{3} /gm)?.map(code => code.trim())).toEqual([
		'220',
		'250',
		'250',
		'250',
		'354',
		'250',
		'221',
	]);
	expect(mails).toEqual([
		{envelope: {from: 'a@example.test', to: ['b@tinbox.test']}, source: 'Subject: early\r\n\r\n'},
	]);
});

test('EHLO lists the extensions, without STARTTLS if there is no certificate', async () => {
	const {port} = await startServer();
	const client = RawClient.connect(port);
	await client.reply();
	expect(await client.say('EHLO client.test')).toBe(
		[
			'250-tinbox.test greets you',
			'250-PIPELINING',
			'250-8BITMIME',
			'250-SMTPUTF8',
			'250-ENHANCEDSTATUSCODES',
			'250-DSN',
			'250-AUTH PLAIN LOGIN CRAM-MD5 XOAUTH2 OAUTHBEARER',
			'250 SIZE 100000',
		].join('\r\n'),
	);
	expect(await client.say('STARTTLS')).toMatch(/^500 /);
	expect(await client.say('VRFY joe@tinbox.test')).toMatch(/^252 /);
});

test('several mails of nodemailer on one connection are stored with their envelopes', async () => {
	const {port, mails} = await startServer();
	const transport = createTransport({host: '127.0.0.1', port, secure: false, pool: true, maxConnections: 1});
	onTestFinished(() => transport.close());
	for (const subject of ['one', 'two', 'three']) {
		await transport.sendMail({
			from: 'app@example.test',
			to: 'joe@tinbox.test',
			bcc: 'ann@tinbox.test',
			subject,
			text: 'hi',
		});
	}

	expect(mails.map(({envelope}) => envelope)).toEqual(
		Array(3).fill({from: 'app@example.test', to: ['joe@tinbox.test', 'ann@tinbox.test']}),
	);
	expect(mails[2]?.source).toMatch(/^From: app@example\.test\r\n[\s\S]*Subject: three\r\n[\s\S]*\r\nhi\r\n$/);
});

test('a UTF-8 address and the empty sender are accepted', async () => {
	const {port, mails} = await startServer();
	const client = await RawClient.open(port);
	expect(await client.say('MAIL FROM:<> SMTPUTF8 BODY=8BITMIME')).toMatch(/^250 /);
	client.send(Buffer.from('RCPT TO:<zoë@tinbox.test>\r\n'));
	expect(await client.reply()).toMatch(/^250 /);
	await client.say('DATA');
	expect(await client.say('Subject: x\r\n\r\nx\r\n.')).toBe('250 2.6.0 Stored');
	expect(mails[0]?.envelope).toEqual({from: '', to: ['zoë@tinbox.test']});
});

test('a recipient without an inbox is rejected by name, and the others get the mail', async () => {
	const {port, mails} = await startServer();
	const client = await RawClient.open(port);
	await client.say('MAIL FROM:<app@example.test>');
	expect(await client.say('RCPT TO:<nobody@tinbox.test>')).toBe('550 5.1.1 <nobody@tinbox.test>: no such inbox');
	expect(await client.say('DATA')).toMatch(/^503 /);
	expect(await client.say('RCPT TO:<joe@tinbox.test>')).toMatch(/^250 /);
	await client.say('DATA');
	expect(await client.say('Subject: x\r\n\r\n.')).toMatch(/^250 /);
	expect(mails.map(({envelope}) => envelope.to)).toEqual([['joe@tinbox.test']]);
});

test.each<{code: ErrorCode; reply: string}>([
	{code: 'storage_full', reply: '452 4.3.1 It is full.'},
	{code: 'not_found', reply: '550 5.1.1 It is full.'},
	{code: 'unavailable', reply: '451 4.3.0 It is full.'},
	{code: 'rate_limited', reply: '450 4.2.1 It is full.'},
	{code: 'forbidden', reply: '554 5.6.0 It is full.'},
])('a delivery that fails with $code is answered after the data, and the session continues', async ({code, reply}) => {
	let failures = 1;
	const {port, logged} = await startServer(
		{},
		{
			async deliver(_envelope, _session, source) {
				if (failures-- > 0) {
					source.destroy();
					throw new AppError(code, 'It is full.');
				}

				await source.forEach(() => {});
			},
		},
	);
	const client = await RawClient.open(port);
	await client.beginMail();
	client.send('Subject: x\r\n\r\nMAIL FROM:<smuggled@example.test>\r\n');
	await vi.waitFor(() => expect(failures).toBe(0));
	expect(await client.say('.')).toBe(reply);
	await client.beginMail();
	expect(await client.say('Subject: y\r\n\r\n.')).toBe('250 2.6.0 Stored');
	expect(client.output).not.toMatch(/^503/m);
	expect(logged).toEqual([]);
});

test('a delivery that fails without reading the mail does not end the session', async () => {
	const {port} = await startServer(
		{},
		{deliver: async () => Promise.reject(new AppError('storage_full', 'It is full.'))},
	);
	const client = await RawClient.open(port);
	for (let mail = 0; mail < 2; mail++) {
		await client.beginMail();
		expect(await client.say(`Subject: x\r\n\r\n${'x'.repeat(70_000)}\r\n.`)).toBe('452 4.3.1 It is full.');
	}
});

test('an unexpected error is answered with 451 and logged', async () => {
	const error = new TypeError('x is not a function');
	const {port, logged} = await startServer({}, {deliver: async () => Promise.reject(error)});
	const client = await RawClient.open(port);
	await client.beginMail();
	expect(await client.say('Subject: x\r\n\r\n.')).toBe('451 4.3.0 Internal error; try again later');
	expect(logged).toEqual([
		{
			level: 'error',
			message: 'Receiving mail failed unexpectedly',
			fields: {session: expect.any(String), err: error},
		},
	]);
});

test('an error while a recipient is resolved determines the reply', async () => {
	const {port} = await startServer(
		{},
		{acceptRecipient: async () => Promise.reject(new AppError('stopping', 'It stops.'))},
	);
	const client = await RawClient.open(port);
	await client.say('MAIL FROM:<app@example.test>');
	expect(await client.say('RCPT TO:<joe@tinbox.test>')).toBe('421 4.4.2 It stops.');
	await client.closed();
});

test('a mail is delivered with the state of its session at DATA', async () => {
	const {port, sessions} = await startServer();
	const client = await RawClient.open(port);
	const base64 = (text: string) => Buffer.from(text).toString('base64');
	const sendMail = async () => {
		await client.beginMail();
		expect(await client.say('Subject: x\r\n\r\n.')).toMatch(/^250 /);
	};
	await sendMail();
	await sendMail();
	expect(sessions.pop(), 'a mail with the same session state').toBe(sessions[0]);
	await client.say('EHLO Worker.test');
	await client.say('AUTH LOGIN');
	await client.say(base64('ann'.repeat(200)));
	expect(await client.say(base64('secret'))).toMatch(/^235 /);
	await sendMail();
	expect(sessions).toEqual([
		{tls: null, auth: null, client: {host: '127.0.0.1', helo: 'client.test'}},
		{
			tls: null,
			auth: {mechanism: 'LOGIN', user: `${'ann'.repeat(200).slice(0, 319)}…`},
			client: {host: '127.0.0.1', helo: 'worker.test'},
		},
	]);
});

test('the bytes of a mail are unchanged except for dot-stuffing', async () => {
	const {port, mails} = await startServer();
	const client = await RawClient.open(port);
	const sent = 'No header: here\r\n\r\n..one\r\n...two\r\n.\u00e9three\r\nbare\nlf\rcr\0nul \u00ff\r\n';
	await client.beginMail();
	expect(await client.say(`${sent}.`)).toMatch(/^250 /);
	expect(mails[0]?.source).toBe(sent.replace('..one', '.one').replace('...two', '..two'));
});

test('an HTTP request is rejected', async () => {
	const {port} = await startServer();
	const client = RawClient.connect(port);
	client.send('POST / HTTP/1.1\r\nHost: localhost\r\n\r\nEHLO x\r\n');
	await client.closed();
	expect(client.output).toBe('220 tinbox.test ESMTP\r\n421 4.4.2 HTTP requests not allowed\r\n');
});

test('starting the server fails if the port is in use', async () => {
	const {port} = await startServer();
	await expect(startServer({port})).rejects.toMatchObject({code: 'EADDRINUSE'});
	connect(port, '127.0.0.1').destroy();
});

test('punycode domains are decoded, and invalid punycode is unchanged', async () => {
	const {port, mails} = await startServer();
	const client = RawClient.connect(port);
	await client.reply();
	await client.say('EHLO client.test');
	await client.say('MAIL FROM:<a@xn--bcher-kva.test>');
	for (const to of [
		'b@xn--bcher-kva.test',
		'b@xn--shop-.test',
		'@relay.test,@xn--shop-.test:b@Shop.test',
		'postmaster',
	]) {
		expect(await client.say(`RCPT TO:<${to}> ORCPT=rfc822;a@b.test>`)).toBe('250 2.1.5 Accepted');
	}

	await client.say('DATA');
	await client.say('Subject: readable\r\n\r\n.');
	expect(mails.map(({envelope: {from, to}}) => ({from, to}))).toEqual([
		{from: 'a@bücher.test', to: ['b@bücher.test', 'b@xn--shop-.test', 'b@Shop.test', 'postmaster']},
	]);
});

test('an address is read the same by the fast path and by the library', async () => {
	const checkedAddresses: string[] = [];
	const acceptRecipient = async (address: string) => checkedAddresses.push(address) > 0;
	const {port} = await startServer({maxRecipients: 10_000}, {acceptRecipient});
	const client = await RawClient.open(port);
	await client.say('MAIL FROM:<app@example.test>');
	const letter = fc.constantFrom('a', 'B', '1', '.', '-', '_', '+', '@', 'xn--', 'XN--bcher-kva', 'shop-', '"', 'ß');
	const addresses = fc.array(letter, {maxLength: 8}).map(letters => `a@${letters.join('')}`);
	await fc.assert(
		fc.asyncProperty(addresses, async address => {
			checkedAddresses.length = 0;
			// The space before the address bypasses the fast path.
			const replies = [await client.say(`RCPT TO:<${address}>`), await client.say(`rcpt to: <${address}>`)];
			expect(replies[0]).toBe(replies[1]);
			expect(checkedAddresses[0]).toBe(checkedAddresses[1]);
		}),
	);
});

test.each(['<"a@evil.test> "@shop.test>', '<x@evil.test> <signup@shop.test>', '<"a@evil.test> SIZE=1"@shop.test>'])(
	'an ambiguous recipient is rejected: %s',
	async to => {
		const {port} = await startServer();
		const client = await RawClient.open(port);
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say(`RCPT TO:${to}`)).toBe('501 5.1.3 Error: Bad recipient address syntax');
		expect(await client.say('RCPT TO:<"a\\"b"@shop.test> NOTIFY=NEVER')).toBe('250 2.1.5 Accepted');
	},
);
