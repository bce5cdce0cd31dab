import {createTransport} from 'nodemailer';
import {expect, test, vi} from 'vitest';
import {RawClient, startServer} from './smtp-test.js';

test('a mail declared too large is refused before it is sent', async () => {
	const {port} = await startServer({maxMessageSize: 1000});
	const client = await RawClient.greeted(port);
	expect(await client.say('MAIL FROM:<app@example.test> SIZE=1001')).toMatch(/^552 5\.3\.4 /);
	expect(await client.say('MAIL FROM:<app@example.test> SIZE=1000')).toMatch(/^250 /);
});

test('a mail that turns out too large is refused, and its delivery is given up at once', async () => {
	const failures: unknown[] = [];
	const {port} = await startServer(
		{maxMessageSize: 1000},
		{
			async deliver(_envelope, source) {
				await source.forEach(() => {}).catch(error => failures.push(error));
			},
		},
	);
	const client = await RawClient.greeted(port);
	await client.beginMail();
	client.send('x'.repeat(3000));
	await vi.waitFor(() => expect(failures).toEqual([expect.objectContaining({code: 'too_large'})]));
	expect(client.heard).not.toContain('552');
	expect(await client.say('\r\n.')).toMatch(/^552 5\.3\.4 /);
	expect(await client.say('NOOP')).toMatch(/^250 /);
});

test('a mail of exactly the largest size is taken, and one byte more is not', async () => {
	const {port, mails} = await startServer({maxMessageSize: 100});
	const client = await RawClient.greeted(port);
	await client.beginMail();
	expect(await client.say(`${'x'.repeat(98)}\r\n.`)).toMatch(/^250 /);
	await client.beginMail();
	expect(await client.say(`${'x'.repeat(99)}\r\n.`)).toMatch(/^552 /);
	expect(mails.map(({source}) => source.length)).toEqual([100]);
});

test('one recipient too many is put off, and the mail goes to the others', async () => {
	const {port, mails} = await startServer({maxRecipients: 2});
	const client = await RawClient.greeted(port);
	await client.say('MAIL FROM:<app@example.test>');
	await client.say('RCPT TO:<a@tinbox.test>');
	await client.say('RCPT TO:<b@tinbox.test>');
	expect(await client.say('RCPT TO:<c@tinbox.test>')).toMatch(/^452 4\.5\.3 /);
	await client.say('DATA');
	expect(await client.say('.')).toMatch(/^250 /);
	expect(mails[0]?.envelope.to).toEqual(['a@tinbox.test', 'b@tinbox.test']);
});

test('a recipient that is to come in another mail is put off, and each mail is another one', async () => {
	const asked: object[] = [];
	const {port, mails} = await startServer(
		{},
		{
			async accepts(_address, mail) {
				asked.push(mail);
				return asked.filter(other => other === mail).length === 1 || 'later';
			},
		},
	);
	const client = await RawClient.greeted(port);
	for (const reset of ['DATA', 'RSET', 'NOOP']) {
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say('RCPT TO:<a@tinbox.test>')).toMatch(/^250 /);
		expect(await client.say('RCPT TO:<b@tinbox.test>')).toMatch(/^452 4\.5\.3 Too many recipients/);
		await client.say(reset);
		expect(await client.say(reset === 'DATA' ? '.' : 'NOOP')).toMatch(/^250 /);
	}

	expect(mails.map(({envelope}) => envelope.to)).toEqual([['a@tinbox.test']]);
});

test('as many connections as allowed are served, the next is told to come again', async () => {
	const {port} = await startServer({maxConnections: 3});
	const clients = [1, 2, 3].map(() => RawClient.connect(port));
	for (const client of clients) {
		expect(await client.reply()).toMatch(/^220 /);
	}

	const refused = RawClient.connect(port);
	expect(await refused.reply()).toBe(
		'421 tinbox.test At most 3 SMTP connections are taken. ' +
			'Try again later, or have the daemon started with a larger --max-connections.',
	);
	await refused.ended();
	await clients[0]?.say('QUIT');
	const next = RawClient.connect(port);
	expect(await next.reply()).toMatch(/^220 /);
});

test('a session that has been silent makes room for another, the one that was silent longest first', async () => {
	const {port} = await startServer({maxConnections: 2, silentMs: 0});
	const busy = await RawClient.greeted(port);
	await busy.beginMail();
	const [first, second] = [await RawClient.greeted(port), RawClient.connect(port)];
	expect(await second.reply()).toMatch(/^220 /);
	await first.ended();
	expect(first.heard).toMatch(/421 4\.4\.2 Room is needed for others\r\n$/);
	expect(await busy.say('.')).toMatch(/^250 /);
	expect(await second.say('EHLO second.test')).toMatch(/^250/);
});

test.each(['a command', 'a mail'])('a client that drips %s byte by byte is let go of', async what => {
	const {port, mails} = await startServer({sessionDeadlineMs: 200});
	const client = await RawClient.greeted(port);
	if (what === 'a mail') {
		await client.beginMail();
	}

	const drip = setInterval(() => client.send('x'), 10);
	await client.ended().finally(() => clearInterval(drip));
	expect(client.heard).toMatch(/421 4\.4\.2 The session took too long\r\n$/);
	expect(mails).toEqual([]);
});

test('a client whose mail keeps the server busy is not let go of', async () => {
	const {port} = await startServer(
		{sessionDeadlineMs: 20, idleTimeoutMs: 20},
		{
			async deliver(_envelope, source) {
				await source.forEach(() => {});
				// One that came later is let go of first.
				await RawClient.connect(port).ended();
			},
		},
	);
	const client = RawClient.connect(port);
	client.send('EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\nSubject: x\r\n\r\n.\r\n');
	await client.ended();
	expect(client.heard).toContain('250 2.6.0 Stored');
});

test('a silent client is let go of', async () => {
	const {port} = await startServer({idleTimeoutMs: 50});
	const client = RawClient.connect(port);
	await client.ended();
	expect(client.heard).toMatch(/\r\n421 /);
});

test('mail is taken with and without credentials when none are asked for', async () => {
	const {port, mails} = await startServer();
	for (const auth of [{user: 'anybody', pass: 'anything'}, undefined]) {
		const transport = createTransport({host: '127.0.0.1', port, secure: false, ...(auth && {auth})});
		await transport.sendMail({from: 'app@example.test', to: 'joe@tinbox.test', text: 'hi'});
	}

	expect(mails).toHaveLength(2);
});

test('mail is refused without the right credentials when some are asked for', async () => {
	const {port} = await startServer({login: {user: 'joe', password: 'secret'}});
	const client = await RawClient.greeted(port);
	const plain = (user: string, password: string) => Buffer.from(`\0${user}\0${password}`).toString('base64');
	expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^530 5\.7\.0 /);
	expect(await client.say(`AUTH PLAIN ${plain('joe', 'guess')}`)).toBe('535 5.7.8 These credentials are not valid');
	expect(await client.say(`AUTH PLAIN ${plain('ann', 'secret')}`)).toMatch(/^535 /);
	expect(await client.say('AUTH LOGIN')).toMatch(/^334 /);
	expect(await client.say(Buffer.from('joe').toString('base64'))).toMatch(/^334 /);
	expect(await client.say(Buffer.from('secret').toString('base64'))).toMatch(/^235 /);
	expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
});
