import {createHmac} from 'node:crypto';
import {createTransport} from 'nodemailer';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import type {DaemonSettings} from '../../../src/config/settings.js';
import type {Inbox} from '../../../src/domain/mail/inbox.js';
import type {InboxCredentials} from '../../../src/services/inboxes/logins.js';
import {type Person, Tinbox} from '../../helpers/tinbox.js';
import {RawClient, startServer} from './smtp-test.js';
import {testTls} from './tls-test.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const plain = (user: string, password: string) => `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`;

/** Says what a mechanism has to be told, and gives the last reply; for those with tokens, with what was said of the token. */
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

/** What becomes of a token that is refused: the client hears why, takes note, and is told so. */
async function settled(client: RawClient, reply: string): Promise<string> {
	return reply.startsWith('334') ? client.say('') : reply;
}

const names = Object.keys(mechanisms);

async function logIn(client: RawClient, mechanism: string, user: string, password: string): Promise<string> {
	return settled(client, (await mechanisms[mechanism]?.(client, user, password)) ?? '');
}

let tinbox: Tinbox;
let ann: Person;
let inbox: Inbox;
let credentials: InboxCredentials;

let now = Date.now();

/** Has the tests around it run on one tinbox: each with an inbox of its own, and minutes after the one before. */
function share(settings: Partial<DaemonSettings> = {}): void {
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

async function create(fields: {ttlSeconds?: number; claim?: string; routing?: 'recipients'} = {}): Promise<Inbox> {
	const all = {name: null, teamId: null, claim: null, ttlSeconds: null, ...fields};
	return (await tinbox.services.inboxes.create(ann.user, all)).inbox;
}

const connect = async () => RawClient.greeted(tinbox.smtp.port);

async function refusals() {
	return tinbox.services.refusals.of(ann.user);
}

describe('with --smtp-auth any', () => {
	share();

	test('AUTH announces all mechanisms', async () => {
		const client = RawClient.connect(tinbox.smtp.port);
		await client.reply();
		expect(await client.say('EHLO client.test')).toContain('AUTH PLAIN LOGIN CRAM-MD5 XOAUTH2 OAUTHBEARER\r\n');
	});

	test.each(names)('%s accepts an inbox by id and by address, and rejects another password', async mechanism => {
		for (const user of [inbox.id, inbox.address, inbox.address.toUpperCase()]) {
			expect(await logIn(await connect(), mechanism, user, credentials.password)).toMatch(/^235 2\.7\.0 /);
			const client = await connect();
			expect(await logIn(client, mechanism, user, `${credentials.password}x`)).toBe(
				`535 5.7.8 <${user}>: wrong password for this inbox`,
			);
			expect(await logIn(client, mechanism, user, credentials.password)).toMatch(/^235 /);
		}
	});

	test.each(names)('%s accepts any other user', async mechanism => {
		const client = await connect();
		expect(await logIn(client, mechanism, 'apikey', 'SG.x')).toMatch(/^235 /);
		await client.beginMail(inbox.address);
		expect(await client.say('Subject: x\r\n\r\n.')).toMatch(/^250 /);
		const [message] = await tinbox.services.messages.list(ann.user, inbox.id, {}, {page: 1, limit: 1});
		expect(message?.session?.auth).toEqual({mechanism: mechanism.split(' ')[0], user: 'apikey'});
	});

	test.each(names)('%s rejects an inbox that was deleted or expired', async mechanism => {
		await tinbox.services.inboxes.delete(ann.user, inbox.id);
		expect(await logIn(await connect(), mechanism, inbox.id, credentials.password)).toBe(
			`535 5.7.8 <${inbox.id}>: no such inbox`,
		);
	});

	test('user names of mail services that look like ids are not taken for inboxes', async () => {
		const token = 'c8a1c1a4-3c0f-4ac1-9c5c-6d6a2a0f9c11';
		expect(await (await connect()).say(plain(token, token))).toMatch(/^235 /);
	});

	test('the password of one inbox does not open another, and a rotated one opens none', async () => {
		const other = await create();
		expect(await (await connect()).say(plain(other.id, credentials.password))).toMatch(/^535 /);
		const {password} = await tinbox.services.logins.rotate(ann.user, inbox.id);
		expect(await (await connect()).say(plain(inbox.id, credentials.password))).toMatch(/^535 /);
		expect(await (await connect()).say(plain(inbox.id, password))).toMatch(/^235 /);
	});

	test('a rejected login is reported only to users who can see the inbox', async () => {
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
	])('%j is answered, and the session goes on', async (line, reply) => {
		const client = await connect();
		expect(await client.say(line)).toMatch(reply);
		expect(await client.say(plain(credentials.username, credentials.password))).toMatch(/^235 /);
	});

	test.each(['PLAIN', 'LOGIN', 'CRAM-MD5', 'XOAUTH2', 'OAUTHBEARER'])('%s is aborted with "*"', async mechanism => {
		const client = await connect();
		for (const [answer, reply] of [
			['*', /^501 5\.5\.4 Authentication aborted$/],
			['MAIL FROM:<app@example.test>', /^501 5\.5\.2 /],
		] as const) {
			expect(await client.say(`AUTH ${mechanism}`)).toMatch(/^334/);
			expect(await client.say(answer)).toMatch(reply);
		}

		expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
	});

	test('a token may have no user name, or one with commas', async () => {
		const bearer = (start: string) => `AUTH OAUTHBEARER ${base64(`${start}\x01auth=Bearer x\x01\x01`)}`;
		expect(await (await connect()).say(bearer('n,,'))).toMatch(/^235 /);
		expect(await (await connect()).say(bearer('n,a=a=2Cb=3D,'))).toMatch(/^235 /);
	});

	test('a line that is too long ends its session and no other', async () => {
		const client = await connect();
		client.send(`AUTH PLAIN ${'A'.repeat(200_000)}\r\n`);
		await client.ended();
		expect(client.heard).not.toContain('235');
		expect(await (await connect()).say(plain('ann', 'x'))).toMatch(/^235 /);
	});

	test('a second login and a login during a mail transaction are rejected', async () => {
		const client = await connect();
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say(plain('ann', 'x'))).toMatch(/^503 5\.5\.1 /);
		await client.say('RSET');
		expect(await client.say(plain('ann', 'x'))).toMatch(/^235 /);
		for (const line of [plain('ann', 'x'), `AUTH XOAUTH2 ${base64('user=a\x01auth=Bearer x\x01\x01')}`]) {
			expect(await client.say(line)).toMatch(/^503 5\.5\.1 /);
		}
	});

	test('a rejected token is explained in the format of its mechanism', async () => {
		const told = async (mechanism: string) => {
			const reply = await mechanisms[mechanism]?.(await connect(), inbox.id, 'wrong');
			return JSON.parse(Buffer.from((reply ?? '').slice(4), 'base64').toString());
		};
		expect(await told('XOAUTH2')).toMatchObject({status: '401', schemes: 'bearer'});
		expect(await told('OAUTHBEARER')).toMatchObject({status: 'invalid_token'});
	});
});

describe('with --smtp-auth inbox', () => {
	share({smtpAuth: 'inbox'});

	test('mail requires the login of an inbox', async () => {
		const client = await connect();
		expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^530 5\.7\.0 /);
		for (const mechanism of names) {
			expect(await logIn(client, mechanism, 'apikey', 'x')).toBe('535 5.7.8 No inbox has this user name');
		}

		expect(await logIn(client, 'LOGIN', inbox.id, credentials.password)).toMatch(/^235 /);
		expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
	});
});

describe('with --smtp-auth user:password', () => {
	share({smtpAuth: {user: 'joe', password: 'secret'}});

	test.each(names)('%s accepts the configured login and those of inboxes', async mechanism => {
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

describe('with --smtp-oauth reject', () => {
	share({smtpOauth: 'reject'});

	test.each(['XOAUTH2', 'OAUTHBEARER'])(
		'every token of %s is rejected, but passwords are accepted',
		async mechanism => {
			const client = await connect();
			expect(await logIn(client, mechanism, inbox.id, credentials.password)).toBe('535 5.7.8 The token is not valid');
			expect(await logIn(client, mechanism, 'apikey', 'x')).toMatch(/^535 /);
			expect(await logIn(client, 'PLAIN', inbox.id, credentials.password)).toMatch(/^235 /);
		},
	);
});

describe('with --smtp-oauth expired', () => {
	share({smtpOauth: 'expired'});

	test.each(['XOAUTH2', 'OAUTHBEARER'])(
		'the first token of %s is rejected however often it is sent',
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

	test('nodemailer renews a rejected token', async () => {
		const asked: boolean[] = [];
		const transport = createTransport({
			host: '127.0.0.1',
			port: tinbox.smtp.port,
			auth: {type: 'OAuth2', user: 'app@shop.test'},
		});
		transport.set('oauth2_provision_cb', (_user: string, renew: boolean, done: (e: null, token: string) => void) => {
			asked.push(renew);
			done(null, renew ? 'new' : 'old');
		});
		await transport.sendMail({from: 'app@example.test', to: inbox.address, text: 'hi'});
		expect(asked).toEqual([false, true]);
	});
});

describe('with --auth-needs-tls', () => {
	share({authNeedsTls: true, smtpAuth: 'inbox'});

	test('with --auth-needs-tls, AUTH without TLS is neither announced nor accepted', async () => {
		const client = RawClient.connect(tinbox.smtp.port);
		await client.reply();
		expect(await client.say('EHLO client.test')).not.toContain('AUTH');
		for (const mechanism of ['PLAIN', 'XOAUTH2']) {
			expect(await client.say(`AUTH ${mechanism}`)).toMatch(/^538 5\.7\.11 /);
		}

		expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^530 5\.7\.0 /);
	});
});

test.each(['STARTTLS', 'implicit'] as const)('with --auth-needs-tls, logins are taken under TLS by %s', async how => {
	const running = await startServer({tls: testTls(), auth: {needsTls: true}});
	expect((await RawClient.greeted(running.port)).heard).not.toContain('AUTH');
	for (const mechanism of names) {
		const client = await RawClient.secure(running, how);
		expect(client.heard).toContain('AUTH PLAIN');
		expect(await logIn(client, mechanism, 'ann', 'x')).toMatch(/^235 /);
		await client.beginMail();
		expect(await client.say('Subject: x\r\n\r\n.')).toMatch(/^250 /);
		const {tls, auth} = running.sessions.at(-1) ?? {};
		expect([tls?.version, auth]).toEqual(['TLSv1.3', {mechanism: mechanism.split(' ')[0], user: 'ann'}]);
	}
});

describe('ten failures a minute', () => {
	share();

	async function failTenTimes(): Promise<void> {
		const client = await connect();
		for (let failures = 0; failures < 10; failures++) {
			expect(await client.say(plain(inbox.id, 'wrong'))).toMatch(/^535 /);
		}
	}

	test('after ten failed logins from one address, wrong passwords end the session and the right one is accepted', async () => {
		await failTenTimes();
		const client = await connect();
		expect(await client.say(plain(inbox.id, 'wrong'))).toMatch(/^421 4\.7\.0 /);
		await client.ended();
		const [last] = tinbox.services.refusals.latest(1);
		expect(last).toMatchObject({stage: 'auth', address: null, reply: expect.stringMatching(/^421 4\.7\.0 /)});
		expect(await (await connect()).say(plain(inbox.id, credentials.password))).toMatch(/^235 /);
		const elsewhere = await RawClient.greeted(tinbox.smtp.port, '127.0.0.2');
		expect(await elsewhere.say(plain(inbox.id, 'wrong'))).toMatch(/^535 /);
		now += 60_001;
		expect(await (await connect()).say(plain(inbox.id, 'wrong'))).toMatch(/^535 /);
	});

	test('failed logins do not lock out other users of the address, whose logins do not reset the count', async () => {
		await failTenTimes();
		const other = await create();
		const {username, password} = await tinbox.services.logins.credentialsOf(other);
		expect(await (await connect()).say(plain(username, password))).toMatch(/^235 /);
		expect(await (await connect()).say(plain(username, 'wrong'))).toMatch(/^421 /);
		expect(await logIn(await connect(), 'XOAUTH2', inbox.id, 'wrong')).toMatch(/^421 4\.7\.0 /);
	});
});

describe('who logs in as an inbox', () => {
	share();

	async function send(client: RawClient, ...recipients: readonly string[]): Promise<void> {
		await client.say('MAIL FROM:<app@example.test>');
		for (const to of recipients) {
			expect(await client.say(`RCPT TO:<${to}>`)).toMatch(/^250 /);
		}

		await client.say('DATA');
		expect(await client.say(`From: a@b.test\r\nSubject: ${recipients.join(' ')}\r\n\r\n.`)).toMatch(/^250 /);
	}

	const page = {page: 1, limit: 100};
	const listed = async (of: Inbox, filter = {}) => tinbox.services.messages.list(ann.user, of.id, filter, page);

	test('mail of an inbox login arrives once in this inbox, whoever it is for', async () => {
		const other = await create();
		const client = await connect();
		await client.say(plain(credentials.username, credentials.password));
		await send(client, other.address, 'customer@shop.example', 'bcc@shop.example');
		expect(await listed(other)).toEqual([]);
		expect(await listed(inbox)).toMatchObject([
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

	test('mail of an inbox login is found by any of its recipients', async () => {
		const client = await connect();
		await client.say(plain(credentials.username, credentials.password));
		await send(client, 'one@shop.example', 'two@shop.example');
		for (const [to, count] of [
			['one@shop.example', 1],
			['two@shop.example', 1],
			['/^two@/', 1],
			['three@shop.example', 0],
		] as const) {
			expect(await listed(inbox, {to, match: 'pattern'})).toHaveLength(count);
		}
	});

	test('mail of an inbox login follows its recipients if the routing of the inbox says so', async () => {
		const other = await create();
		await tinbox.services.inboxes.update(ann.user, inbox.id, {routing: 'recipients'});
		const client = await connect();
		await client.say(plain(credentials.username, credentials.password));
		await send(client, other.address);
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say('RCPT TO:<customer@shop.example>')).toMatch(/^550 5\.1\.1 /);
		expect([await listed(inbox), await listed(other)].map(({length}) => length)).toEqual([0, 1]);
	});

	test('a login whose inbox expires before DATA gets a negative reply', async () => {
		const short = await create({ttlSeconds: 60});
		const {username, password} = await tinbox.services.logins.credentialsOf(short);
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
		'is told before its next mail when the password has changed: %s',
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

	test.each(['RCPT', 'DATA'])('is told when the inbox goes before %s', async stage => {
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
	share({smtpAuth: 'inbox'});

	test.each(['PLAIN', 'LOGIN', 'CRAM-MD5'])('logs in by %s', async authMethod => {
		const {username: user, password: pass} = credentials;
		const transport = createTransport({host: '127.0.0.1', port: tinbox.smtp.port, authMethod, auth: {user, pass}});
		await transport.sendMail({from: 'app@example.test', to: 'customer@shop.example', text: 'hi'});
		const [message] = await tinbox.services.messages.list(ann.user, inbox.id, {}, {page: 1, limit: 9});
		expect(message?.session?.auth).toEqual({mechanism: authMethod, user});
	});

	test('logs in by XOAUTH2, and by a URL', async () => {
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
