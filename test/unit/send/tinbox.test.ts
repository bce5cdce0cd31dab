import {randomBytes} from 'node:crypto';
import {gzipSync} from 'node:zlib';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {ProblemBody} from '../../../src/contract/common.js';
import type {FaultDrop} from '../../../src/contract/constants.js';
import type {CreateFault} from '../../../src/contract/faults.js';
import type {CreatedInboxBody} from '../../../src/contract/inboxes.js';
import type {FullMessageBody, MessageBody} from '../../../src/contract/messages.js';
import type {SendMailBody} from '../../../src/contract/send.js';
import {openTinbox, type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

async function createInbox(fields: object = {}): Promise<CreatedInboxBody> {
	const response = await tinbox.request('POST', '/inboxes', {key: ann.key, body: fields});
	return (await response.json()) as CreatedInboxBody;
}

async function send(mail: unknown, key: string | undefined, headers: Record<string, string> = {}): Promise<Response> {
	return fetch(`${tinbox.url}/send`, {
		method: 'POST',
		headers: {'Content-Type': 'application/json', ...(key && {Authorization: `Bearer ${key}`}), ...headers},
		body: typeof mail === 'string' ? mail : JSON.stringify(mail),
	});
}

async function messagesOf(inbox: CreatedInboxBody, query = ''): Promise<readonly MessageBody[]> {
	const response = await tinbox.request('GET', `/inboxes/${inbox.id}/messages${query}`, {key: ann.key});
	return (await response.json()) as readonly MessageBody[];
}

const keyOf = ({smtp}: CreatedInboxBody): string => smtp?.send_key ?? '';

const hello = {
	from: 'Shop <shop@shop.example>',
	to: 'ann@customer.example',
	subject: 'Hello',
	text: 'Your code is 482913',
};

const problemOf = async (response: Response) => {
	expect(response.headers.get('Content-Type')).toBe('application/problem+json');
	const body = (await response.json()) as ProblemBody;
	expect(body.status).toBe(response.status);
	return {status: body.status, code: body.code, detail: body.detail, errors: body.errors};
};

describe('POST /send with the key of an inbox', () => {
	test('delivers a mail to an open wait', async () => {
		const inbox = await createInbox();
		const waiting = messagesOf(inbox, '?wait=30');
		const response = await send(hello, keyOf(inbox), {'User-Agent': 'app/1'});
		const body = (await response.json()) as SendMailBody;
		expect(response.status, JSON.stringify(body)).toBe(201);
		const [message] = await waiting;
		expect(message).toMatchObject({
			id: body.message_ids[0],
			from: 'shop@shop.example',
			from_name: 'Shop',
			to: 'ann@customer.example',
			subject: 'Hello',
			text: 'Your code is 482913\n',
			codes: ['482913'],
			envelope: {from: 'shop@shop.example', to: ['ann@customer.example']},
			session: {
				tls: null,
				auth: {mechanism: 'API-KEY', user: inbox.id},
				client: {host: '127.0.0.1', helo: 'app/1'},
				request: {provider: 'tinbox', path: '/send', id: body.id, tags: [], metadata: {}, template: null, warnings: []},
			},
			warnings: [],
		});
	});

	test('keeps all fields of the request in the mail', async () => {
		const inbox = await createInbox();
		const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]);
		const response = await send(
			{
				from: '"Größe & Söhne" <shop@shop.example>',
				to: ['Ann <ann@customer.example>', 'bob@customer.example'],
				cc: 'Ольга <olga@customer.example>',
				bcc: 'secret@customer.example',
				reply_to: ['help@shop.example'],
				subject: 'Grüße 🎉 у вас новое сообщение',
				text: 'Schön.\nZweite Zeile.',
				html: '<p>Schön</p><img src="cid:logo">',
				attachments: [
					{
						filename: 'Rechnung №1.pdf',
						content: Buffer.from('%PDF').toString('base64'),
						content_type: 'application/pdf',
					},
					{filename: 'logo.png', content: image.toString('base64'), content_id: 'logo'},
				],
				headers: {'X-Order': 'ü 17', 'List-Unsubscribe': '<https://shop.example/u>'},
				tags: ['welcome'],
				metadata: {order: '17'},
				template: {id: 'welcome', data: {code: '123456'}},
			},
			keyOf(inbox),
		);
		expect(response.status).toBe(201);
		const [message] = await messagesOf(inbox);
		const {text, html, attachments, recipients, envelope, session} = message ?? never();
		expect(message).toMatchObject({
			from_name: 'Größe & Söhne',
			subject: 'Grüße 🎉 у вас новое сообщение',
			to: 'ann@customer.example',
		});
		expect([text.trim(), html.trim()]).toEqual(['Schön.\nZweite Zeile.', '<p>Schön</p><img src="cid:logo">']);
		expect(recipients).toEqual({
			to: [
				{name: 'Ann', address: 'ann@customer.example'},
				{name: null, address: 'bob@customer.example'},
			],
			cc: [{name: 'Ольга', address: 'olga@customer.example'}],
			reply_to: [{name: null, address: 'help@shop.example'}],
		});
		expect(envelope.to).toEqual([
			'ann@customer.example',
			'bob@customer.example',
			'olga@customer.example',
			'secret@customer.example',
		]);
		expect(
			attachments.map(({filename, content_type, content_id, size}) => [filename, content_type, content_id, size]),
		).toEqual(
			expect.arrayContaining([
				['Rechnung №1.pdf', 'application/pdf', null, 4],
				['logo.png', 'image/png', 'logo', image.length],
			]),
		);
		expect(session?.request).toMatchObject({
			tags: [{name: null, value: 'welcome'}],
			metadata: {order: '17'},
			template: {id: 'welcome', registered: false},
		});
		const full = await tinbox.request('GET', `/inboxes/${inbox.id}/messages/${message?.id}`, {key: ann.key});
		const {headers} = (await full.json()) as FullMessageBody;
		expect(headers).toEqual(
			expect.arrayContaining([
				{name: 'X-Order', value: 'ü 17'},
				{name: 'List-Unsubscribe', value: '<https://shop.example/u>'},
			]),
		);
		const raw = await tinbox.request('GET', `/inboxes/${inbox.id}/messages/${message?.id}/raw`, {key: ann.key});
		expect(await raw.text()).not.toMatch(/secret@|\nbcc:/i);
	});

	test('also accepts the id or address of the inbox with its SMTP password', async () => {
		const inbox = await createInbox();
		for (const name of [inbox.id, inbox.email_address]) {
			expect((await send(hello, `${name}:${inbox.smtp?.password}`)).status).toBe(201);
		}

		expect(await messagesOf(inbox)).toHaveLength(2);
	});

	test('accepts a large mail, which a worker thread reads', async () => {
		const inbox = await createInbox();
		const content = randomBytes(1024 * 1024);
		const attachments = [{filename: 'a.bin', content: content.toString('base64')}];
		const response = await send({...hello, attachments}, keyOf(inbox));
		expect(response.status).toBe(201);
		const [message] = await messagesOf(inbox);
		const path = `/inboxes/${inbox.id}/messages/${message?.id}/attachments/${message?.attachments[0]?.id}`;
		const attachment = await tinbox.request('GET', path, {key: ann.key});
		expect(content.equals(Buffer.from(await attachment.arrayBuffer()))).toBe(true);
		const rejected = await send({...hello, from: 'nobody', attachments}, keyOf(inbox));
		expect(await problemOf(rejected)).toMatchObject({status: 400, code: 'invalid_input'});
	});

	test('rejects a wrong or rotated key and the key of a deleted inbox, and reports the refusal', async () => {
		const inbox = await createInbox();
		const key = keyOf(inbox);
		await tinbox.request('POST', `/inboxes/${inbox.id}/credentials/rotate`, {key: ann.key});
		const deleted = await createInbox();
		await tinbox.request('DELETE', `/inboxes/${deleted.id}`, {key: ann.key});
		for (const rejectedKey of [key, keyOf(deleted), 'tbx_send_', `${inbox.id}:tbx_smtp_wrong`]) {
			expect(await problemOf(await send(hello, rejectedKey))).toMatchObject({status: 401, code: 'unauthorized'});
		}

		expect(await messagesOf(inbox)).toEqual([]);
		expect(tinbox.services.refusals.latest(10)).toEqual(
			expect.arrayContaining([expect.objectContaining({stage: 'auth', address: inbox.id, reason: 'invalid API key'})]),
		);
	});
});

describe('POST /send with another key', () => {
	test('delivers a mail to the inboxes of its recipients', async () => {
		const [one, other] = [await createInbox(), await createInbox()];
		const to = [one.email_address, other.email_address, 'nobody@nowhere.example'];
		const response = await send({...hello, to}, 're_0123456789abcdef');
		const {message_ids: ids} = (await response.json()) as SendMailBody;
		expect(response.status).toBe(201);
		const [first] = await messagesOf(one);
		const [second] = await messagesOf(other);
		expect(ids).toEqual([first?.id, second?.id]);
		expect(first?.session?.auth).toEqual({mechanism: 'API-KEY', user: 're_012345678…'});
		expect(first?.envelope.to).toEqual(to);
		expect(tinbox.services.refusals.latest(1)).toMatchObject([
			{stage: 'rcpt', address: 'nobody@nowhere.example', reason: 'no such inbox', client: {host: '127.0.0.1'}},
		]);
	});

	test('accepts a mail to an unknown recipient', async () => {
		const response = await send({...hello, to: 'nobody@nowhere.example'}, 'any');
		expect([response.status, await response.json()]).toMatchObject([201, {message_ids: []}]);
	});

	test('is rejected with --send-auth inbox', async () => {
		const strict = await openTinbox({settings: {sendAuth: 'inbox'}});
		const response = await fetch(`${strict.url}/send`, {
			method: 'POST',
			headers: {'Content-Type': 'application/json', 'X-API-Key': 'any'},
			body: JSON.stringify(hello),
		});
		expect(await problemOf(response)).toMatchObject({status: 401});
	});
});

describe('POST /send with an idempotency key', () => {
	test('returns the same response to a repeated request and stores one mail', async () => {
		const inbox = await createInbox();
		const responses: unknown[] = [];
		for (let tries = 0; tries < 3; tries += 1) {
			const response = await send(hello, keyOf(inbox), {'Idempotency-Key': 'welcome-1'});
			responses.push([response.status, await response.json()]);
		}

		const [message, ...others] = await messagesOf(inbox);
		expect(others).toEqual([]);
		const expected = [201, {id: message?.session?.request?.id, message_ids: [message?.id]}];
		expect(responses).toEqual([expected, expected, expected]);
	});

	test('rejects another request with the key of the same inbox only', async () => {
		const [inbox, other] = [await createInbox(), await createInbox()];
		const headers = {'Idempotency-Key': 'welcome-2'};
		expect((await send(hello, keyOf(inbox), headers)).status).toBe(201);
		expect(await problemOf(await send({...hello, subject: 'No'}, keyOf(inbox), headers))).toMatchObject({
			status: 409,
			code: 'key_reused',
		});
		expect((await send(hello, keyOf(other), headers)).status).toBe(201);
		expect(await messagesOf(inbox)).toHaveLength(1);
	});

	test('separates the users of a key that belongs to no inbox', async () => {
		const bob = await tinbox.user('bob');
		const created = await tinbox.request('POST', '/inboxes', {key: bob.key, body: {}});
		const to = [(await createInbox()).email_address, ((await created.json()) as CreatedInboxBody).email_address];
		const headers = {'Idempotency-Key': 'order-1'};
		const statuses = async (subject: string) =>
			Promise.all(to.map(async address => (await send({...hello, to: address, subject}, 're_test', headers)).status));
		expect(await statuses('Order 1')).toEqual([201, 201]);
		expect(await statuses('Order 2')).toEqual([409, 409]);
	});

	test('stores one mail for concurrent requests', async () => {
		const inbox = await createInbox();
		const all = Array.from({length: 10}, async () => send(hello, keyOf(inbox), {'Idempotency-Key': 'welcome-3'}));
		const statuses = (await Promise.all(all)).map(({status}) => status);
		expect(statuses).toContain(201);
		expect(statuses.filter(status => status !== 201 && status !== 409)).toEqual([]);
		expect(await messagesOf(inbox)).toHaveLength(1);
	});

	test('accepts a retry of a rejected request', async () => {
		const inbox = await createInbox();
		const fault = {stage: 'end', reply: '451 4.3.0 Later', times: 1};
		await tinbox.request('POST', `/inboxes/${inbox.id}/faults`, {key: ann.key, body: fault});
		const headers = {'Idempotency-Key': 'welcome-4'};
		expect((await send(hello, keyOf(inbox), headers)).status).toBe(429);
		expect((await send(hello, keyOf(inbox), headers)).status).toBe(201);
	});

	test('returns the same response for a mail to an unknown recipient', async () => {
		const headers = {'Idempotency-Key': 'welcome-5'};
		const mail = {...hello, to: 'nobody@nowhere.example'};
		const [first, second] = [await send(mail, 'any', headers), await send(mail, 'any', headers)];
		expect(await first.json()).toEqual(await second.json());
	});
});

test.each([
	['tbx_live_0123456789abcdefghijklmnopqrstuv', '(hidden)'],
	[randomBytes(32).toString('base64url'), '(hidden)'],
	['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl', '(hidden)'],
	['re_123456789_abcdefghijkl', 're_123456789…'],
])('a mail sent with the key %s shows %s', async (key, shown) => {
	const inbox = await createInbox();
	expect((await send({...hello, to: inbox.email_address}, key)).status).toBe(201);
	const [message] = await messagesOf(inbox);
	const path = `/inboxes/${inbox.id}/messages/${message?.id}`;
	const full = (await (await tinbox.request('GET', path, {key: ann.key})).json()) as FullMessageBody;
	expect(full.session?.auth?.user).toBe(shown);
});

test('the original request of a sent mail can be read without its key', async () => {
	const inbox = await createInbox();
	const body = JSON.stringify({...hello, template: {id: 't', data: {code: '4711'}}});
	await send(body, keyOf(inbox), {'X-Other': '1'});
	const response = await tinbox.request('GET', `/inboxes/${inbox.id}/messages/latest/request`, {key: ann.key});
	const request = (await response.json()) as {readonly headers: Record<string, string>};
	expect(request).toMatchObject({provider: 'tinbox', method: 'POST', path: '/send', body, data: {code: '4711'}});
	expect(request.headers['x-other']).toBe('1');
	expect(JSON.stringify(request)).not.toContain(keyOf(inbox));
});

describe('POST /send rejects a request', () => {
	test('without a key', async () => {
		expect(await problemOf(await send(hello, undefined))).toMatchObject({status: 401, code: 'unauthorized'});
	});

	test.each<[unknown, object]>([
		['{', {status: 400, code: 'malformed', detail: 'The body is not valid JSON: unexpected end.'}],
		[
			'{"__proto__": {}}',
			{status: 400, code: 'malformed', detail: 'The body contains the field "__proto__", which is not allowed.'},
		],
		['\xff', {status: 400, code: 'malformed'}],
		[
			{...hello, from: undefined},
			{code: 'invalid_input', detail: '"from" is required.'},
		],
		[
			{...hello, to: [hello.to, 'nobody']},
			{errors: [{field: 'to.1', message: expect.stringContaining('an address such as')}]},
		],
		[{...hello, to: 'nobody'}, {errors: [{field: 'to', message: expect.stringContaining('an address such as')}]}],
		[{...hello, to: []}, {errors: [{field: 'to', message: 'is required, unless "cc" or "bcc" has a recipient'}]}],
		[{...hello, to: 'a@b.example\r\nBcc: c@d.example'}, {code: 'invalid_input'}],
		[{...hello, from: 'Shop\r\nX-Bad: 1 <a@b.example>'}, {code: 'invalid_input'}],
		[{...hello, headers: {'X-A': '1\r\nX-B: 2'}}, {detail: '"headers.X-A" must be a valid header field on one line.'}],
		[{...hello, headers: {'Content-Type': 'text/html'}}, {detail: '"headers.Content-Type" is set by other fields.'}],
		[{...hello, attachments: [{filename: 'a', content: '!'}]}, {detail: '"attachments.0.content" must be base64.'}],
		[{...hello, send_at: 'tomorrow'}, {detail: '"send_at" is unknown.'}],
	])('with an invalid body: %j', async (body, problem) => {
		const raw = typeof body === 'string' ? body : JSON.stringify(body);
		expect(await problemOf(await send(raw, 'any'))).toMatchObject({status: 400, ...problem});
	});

	test('with another media type or content encoding', async () => {
		expect(await problemOf(await send(hello, 'any', {'Content-Type': 'text/plain'}))).toMatchObject({
			status: 415,
			detail: 'Send the body as application/json.',
		});
		expect(await problemOf(await send(hello, 'any', {'Content-Encoding': 'br'}))).toMatchObject({status: 415});
	});

	test('with malformed gzip, or gzip above the maximum size', async () => {
		const gzip = async (body: Buffer) =>
			fetch(`${tinbox.url}/send`, {
				method: 'POST',
				headers: {'Content-Type': 'application/json', 'Content-Encoding': 'gzip', Authorization: 'Bearer any'},
				body,
			});
		expect((await gzip(gzipSync(JSON.stringify(hello)))).status).toBe(201);
		expect(await problemOf(await gzip(Buffer.from('none')))).toMatchObject({code: 'malformed'});
		const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
		expect(await problemOf(await gzip(bomb))).toMatchObject({status: 413});
	});

	test('above the maximum mail size', async () => {
		const small = await openTinbox({settings: {maxMessageSize: 10_000}});
		const response = await fetch(`${small.url}/send`, {
			method: 'POST',
			headers: {'Content-Type': 'application/json', Authorization: 'Bearer any'},
			body: JSON.stringify({...hello, text: 'a'.repeat(10_000)}),
		});
		expect(await problemOf(response)).toMatchObject({status: 413, code: 'too_large'});
	});

	test('far above the maximum size with a response that the client receives', async () => {
		const large = {...hello, text: 'a'.repeat(30 * 1024 * 1024)};
		for (let times = 0; times < 5; times += 1) {
			expect((await send(large, 'any')).status).toBe(413);
		}
	});

	test('to an unknown path or with another method', async () => {
		const origin = tinbox.url.replace(/\/v1$/, '');
		for (const path of ['/send', '/send/', '/send/nobody', '/send/tinbox/send']) {
			const {status, detail} = await problemOf(await fetch(origin + path, {method: 'POST'}));
			expect(status).toBe(404);
			expect(detail).toContain('POST /v1/send');
		}

		const get = await fetch(`${tinbox.url}/send`);
		expect(get.headers.get('allow')).toBe('POST');
		expect(await problemOf(get)).toMatchObject({
			status: 405,
			detail: '/v1/send does not support GET. Supported: POST.',
		});
		expect((await fetch(`${origin}/app/v1/send`, {method: 'POST', headers: {'X-Tinbox-App': '1'}})).status).toBe(404);
	});

	test('from the origin of another web page', async () => {
		expect(await problemOf(await send(hello, 'any', {Origin: 'https://evil.example'}))).toMatchObject({status: 403});
	});

	test('from an unverified sender domain', async () => {
		const strict = await openTinbox({settings: {sendVerifiedDomains: ['shop.example']}});
		const post = async (from: string) =>
			fetch(`${strict.url}/send`, {
				method: 'POST',
				headers: {'Content-Type': 'application/json', Authorization: 'Bearer any'},
				body: JSON.stringify({...hello, from}),
			});
		expect((await post('Shop <a@SHOP.example>')).status).toBe(201);
		expect(await problemOf(await post('Shop <a@other.example>'))).toMatchObject({status: 403});
	});
});

describe('a fault of POST /send', () => {
	const withFault = async (fault: CreateFault) => {
		const inbox = await createInbox();
		const created = await tinbox.request('POST', `/inboxes/${inbox.id}/faults`, {key: ann.key, body: fault});
		expect(created.status).toBe(201);
		return inbox;
	};

	test.each<[CreateFault, number]>([
		[{stage: 'auth', reply: '454 4.7.0 Later'}, 429],
		[{stage: 'rcpt', reply: '451 4.7.1 Later'}, 429],
		[{stage: 'rcpt', reply: '550 5.1.1 No such user'}, 403],
		[{stage: 'end', reply: '451 4.3.0 Later'}, 429],
		[{stage: 'end', reply: '452 4.3.1 Full'}, 507],
		[{stage: 'end', reply: '552 5.3.4 Too large'}, 413],
	])('%j is answered with %i once', async (fault, status) => {
		const inbox = await withFault({...fault, times: 1});
		const response = await send(hello, keyOf(inbox));
		expect([response.status, response.headers.get('Retry-After')]).toEqual([status, status === 429 ? '1' : null]);
		expect(await messagesOf(inbox)).toEqual([]);
		expect(tinbox.services.refusals.latest(1)).toMatchObject([{reply: fault.reply}]);
		expect((await send(hello, keyOf(inbox))).status).toBe(201);
	});

	test('delays the response', async () => {
		const inbox = await withFault({stage: 'end', delay_ms: 300});
		const start = performance.now();
		expect((await send(hello, keyOf(inbox))).status).toBe(201);
		expect(performance.now() - start).toBeGreaterThan(290);
	});

	test.each<[FaultDrop, number]>([
		['before', 0],
		['mid', 1],
		['after_commit', 1],
	])('closes the connection with the drop "%s"', async (drop, stored) => {
		const inbox = await withFault({stage: 'end', drop});
		await expect(send(hello, keyOf(inbox)).then(response => response.text())).rejects.toThrow();
		await expect.poll(async () => (await messagesOf(inbox)).length).toBe(stored);
	});

	test('sends the response slowly', async () => {
		const inbox = await withFault({stage: 'end', byte_delay_ms: 2});
		const response = await send(hello, keyOf(inbox));
		expect(await response.json()).toMatchObject({id: expect.any(String)});
	});

	test('can be requested by the recipient address', async () => {
		const inbox = await createInbox();
		const to = inbox.email_address.replace('@', '+fail-451@');
		expect((await send({...hello, to}, 'any')).status).toBe(429);
	});
});

function never(): never {
	throw new Error('There is no message.');
}
