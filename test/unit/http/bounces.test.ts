import {Readable} from 'node:stream';
import {expect, test} from 'vitest';
import type {BounceBody} from '../../../src/contract/bounces.js';
import type {FullMessageBody} from '../../../src/contract/messages.js';
import type {Envelope} from '../../../src/domain/mail/message.js';
import {version} from '../../../src/lib/version.js';
import {openTinbox, plainTextSession, type Tinbox} from '../../helpers/tinbox.js';

const head = 'From: App <app@shop.test>\r\nTo: you@tinbox.test\r\nSubject: Welcome\r\nMessage-ID: <m1@shop.test>\r\n';
const source = `${head}\r\nHello\r\n`;

/** Opens a daemon with an inbox for the sender and an inbox for the recipients. */
async function openPair() {
	const tinbox = await openTinbox();
	const {user, key} = await tinbox.user('ann', 'localhost');
	const fields = {name: null, teamId: null, ttlSeconds: null};
	await tinbox.services.inboxes.create(user, {...fields, address: 'app@shop.test'});
	await tinbox.services.inboxes.create(user, {...fields, address: '*@box.test'});
	return {
		tinbox,
		key,
		deliver: createDeliver(tinbox),
		post: createPost(tinbox, key),
		sent: async () => newest(tinbox, key),
	};
}

function createDeliver({services}: Tinbox) {
	return async (envelope: Partial<Envelope> = {}, mail: string | Buffer = source) =>
		services.receiver.receiveOne({
			envelope: {from: 'app@shop.test', to: ['you@box.test'], ...envelope},
			session: plainTextSession,
			source: Readable.from([Buffer.from(mail)]),
		});
}

function createPost(tinbox: Tinbox, key: string) {
	return async (kind: string, body: object = {}) => {
		const response = await tinbox.request('POST', `/inboxes/*@box.test/messages/latest/${kind}`, {key, body});
		return {status: response.status, body: (await response.json()) as BounceBody & {detail: string; code: string}};
	};
}

/** Newest message in the inbox of the sender, with its source. */
async function newest(tinbox: Tinbox, key: string) {
	const message = '/inboxes/app@shop.test/messages/latest';
	const body = (await (await tinbox.request('GET', message, {key})).json()) as FullMessageBody;
	return {...body, source: await (await tinbox.request('GET', `${message}/raw`, {key})).text()};
}

test('a bounce is delivered to the inbox of the sender with an empty envelope sender', async () => {
	const {deliver, post, sent} = await openPair();
	await deliver();
	const {status, body} = await post('bounce');
	expect(status).toBe(201);
	expect(body).toEqual({
		kind: 'bounce',
		sender: 'app@shop.test',
		recipients: ['you@box.test'],
		status: '5.1.1',
		to: null,
		message_id: expect.stringMatching(/^[\da-f-]{36}@tinbox\.test$/),
	});
	const report = await sent();
	expect(report).toMatchObject({
		message_id: body.message_id,
		envelope: {from: '', to: ['app@shop.test']},
		session: null,
		from: 'MAILER-DAEMON@tinbox.test',
		from_name: 'Mail Delivery System',
		subject: 'Undelivered Mail Returned to Sender',
		text: expect.stringContaining('<you@box.test>: 550 5.1.1 User unknown'),
		warnings: [],
	});
	expect(report.headers).toEqual(
		expect.arrayContaining([
			{name: 'Auto-Submitted', value: 'auto-replied'},
			{name: 'In-Reply-To', value: '<m1@shop.test>'},
			{name: 'References', value: '<m1@shop.test>'},
			{name: 'Content-Type', value: expect.stringMatching(/^multipart\/report; report-type=delivery-status;/)},
		]),
	);
	expect(report.source).toContain('Final-Recipient: rfc822; you@box.test\r\nAction: failed\r\nStatus: 5.1.1\r\n');
	expect(report.source).toContain(`Content-Transfer-Encoding: 7bit\r\n\r\n${source}`);
});

test('a bounce honours RET, ENVID and ORCPT', async () => {
	const {deliver, post, sent} = await openPair();
	const recipients = {'you@box.test': {notify: ['FAILURE'], orcpt: 'rfc822;list+a@shop.test'}};
	await deliver({dsn: {ret: 'HDRS', envid: 'QQ+314', recipients}});
	await post('bounce', {status: '5.2.2'});
	const {source} = await sent();
	expect(source).toContain('Original-Envelope-Id: QQ+314\r\n');
	expect(source).toContain('Original-Recipient: rfc822; list+a@shop.test\r\n');
	expect(source).toContain('Diagnostic-Code: smtp; 550 5.2.2 Mailbox full\r\n');
	expect(source).toContain('Content-Type: text/rfc822-headers');
	expect(source).toContain(`Content-Transfer-Encoding: 7bit\r\n\r\n${head}\r\n`);
	expect(source).not.toContain('Hello');
});

test.each([
	['5.1.1', ['NEVER'], 'failed'],
	['5.1.1', ['SUCCESS', 'DELAY'], 'failed'],
	['4.4.1', ['FAILURE'], 'delayed'],
	['2.0.0', ['FAILURE'], 'delivered'],
])('a report with status %s is not sent if the recipient has NOTIFY=%s', async (status, notify, action) => {
	const {deliver, post, sent} = await openPair();
	await deliver({dsn: {recipients: {'you@box.test': {notify}}}});
	expect(await post('bounce', {status})).toMatchObject({
		status: 409,
		body: {
			code: 'no_bounce',
			detail: `The sender did not request reports of "${action}": the recipient has NOTIFY=${notify.join(',')}.`,
		},
	});
	expect(await sent()).toMatchObject({code: 'not_found'});
});

test('a delivery report is sent only on request, with the header section of the mail', async () => {
	const {deliver, post, sent} = await openPair();
	await deliver();
	expect((await post('bounce', {status: '2.0.0'})).body.detail).toBe(
		'Senders get a report of a successful delivery only if they request it with NOTIFY=SUCCESS.',
	);
	await deliver({dsn: {ret: 'FULL', recipients: {'you@box.test': {notify: ['SUCCESS']}}}});
	expect(await post('bounce', {status: '2.1.5'})).toMatchObject({status: 201, body: {status: '2.1.5'}});
	const {subject, source} = await sent();
	expect(subject).toBe('Successful Mail Delivery Report');
	expect(source).toContain('Action: delivered\r\nStatus: 2.1.5\r\nDiagnostic-Code: smtp; 250 2.1.5 Delivered\r\n');
	expect(source).toContain('Content-Type: text/rfc822-headers');
});

test('a delay report contains the time of the last retry', async () => {
	const {deliver, post, sent} = await openPair();
	await deliver();
	await post('bounce', {status: '4.4.1'});
	const {subject, source} = await sent();
	expect(subject).toBe('Delayed Mail (still being retried)');
	expect(source).toMatch(/Action: delayed\r\nStatus: 4\.4\.1\r\n(?:.*\r\n)*Will-Retry-Until: /);
});

test('a bounce covers exactly the selected recipients', async () => {
	const {deliver, post, sent} = await openPair();
	await deliver({to: ['you@box.test', 'them@box.test', 'others@box.test']});
	const {body} = await post('bounce', {recipients: ['YOU@box.test', 'them@box.test']});
	expect(body.recipients).toEqual(['you@box.test', 'them@box.test']);
	const {source} = await sent();
	expect(source.match(/Final-Recipient: .*/g)).toEqual([
		'Final-Recipient: rfc822; you@box.test',
		'Final-Recipient: rfc822; them@box.test',
	]);
	expect(await post('bounce', {recipients: ['nobody@box.test']})).toMatchObject({
		status: 400,
		body: {detail: '"recipients" names nobody@box.test, which is not a recipient of the message.'},
	});
});

const noServer = 'must be an SMTP URL such as smtp://localhost:2525';
const noHost = 'has an invalid host or port';

test.each([
	['smtp://localhost:99999', noHost],
	['smtp://[::1::2]', noHost],
	['http://localhost', noServer],
	['smtp://a@b', noServer],
	['smtp://localhost/x', noServer],
	['localhost:25', noServer],
])('%s is rejected as a target server', async (to, problem) => {
	const {deliver, post} = await openPair();
	await deliver();
	expect(await post('bounce', {to})).toMatchObject({
		status: 400,
		body: {detail: `"to" ${problem}.`},
	});
});

test('a bounce of a long mail contains only its header section', async () => {
	const {deliver, post, sent} = await openPair();
	await deliver({}, `${head}\r\n${'Hello there\r\n'.repeat(10_000)}`);
	await post('bounce');
	const {source, size} = await sent();
	expect(source).toContain('Content-Type: text/rfc822-headers');
	expect(size).toBeLessThan(5000);
});

test('a complaint is a feedback report that contains the mail', async () => {
	const {deliver, post, sent} = await openPair();
	await deliver({dsn: {envid: 'e1'}});
	expect(await post('complain')).toMatchObject({status: 201, body: {kind: 'complaint', status: null}});
	const {source} = await sent();
	expect(source).toContain(`Feedback-Type: abuse\r\nUser-Agent: tinbox/${version}\r\nVersion: 1\r\n`);
	expect(source).toContain('Original-Mail-From: <app@shop.test>\r\nOriginal-Rcpt-To: <you@box.test>\r\n');
	expect(source).toContain('Source-IP: 127.0.0.1\r\nReported-Domain: shop.test\r\n');
	expect(source).toContain('Content-Type: multipart/report; report-type=feedback-report;');
	expect(source).toContain(`Content-Type: message/rfc822`);
});

test('an automatic reply belongs to the thread and is marked as automatic', async () => {
	const {deliver, post, sent} = await openPair();
	await deliver({}, `References: <m0@shop.test>\r\n\t<x y>\r\n${source}`);
	expect(await post('autoreply')).toMatchObject({status: 201, body: {kind: 'autoreply'}});
	const report = await sent();
	expect(report).toMatchObject({from: 'you@box.test', subject: 'Auto: Welcome', envelope: {from: ''}});
	expect(report.headers).toEqual(
		expect.arrayContaining([
			{name: 'Auto-Submitted', value: 'auto-replied'},
			{name: 'In-Reply-To', value: '<m1@shop.test>'},
			{name: 'References', value: '<m0@shop.test> <m1@shop.test>'},
		]),
	);
});

test.each(['Auto-Submitted: auto-generated', 'List-Id: <news.shop.test>', 'Precedence: bulk'])(
	'a mail with "%s" gets no automatic reply',
	async field => {
		const {deliver, post} = await openPair();
		await deliver({}, `${field}\r\n${source}`);
		expect(await post('autoreply')).toMatchObject({status: 409, body: {code: 'no_bounce'}});
		expect(await post('bounce')).toMatchObject({status: 201});
	},
);

test.each(['bounce', 'complain', 'autoreply'])('a mail from <> gets no %s', async kind => {
	const {deliver, post} = await openPair();
	await deliver({from: ''});
	expect(await post(kind)).toMatchObject({
		status: 409,
		body: {
			code: 'no_bounce',
			detail: 'The envelope sender of the message is <>, which never gets bounces, complaints or replies.',
		},
	});
});

test('a sender without an inbox is reported', async () => {
	const {deliver, post} = await openPair();
	await deliver({from: 'stranger@elsewhere.test'});
	expect(await post('bounce')).toMatchObject({
		status: 404,
		body: {detail: expect.stringMatching(/^No inbox receives mail for the sender <stranger@elsewhere\.test>\./)},
	});
});

test('addresses and subjects cannot inject header fields into reports', async () => {
	const {deliver, post, sent, tinbox, key} = await openPair();
	const hostileAddress = '"a\\"b\r\nX-Evil: 1\0 c"@box.test';
	const longAddress = `${'x'.repeat(900)}@box.test`;
	const international = 'jörg+a=b@büchér.box.test';
	await tinbox.request('POST', '/inboxes', {key, body: {email_address: '*'}});
	await deliver(
		{
			to: ['you@box.test', hostileAddress, longAddress, international],
			dsn: {envid: 'a\r\nX-Evil: 2', recipients: {[hostileAddress]: {orcpt: 'rfc822;\r\nX-Evil: 3'}}},
		},
		`Subject: =?utf-8?q?x=0D=0AX-Evil:_4?=\r\nMessage-ID: <a\r\n\tX-Evil: 5>\r\n\r\nx\r\n`,
	);
	for (const kind of ['bounce', 'complain', 'autoreply']) {
		expect((await post(kind, {recipients: [hostileAddress, longAddress, international]})).status).toBe(201);
		const {source, headers} = await sent();
		expect(source).not.toMatch(/^X-Evil/m);
		expect(headers.map(({name}) => name)).not.toContain('X-Evil');
		if (kind === 'bounce') {
			expect(source).toContain(`Final-Recipient: rfc822; ${longAddress}\r\n`);
			expect(source).toContain('Final-Recipient: utf-8; j\\x{F6}rg\\x{2B}a\\x{3D}b@b\\x{FC}ch\\x{E9}r.box.test\r\n');
		}
	}
});

test('an 8-bit mail is returned unchanged', async () => {
	const {deliver, post, sent} = await openPair();
	await deliver({}, Buffer.from(`${head}\r\nGrüße\n`));
	await post('bounce');
	const {source} = await sent();
	expect(source.split('\r\n\r\n')[0]).toContain('Content-Transfer-Encoding: 8bit\r\nContent-Type: multipart/report;');
	expect(source).toContain('Content-Transfer-Encoding: 8bit\r\n\r\nFrom: App');
	expect(source).toContain(`${head}\r\nGrüße\n`);
});
