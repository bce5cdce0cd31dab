import {Readable} from 'node:stream';
import {createTransport} from 'nodemailer';
import {expect, test, vi} from 'vitest';
import type {NewFault} from '../../../../src/domain/faults/fault.js';
import {openTinbox, type Tinbox, type TinboxOptions} from '../../../helpers/tinbox.js';
import {RawClient} from '../../smtp/test-server.js';

const nothing: NewFault = {
	stage: 'end',
	name: null,
	match: null,
	reply: null,
	times: null,
	after: null,
	per: null,
	delayMs: null,
	byteDelayMs: null,
	drop: null,
	rate: null,
	probability: null,
	seed: null,
	ttlSeconds: null,
};

const firstPage = {page: 1, limit: 100};

async function openInbox(options: TinboxOptions = {}, address: string | null = 'signup@tinbox.test') {
	const tinbox = await openTinbox(options);
	const {user} = await tinbox.user('ann', 'localhost');
	const {inbox} = await tinbox.services.inboxes.create(user, {name: null, teamId: null, address, ttlSeconds: null});
	const place = {user, inboxName: inbox.id};
	return {
		tinbox,
		owner: user,
		inbox,
		add: async (fault: Partial<NewFault>) => tinbox.services.faults.create(place, {...nothing, ...fault}),
		hits: async () => (await tinbox.services.faults.hits(place, firstPage)).rows,
		subjects: async () =>
			(await tinbox.services.messages.list(user, inbox.id, {}, firstPage)).map(({summary}) => summary.subject),
		ids: async () => (await tinbox.services.messages.list(user, inbox.id, {}, firstPage)).map(({id}) => id),
	};
}

/** Reply code or error code of a failed delivery by nodemailer; undefined on success. */
async function send(
	{smtp}: Tinbox,
	to: string,
	subject: string,
	messageId?: string,
	from = 'app@example.com',
): Promise<number | string | undefined> {
	const transport = createTransport({...smtp, ignoreTLS: true});
	const mail = {from, to, subject, text: 'x', ...(messageId && {messageId})};
	return transport.sendMail(mail).then(
		() => undefined,
		(error: {responseCode?: number; code?: string}) => error.responseCode ?? error.code,
	);
}

test('a mail that a fault rejects is never stored, and the next one is', async () => {
	const {tinbox, add, hits, subjects} = await openInbox();
	const {fault} = await add({reply: '451 4.3.0 Try again later', times: 1, match: {subject: 'Order'}});
	expect(await send(tinbox, 'signup@tinbox.test', 'Hello')).toBeUndefined();
	expect(await send(tinbox, 'signup@tinbox.test', 'Your order')).toBe(451);
	expect(await subjects()).toEqual(['Hello']);
	expect(await send(tinbox, 'signup@tinbox.test', 'Your order')).toBeUndefined();
	expect(await subjects()).toEqual(['Your order', 'Hello']);
	expect(await hits()).toMatchObject([
		{faultId: fault.id, stage: 'end', reply: '451 4.3.0 Try again later', envelope: {to: ['signup@tinbox.test']}},
	]);
});

test('a mail is stored for each attempt that is dropped after the commit, and the hit names it', async () => {
	const {tinbox, add, hits, subjects, ids} = await openInbox();
	await add({drop: 'after_commit', times: 1});
	expect(await send(tinbox, 'signup@tinbox.test', 'Order')).toBe('ECONNECTION');
	expect(await hits()).toMatchObject([{drop: 'after_commit', reply: null, messageId: (await ids())[0]}]);
	expect(await send(tinbox, 'signup@tinbox.test', 'Order')).toBeUndefined();
	expect(await subjects()).toEqual(['Order', 'Order']);
});

test('retries are recognized by Message-ID, or by a hash of the mail without one', async () => {
	const {tinbox, add, subjects} = await openInbox();
	await add({reply: '451 4.3.0 Try again later', times: 1, per: 'message'});
	for (const [messageId, code] of [
		['<1@example.com>', 451],
		['<2@example.com>', 451],
		['<1@example.com>', undefined],
		['<1@example.com>', undefined],
	] as const) {
		expect(await send(tinbox, 'signup@tinbox.test', 'Hello', messageId)).toBe(code);
	}

	const client = RawClient.connect(tinbox.smtp.port);
	await client.reply();
	await client.say('EHLO app');
	for (const [text, code] of [
		['one', '451'],
		['two', '451'],
		['one', '250'],
		['x'.repeat(100_000), '451'],
		['x'.repeat(100_000), '250'],
	] as const) {
		await client.beginMail('signup@tinbox.test');
		expect(await client.say(`Subject: none\r\n\r\n${text}\r\n.`)).toContain(code);
	}

	expect(await subjects()).toHaveLength(4);
});

test('the faults of all inboxes of a mail are evaluated, and reject it as a whole', async () => {
	const {tinbox, add, subjects} = await openInbox();
	const {user} = await tinbox.user('bob', 'localhost');
	await tinbox.services.inboxes.create(user, {name: null, teamId: null, address: 'bob@tinbox.test', ttlSeconds: null});
	await add({reply: '552 5.2.2 Mailbox full'});
	expect(await send(tinbox, 'bob@tinbox.test', 'Hello')).toBeUndefined();
	expect(await send(tinbox, 'bob@tinbox.test, signup@tinbox.test', 'Hello')).toBe(552);
	expect(await subjects()).toEqual([]);
	expect(await tinbox.services.messages.list(user, 'bob@tinbox.test', {}, firstPage)).toHaveLength(1);
});

test('the faults of an inbox apply to its logins at auth and mail', async () => {
	const {tinbox, owner, inbox, add, hits} = await openInbox();
	await add({stage: 'auth', reply: '454 4.7.0 Temporary authentication failure', times: 1});
	await add({stage: 'mail', reply: '450 4.7.1 Slow down', times: 1});
	const {username: name, password} = await tinbox.services.logins.credentials(owner, inbox.id);
	const token = Buffer.from(`\0${name}\0${password}`).toString('base64');
	const client = RawClient.connect(tinbox.smtp.port);
	await client.reply();
	await client.say('EHLO app');
	expect(await client.say(`AUTH PLAIN ${token}`)).toBe('454 4.7.0 Temporary authentication failure');
	expect(await client.say(`AUTH PLAIN ${token}`)).toMatch(/^235 /);
	expect(await client.say('MAIL FROM:<app@example.com>')).toBe('450 4.7.1 Slow down');
	expect(await client.say('MAIL FROM:<app@example.com>')).toMatch(/^250 /);
	expect(await hits()).toMatchObject([
		{stage: 'mail', user: name},
		{stage: 'auth', user: name},
	]);
	const stranger = RawClient.connect(tinbox.smtp.port);
	await stranger.reply();
	await stranger.say('EHLO app');
	await add({stage: 'mail', reply: '450 4.7.1 Slow down'});
	expect(await stranger.say('MAIL FROM:<app@example.com>')).toMatch(/^250 /);
});

test('faults do not apply to mail of the daemon itself', async () => {
	const {tinbox, add, subjects} = await openInbox();
	await add({reply: '451 4.3.0 Try again later'});
	const envelope = {from: '', to: ['signup@tinbox.test']};
	const source = Readable.from([Buffer.from('Subject: bounce\r\n\r\n')]);
	await tinbox.services.receiver.receiveOne({envelope, session: null, source});
	expect(await subjects()).toEqual(['bounce']);
});

test.each(['signup@tinbox.test', '*@tinbox.test', '*'])(
	'an address of the inbox %s triggers the fault in its tag',
	async address => {
		const {tinbox, hits, subjects} = await openInbox({}, address);
		const codes: unknown[] = [];
		for (const tag of [
			'fail-451',
			'fail-552-5.2.2',
			'fail+550+no+such+user',
			'greylist',
			'greylist',
			'delay-20ms',
			'drop',
			'drop-after-commit',
			'news',
		]) {
			codes.push(await send(tinbox, `signup+${tag}@tinbox.test`, tag));
		}

		expect(codes).toEqual([451, 552, 550, 451, undefined, undefined, 'ECONNECTION', 'ECONNECTION', undefined]);
		expect(await subjects()).toEqual(['news', 'drop-after-commit', 'delay-20ms', 'greylist']);
		await vi.waitFor(async () => expect(await hits()).toHaveLength(7));
		expect((await hits()).map(({name, faultId}) => ({name, faultId}))).toEqual(
			['drop-after-commit', 'drop', 'delay', 'greylist', 'fail', 'fail', 'fail'].map(name => ({name, faultId: null})),
		);
		expect((await hits()).at(-3)).toMatchObject({reply: '550 5.0.0 no such user', stage: 'rcpt'});
	},
);

test('fault addresses have no effect if they are claimed with their tag, have no inbox, or are disabled', async () => {
	const claimed = await openInbox({}, 'signup+fail-451@tinbox.test');
	expect(await send(claimed.tinbox, 'signup+fail-451@tinbox.test', 'x')).toBeUndefined();
	expect(await send(claimed.tinbox, 'other+fail-451@tinbox.test', 'x')).toBe(550);
	const disabled = await openInbox({settings: {noFaultAddresses: true}});
	expect(await send(disabled.tinbox, 'signup+fail-451@tinbox.test', 'x')).toBeUndefined();
	expect(await disabled.hits()).toEqual([]);
});

test('the first attempt of a greylisted mail is not used up by another sender', async () => {
	const {tinbox} = await openInbox();
	const [to, stranger] = ['signup+greylist@tinbox.test', 'eve@example.com'];
	expect(await send(tinbox, to, 'x', undefined, stranger)).toBe(451);
	expect(await send(tinbox, to, 'x')).toBe(451);
	expect(await send(tinbox, to, 'x')).toBeUndefined();
	expect(await send(tinbox, to, 'x', undefined, stranger)).toBeUndefined();
});

test('a fault takes precedence over a fault address', async () => {
	const {tinbox, add} = await openInbox();
	await add({stage: 'rcpt', reply: '452 4.2.2 Mailbox full', times: 1});
	expect(await send(tinbox, 'signup+fail-550@tinbox.test', 'x')).toBe(452);
	expect(await send(tinbox, 'signup+fail-550@tinbox.test', 'x')).toBe(550);
});
