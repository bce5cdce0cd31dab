import {createHmac} from 'node:crypto';
import {createTransport} from 'nodemailer';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import type {DaemonSettings} from '../../../src/config/settings.js';
import type {Inbox} from '../../../src/domain/mail/inbox.js';
import type {InboxCredentials} from '../../../src/services/inboxes/logins.js';
import {type Person, Tinbox} from '../../helpers/tinbox.js';
import {RawClient, startServer, testTls} from './test-server.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const plain = (user: string, password: string) => `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`;

/** Logs in with a mechanism. Resolves to the last reply; for a rejected token, this is the challenge with the error. */
const mechanisms: Readonly<Record<string, (client: RawClient, user: string, password: string) => Promise<string>>> = {
	PLAIN: async (client, user, password) => client.say(plain(user, password)),
	'PLAIN in two lines': async (client, user, password) => {
		expect(await client.say('auth plain')).toBe('334');
		return client.say(base64(`\0${user}\0${password}`));
	},
	LOGIN: async (client, user, password) => {
		expect(await client.say('AUTH LOGIN')).toBe(`334 ${base64('Username:')}`);
		expect(await client.say(base64(user))).toBe(`334 ${base64('Password:')}`);
		return client.say(base64(password));
	},
	'CRAM-MD5': async (client, user, password) => {
		const challenge = Buffer.from((await client.say('AUTH cram-md5')).slice(4), 'base64').toString();
		return client.say(base64(`${user} ${createHmac('md5', password).update(challenge).digest('hex')}`));
	},
	XOAUTH2: async (client, user, password) =>
		client.say(`AUTH XOAUTH2 ${base64(`user=${user}\x01auth=Bearer ${password}\x01\x01`)}`),
	OAUTHBEARER: async (client, user, password) => {
		expect(await client.say('AUTH OAUTHBEARER')).toBe('334');
		return client.say(base64(`n,a=${user},\x01host=localhost\x01port=25\x01auth=Bearer ${password}\x01\x01`));
	},
};

/** Acknowledges the error of a rejected token, and resolves to the final reply. */
async function acknowledgeError(client: RawClient, reply: string): Promise<string> {
	return reply.startsWith('334') ? client.say('') : reply;
}

const names = Object.keys(mechanisms);

async function logIn(client: RawClient, mechanism: string, user: string, password: string): Promise<string> {
	return acknowledgeError(client, (await mechanisms[mechanism]?.(client, user, password)) ?? '');
}

let tinbox: Tinbox;
let ann: Person;
let inbox: Inbox;
let credentials: InboxCredentials;

let now = Date.now();

/** Shares one tinbox among the tests of a `describe`. Each test has a new inbox and runs two minutes after the previous one. */
function shareTinbox(settings: Partial<DaemonSettings> = {}): void {
	beforeAll(async () => {
		tinbox = await Tinbox.open({settings, now: () => new Date(now)});
		ann = await tinbox.user('ann');
	});
	afterAll(async () => tinbox.close());
	beforeEach(async () => {
		now += 120_000;
		inbox = await create();
		credentials = await tinbox.services.logins.credentialsOf(inbox);
	});
}

async function create(fields: {ttlSeconds?: number; address?: string; routing?: 'recipients'} = {}): Promise<Inbox> {
	const all = {name: null, teamId: null, address: null, ttlSeconds: null, ...fields};
	return (await tinbox.services.inboxes.create(ann.user, all)).inbox;
}

const connect = async () => RawClient.open(tinbox.smtp.port);

async function refusals() {
	return tinbox.services.refusals.of(ann.user);
}

describe('AUTH with --smtp-auth any', () => {
	shareTinbox();

	test('announces all mechanisms', async () => {
		const client = RawClient.connect(tinbox.smtp.port);
		await client.reply();
		expect(await client.say('EHLO client.test')).toContain('AUTH PLAIN LOGIN CRAM-MD5 XOAUTH2 OAUTHBEARER\r\n');
	});

	test.each(names)('by %s accepts an inbox id or address and rejects a wrong password', async mechanism => {
		for (const user of [inbox.id, inbox.address, inbox.address.toUpperCase()]) {
			expect(await logIn(await connect(), mechanism, user, credentials.password)).toMatch(/^235 2\.7\.0 /);
			const client = await connect();
			expect(await logIn(client, mechanism, user, `${credentials.password}x`)).toBe(
				`535 5.7.8 <${user}>: wrong password for this inbox`,
			);
			expect(await logIn(client, mechanism, user, credentials.password)).toMatch(/^235 /);
		}
	});

	test.each(names)('by %s accepts any other user', async mechanism => {
		const client = await connect();
		expect(await logIn(client, mechanism, 'apikey', 'SG.x')).toMatch(/^235 /);
		await client.beginMail(inbox.address);
		expect(await client.say('Subject: x\r\n\r\n.')).toMatch(/^250 /);
		const [message] = await tinbox.services.messages.list(ann.user, inbox.id, {}, {page: 1, limit: 1});
		expect(message?.session?.auth).toEqual({mechanism: mechanism.split(' ')[0], user: 'apikey'});
	});

	test.each(names)('by %s rejects a deleted inbox', async mechanism => {
		await tinbox.services.inboxes.delete(ann.user, inbox.id);
		expect(await logIn(await connect(), mechanism, inbox.id, credentials.password)).toBe(
			`535 5.7.8 <${inbox.id}>: no such inbox`,
		);
	});

	test('accepts user names of mail services that look like inbox ids', async () => {
		const token = 'c8a1c1a4-3c0f-4ac1-9c5c-6d6a2a0f9c11';
		expect(await (await connect()).say(plain(token, token))).toMatch(/^235 /);
	});

	test('rejects the password of another inbox and a rotated password', async () => {
		const other = await create();
		expect(await (await connect()).say(plain(other.id, credentials.password))).toMatch(/^535 /);
		const {password} = await tinbox.services.logins.rotate(ann.user, inbox.id);
		expect(await (await connect()).say(plain(inbox.id, credentials.password))).toMatch(/^535 /);
		expect(await (await connect()).say(plain(inbox.id, password))).toMatch(/^235 /);
	});

	test('reports a rejected login only to users who can see the inbox', async () => {
		const bob = await tinbox.user('bob');
		await (await connect()).say(plain(inbox.id, 'hunter2'));
		expect((await refusals()).filter(({address}) => address === inbox.id)).toMatchObject([
			{
				stage: 'auth',
				address: inbox.id,
				reply: `535 5.7.8 <${inbox.id}>: wrong password for this inbox`,
				reason: 'wrong password for this inbox',
			},
		]);
		expect(JSON.stringify(await refusals())).not.toContain('hunter2');
		expect(await tinbox.services.refusals.of(bob.user)).toEqual([]);
	});

	test.each([
		['AUTH PLAIN !!!!', /^501 5\.5\.2 Invalid base64$/],
		['AUTH PLAIN abc', /^501 5\.5\.2 /],
		['AUTH OAUTHBEARER abcde', /^501 5\.5\.2 /],
		['AUTH PLAIN =', /^501 5\.5\.4 /],
		['AUTH LOGIN =', /^501 5\.5\.4 /],
		['AUTH XOAUTH2 =', /^501 5\.5\.4 /],
		[`AUTH PLAIN ${base64('ann')}`, /^501 5\.5\.4 /],
		[`AUTH PLAIN ${base64('\0ann\0x\0y')}`, /^501 5\.5\.4 /],
		[`AUTH PLAIN ${base64('\0an\nn\0x')}`, /^501 5\.5\.4 /],
		[`AUTH XOAUTH2 ${base64('user=ann\x01auth=Basic x\x01\x01')}`, /^501 5\.5\.4 /],
		[`AUTH XOAUTH2 ${base64('user=ann\x01auth=Bearer x')}`, /^501 5\.5\.4 /],
		[`AUTH OAUTHBEARER ${base64('user=ann\x01auth=Bearer x\x01\x01')}`, /^501 5\.5\.4 /],
		[`AUTH OAUTHBEARER ${base64('p=tls,,\x01auth=Bearer x\x01\x01')}`, /^501 5\.5\.4 /],
		['AUTH XOAUTH2 YQ== YQ==', /^501 5\.5\.4 /],
		['AUTH CRAM-MD5 YQ==', /^501 5\.5\.4 /],
		['AUTH GSSAPI', /^504 5\.5\.4 /],
		['AUTH', /^504 5\.5\.4 /],
		['AUTH __proto__', /^504 5\.5\.4 /],
	])('rejects the line %j and continues the session', async (line, reply) => {
		const client = await connect();
		expect(await client.say(line)).toMatch(reply);
		expect(await client.say(plain(credentials.username, credentials.password))).toMatch(/^235 /);
	});

	test.each(['PLAIN', 'LOGIN', 'CRAM-MD5', 'XOAUTH2', 'OAUTHBEARER'])(
		'by %s can be aborted with "*"',
		async mechanism => {
			const client = await connect();
			for (const [answer, reply] of [
				['*', /^501 5\.5\.4 Authentication aborted$/],
				['MAIL FROM:<app@example.test>', /^501 5\.5\.2 /],
			] as const) {
				expect(await client.say(`AUTH ${mechanism}`)).toMatch(/^334/);
				expect(await client.say(answer)).toMatch(reply);
			}

			expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
		},
	);

	test('accepts a token without a user name or with commas in it', async () => {
		const bearer = (start: string) => `AUTH OAUTHBEARER ${base64(`${start}\x01auth=Bearer x\x01\x01`)}`;
		expect(await (await connect()).say(bearer('n,,'))).toMatch(/^235 /);
		expect(await (await connect()).say(bearer('n,a=a=2Cb=3D,'))).toMatch(/^235 /);
	});

	test('ends only the session with an overlong line', async () => {
		const client = await connect();
		client.send(`AUTH PLAIN ${'A'.repeat(200_000)}\r\n`);
		await client.closed();
		expect(client.output).not.toContain('235');
		expect(await (await connect()).say(plain('ann', 'x'))).toMatch(/^235 /);
	});

	test('rejects a second login and a login during a mail transaction', async () => {
		const client = await connect();
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say(plain('ann', 'x'))).toMatch(/^503 5\.5\.1 /);
		await client.say('RSET');
		expect(await client.say(plain('ann', 'x'))).toMatch(/^235 /);
		for (const line of [plain('ann', 'x'), `AUTH XOAUTH2 ${base64('user=a\x01auth=Bearer x\x01\x01')}`]) {
			expect(await client.say(line)).toMatch(/^503 5\.5\.1 /);
		}
	});

	test('reports a rejected token in the format of its mechanism', async () => {
		const errorOf = async (mechanism: string) => {
			const reply = await mechanisms[mechanism]?.(await connect(), inbox.id, 'wrong');
			return JSON.parse(Buffer.from((reply ?? '').slice(4), 'base64').toString());
		};
		expect(await errorOf('XOAUTH2')).toMatchObject({status: '401', schemes: 'bearer'});
		expect(await errorOf('OAUTHBEARER')).toMatchObject({status: 'invalid_token'});
	});
});

describe('AUTH with --smtp-auth inbox', () => {
	shareTinbox({smtpAuth: 'inbox'});

	test('is required before mail and accepts only inboxes', async () => {
		const client = await connect();
		expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^530 5\.7\.0 /);
		for (const mechanism of names) {
			expect(await logIn(client, mechanism, 'apikey', 'x')).toBe('535 5.7.8 No inbox has this user name');
		}

		expect(await logIn(client, 'LOGIN', inbox.id, credentials.password)).toMatch(/^235 /);
		expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
	});
});

describe('AUTH with --smtp-auth user:password', () => {
	shareTinbox({smtpAuth: {user: 'joe', password: 'secret'}});

	test.each(names)('by %s accepts only the configured login and the logins of inboxes', async mechanism => {
		expect(await logIn(await connect(), mechanism, 'joe', 'secret')).toMatch(/^235 /);
		expect(await logIn(await connect(), mechanism, inbox.id, credentials.password)).toMatch(/^235 /);
		for (const [user, password] of [
			['joe', 'guess'],
			['ann', 'secret'],
			[inbox.id, 'secret'],
		] as const) {
			expect(await logIn(await connect(), mechanism, user, password)).toBe('535 5.7.8 Invalid user name or password');
		}
	});
});

describe('AUTH with --smtp-oauth reject', () => {
	shareTinbox({smtpOauth: 'reject'});

	test.each(['XOAUTH2', 'OAUTHBEARER'])('rejects every token of %s and accepts passwords', async mechanism => {
		const client = await connect();
		expect(await logIn(client, mechanism, inbox.id, credentials.password)).toBe('535 5.7.8 The token is not valid');
		expect(await logIn(client, mechanism, 'apikey', 'x')).toMatch(/^535 /);
		expect(await logIn(client, 'PLAIN', inbox.id, credentials.password)).toMatch(/^235 /);
	});
});

describe('AUTH with --smtp-oauth expired', () => {
	shareTinbox({smtpOauth: 'expired'});

	test.each(['XOAUTH2', 'OAUTHBEARER'])(
		'rejects the first token of %s every time and accepts the next one',
		async mechanism => {
			const client = await connect();
			for (const token of ['old', 'old']) {
				expect(await logIn(client, mechanism, `ann.${mechanism}`, token)).toBe('535 5.7.8 The token has expired');
			}

			expect(await logIn(client, mechanism, `ann.${mechanism}`, 'new')).toMatch(/^235 /);
			const other = await connect();
			expect(await logIn(other, mechanism, inbox.id, credentials.password)).toBe('535 5.7.8 The token has expired');
			expect(await logIn(other, mechanism, inbox.id, 'wrong')).toMatch(/wrong password for this inbox/);
			const {password} = await tinbox.services.logins.rotate(ann.user, inbox.id);
			expect(await logIn(other, mechanism, inbox.id, password)).toMatch(/^235 /);
		},
	);

	test('makes nodemailer renew its token', async () => {
		const renewals: boolean[] = [];
		const transport = createTransport({
			host: '127.0.0.1',
			port: tinbox.smtp.port,
			auth: {type: 'OAuth2', user: 'app@shop.test'},
		});
		transport.set('oauth2_provision_cb', (_user: string, renew: boolean, done: (e: null, token: string) => void) => {
			renewals.push(renew);
			done(null, renew ? 'new' : 'old');
		});
		await transport.sendMail({from: 'app@example.test', to: inbox.address, text: 'hi'});
		expect(renewals).toEqual([false, true]);
	});
});

describe('AUTH with --auth-needs-tls', () => {
	shareTinbox({authNeedsTls: true, smtpAuth: 'inbox'});

	test('is neither announced nor accepted without TLS', async () => {
		const client = RawClient.connect(tinbox.smtp.port);
		await client.reply();
		expect(await client.say('EHLO client.test')).not.toContain('AUTH');
		for (const mechanism of ['PLAIN', 'XOAUTH2']) {
			expect(await client.say(`AUTH ${mechanism}`)).toMatch(/^538 5\.7\.11 /);
		}

		expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^530 5\.7\.0 /);
	});
});

test.each(['STARTTLS', 'implicit'] as const)('AUTH with --auth-needs-tls is accepted with TLS by %s', async mode => {
	const running = await startServer({tls: testTls(), auth: {needsTls: true}});
	expect((await RawClient.open(running.port)).output).not.toContain('AUTH');
	for (const mechanism of names) {
		const client = await RawClient.openTls(running, mode);
		expect(client.output).toContain('AUTH PLAIN');
		expect(await logIn(client, mechanism, 'ann', 'x')).toMatch(/^235 /);
		await client.beginMail();
		expect(await client.say('Subject: x\r\n\r\n.')).toMatch(/^250 /);
		const {tls, auth} = running.sessions.at(-1) ?? {};
		expect([tls?.version, auth]).toEqual(['TLSv1.3', {mechanism: mechanism.split(' ')[0], user: 'ann'}]);
	}
});

describe('the limit of failed logins', () => {
	shareTinbox();

	async function failTenTimes(): Promise<void> {
		const client = await connect();
		for (let failures = 0; failures < 10; failures++) {
			expect(await client.say(plain(inbox.id, 'wrong'))).toMatch(/^535 /);
		}
	}

	test('ends a session with a wrong password after ten failures at one address, and accepts the right password', async () => {
		await failTenTimes();
		const client = await connect();
		expect(await client.say(plain(inbox.id, 'wrong'))).toMatch(/^421 4\.7\.0 /);
		await client.closed();
		const [last] = tinbox.services.refusals.latest(1);
		expect(last).toMatchObject({stage: 'auth', address: null, reply: expect.stringMatching(/^421 4\.7\.0 /)});
		expect(await (await connect()).say(plain(inbox.id, credentials.password))).toMatch(/^235 /);
		// Any program can use all loopback addresses, so they count as one.
		const elsewhere = await RawClient.open(tinbox.smtp.port, '127.0.0.2');
		expect(await elsewhere.say(plain(inbox.id, 'wrong'))).toMatch(/^421 /);
		now += 60_001;
		expect(await (await connect()).say(plain(inbox.id, 'wrong'))).toMatch(/^535 /);
	});

	test('applies to all users at the address, and a correct login does not reset it', async () => {
		await failTenTimes();
		const other = await create();
		const {username, password} = await tinbox.services.logins.credentialsOf(other);
		expect(await (await connect()).say(plain(username, password))).toMatch(/^235 /);
		expect(await (await connect()).say(plain(username, 'wrong'))).toMatch(/^421 /);
		expect(await logIn(await connect(), 'XOAUTH2', inbox.id, 'wrong')).toMatch(/^421 4\.7\.0 /);
	});
});

describe('a session with an inbox login', () => {
	shareTinbox();

	async function send(client: RawClient, ...recipients: readonly string[]): Promise<void> {
		await client.say('MAIL FROM:<app@example.test>');
		for (const to of recipients) {
			expect(await client.say(`RCPT TO:<${to}>`)).toMatch(/^250 /);
		}

		await client.say('DATA');
		expect(await client.say(`From: a@b.test\r\nSubject: ${recipients.join(' ')}\r\n\r\n.`)).toMatch(/^250 /);
	}

	const page = {page: 1, limit: 100};
	const messagesOf = async (of: Inbox, filter = {}) => tinbox.services.messages.list(ann.user, of.id, filter, page);

	test('delivers mail for any recipients once to this inbox', async () => {
		const other = await create();
		const client = await connect();
		await client.say(plain(credentials.username, credentials.password));
		await send(client, other.address, 'customer@shop.example', 'bcc@shop.example');
		expect(await messagesOf(other)).toEqual([]);
		expect(await messagesOf(inbox)).toMatchObject([
			{
				to: other.address,
				envelope: {to: [other.address, 'customer@shop.example', 'bcc@shop.example']},
				session: {
					tls: null,
					auth: {mechanism: 'PLAIN', user: inbox.id},
					client: {host: '127.0.0.1', helo: 'client.test'},
				},
			},
		]);
	});

	test('delivers mail that each of its recipients matches in a filter', async () => {
		const client = await connect();
		await client.say(plain(credentials.username, credentials.password));
		await send(client, 'one@shop.example', 'two@shop.example');
		for (const [to, count] of [
			['one@shop.example', 1],
			['two@shop.example', 1],
			['/^two@/', 1],
			['three@shop.example', 0],
		] as const) {
			expect(await messagesOf(inbox, {to, match: 'pattern'})).toHaveLength(count);
		}
	});

	test('delivers mail to its recipients if the inbox has the routing "recipients"', async () => {
		const other = await create();
		await tinbox.services.inboxes.update(ann.user, inbox.id, {routing: 'recipients'});
		const client = await connect();
		await client.say(plain(credentials.username, credentials.password));
		await send(client, other.address);
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say('RCPT TO:<customer@shop.example>')).toMatch(/^550 5\.1\.1 /);
		expect([await messagesOf(inbox), await messagesOf(other)].map(({length}) => length)).toEqual([0, 1]);
	});

	test('gets a negative reply to DATA after the inbox expired', async () => {
		const expiring = await create({ttlSeconds: 60});
		const {username, password} = await tinbox.services.logins.credentialsOf(expiring);
		const client = await connect();
		expect(await client.say(plain(username, password))).toMatch(/^235 /);
		await client.say('MAIL FROM:<app@example.test>');
		await client.say('RCPT TO:<customer@shop.example>');
		now += 60_000;
		await client.say('DATA');
		expect(await client.say('Subject: x\r\n\r\n.')).toMatch(/^550 5\.2\.1 /);
		expect(await (await connect()).say(plain(username, password))).toMatch(/^535 /);
	});

	test.each(['PLAIN', 'CRAM-MD5', 'XOAUTH2'])(
		'by %s gets a negative reply to MAIL after the password was rotated',
		async mechanism => {
			const client = await connect();
			expect(await logIn(client, mechanism, credentials.username, credentials.password)).toMatch(/^235 /);
			expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
			await client.say('RSET');
			await tinbox.services.logins.rotate(ann.user, inbox.id);
			expect(await client.say('MAIL FROM:<app@example.test>')).toBe(
				'530 5.7.0 The password of this inbox has changed; reconnect and log in again',
			);
		},
	);

	test.each(['RCPT', 'DATA'])('gets a negative reply to %s after the inbox was deleted', async stage => {
		const client = await connect();
		await client.say(plain(credentials.username, credentials.password));
		await client.say('MAIL FROM:<app@example.test>');
		const rcpt = async () => client.say('RCPT TO:<customer@shop.example>');
		const data = async () => {
			await client.say('DATA');
			return client.say('Subject: x\r\n\r\n.');
		};
		if (stage === 'DATA') {
			await rcpt();
		}

		await tinbox.services.inboxes.delete(ann.user, inbox.id);
		expect(await (stage === 'RCPT' ? rcpt() : data())).toBe('550 5.2.1 The inbox of this login was deleted.');
	});
});

describe('nodemailer', () => {
	shareTinbox({smtpAuth: 'inbox'});

	test.each(['PLAIN', 'LOGIN', 'CRAM-MD5'])('logs in by %s', async authMethod => {
		const {username: user, password: pass} = credentials;
		const transport = createTransport({host: '127.0.0.1', port: tinbox.smtp.port, authMethod, auth: {user, pass}});
		await transport.sendMail({from: 'app@example.test', to: 'customer@shop.example', text: 'hi'});
		const [message] = await tinbox.services.messages.list(ann.user, inbox.id, {}, {page: 1, limit: 9});
		expect(message?.session?.auth).toEqual({mechanism: authMethod, user});
	});

	test('logs in by XOAUTH2 and with credentials in a URL', async () => {
		const {username: user, password: accessToken} = credentials;
		const {port} = tinbox.smtp;
		const url = `smtp://${user}:${accessToken}@127.0.0.1:${port}`;
		for (const transport of [
			createTransport({host: '127.0.0.1', port, auth: {type: 'OAuth2', user, accessToken}}),
			createTransport(url),
		]) {
			await transport.sendMail({from: 'app@example.test', to: 'customer@shop.example', text: 'hi'});
		}

		expect(await tinbox.services.messages.list(ann.user, inbox.id, {}, {page: 1, limit: 9})).toHaveLength(2);
	});
});
