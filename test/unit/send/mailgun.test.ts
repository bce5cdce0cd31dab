import {randomBytes} from 'node:crypto';
import FormData from 'form-data';
import Mailgun from 'mailgun.js';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {Tinbox} from '../../helpers/tinbox.js';
import {openSending, sendUrl} from './send-inbox.js';

const domain = 'mg.example.com';

let tinbox: Tinbox;
beforeAll(async () => {
	tinbox = await Tinbox.open();
});
afterAll(() => tinbox.close());

/** Opens an inbox and the SDK of Mailgun with its key. */
async function openApp(form: ConstructorParameters<typeof Mailgun>[0] = FormData) {
	const sending = await openSending(tinbox);
	const url = sendUrl(tinbox, 'mailgun');
	const sdk = (key: string) => new Mailgun(form).client({username: 'api', key, url});
	const {messages} = sdk(sending.sendKey);
	return {
		...sending,
		sdk,
		all: async () => {
			const messages = await sending.list();
			return Promise.all(messages.map(({id}) => sending.client.messages.get(sending.id, id)));
		},
		/** Sends a mail with the SDK. */
		send: (mail: object) =>
			messages.create(domain, {from: 'App <app@example.com>', to: sending.address, text: 'Hi', ...mail}),
		/** Sends a raw request. */
		post: (body: string | URLSearchParams, headers: Record<string, string> = {}, route = 'messages') =>
			fetch(`${url}/v3/${domain}/${route}`, {
				method: 'POST',
				headers: {Authorization: `Basic ${btoa(`api:${sending.sendKey}`)}`, ...headers},
				body,
			}),
	};
}

/** Error of an SDK call. */
async function failureOf(call: Promise<unknown>) {
	const error = await call.then(
		() => undefined,
		thrown => thrown,
	);
	return {type: error?.type, status: error?.status, details: error?.details};
}

describe.each([
	['form-data', FormData],
	['the FormData of Node', globalThis.FormData],
] as const)('a mail sent by the Mailgun SDK with %s', (_, form) => {
	const open = () => openApp(form as typeof FormData);

	test('is stored, and the response has the format of Mailgun', async () => {
		const app = await open();
		const response = await app.send({subject: 'Your code', text: 'Your code is 123456.'});
		expect(response).toEqual({
			status: 200,
			id: expect.stringMatching(/^<\d{14}\.[\da-f]{16}@mg\.example\.com>$/),
			message: 'Queued. Thank you.',
		});
		const message = await app.only();
		expect(message).toMatchObject({
			from: 'app@example.com',
			from_name: 'App',
			subject: 'Your code',
			html: '',
			codes: ['123456'],
			warnings: [],
			session: {
				auth: {mechanism: 'API-KEY', user: app.id},
				request: {provider: 'mailgun', path: `/v3/${domain}/messages`, id: response.id, template: null},
			},
		});
		expect(`<${message.message_id}>`).toBe(response.id);
	});

	test('keeps its text, HTML, non-ASCII names, cc, bcc, reply-to and headers', async () => {
		const app = await open();
		await app.send({
			from: '"Bücher, \\"Läden\\" & mehr" <app@example.com>',
			to: [`山田 太郎 <${app.address}>`, 'Zoë <zoe@example.com>, plain@example.com'],
			cc: 'Ольга <olga@example.com>',
			bcc: ['hidden@example.com', app.address],
			subject: 'Grüße, 世界 🎉 Привет',
			text: 'Schöne Grüße\nمرحبا',
			html: '<p>Schöne <b>Grüße</b> 🎉</p>',
			'h:Reply-To': 'Une <one@example.com>, two@example.com',
			'h:X-Campaign': 'Frühling',
		});
		const message = await app.only();
		expect(message.recipients).toEqual({
			to: [
				{name: '山田 太郎', address: app.address},
				{name: 'Zoë', address: 'zoe@example.com'},
				{name: null, address: 'plain@example.com'},
			],
			cc: [{name: 'Ольга', address: 'olga@example.com'}],
			reply_to: [
				{name: 'Une', address: 'one@example.com'},
				{name: null, address: 'two@example.com'},
			],
		});
		expect(message).toMatchObject({
			from_name: 'Bücher, "Läden" & mehr',
			subject: 'Grüße, 世界 🎉 Привет',
			text: expect.stringContaining('Schöne Grüße\nمرحبا'),
			html: expect.stringContaining('<p>Schöne <b>Grüße</b> 🎉</p>'),
			envelope: {
				from: 'app@example.com',
				to: [app.address, 'zoe@example.com', 'plain@example.com', 'olga@example.com', 'hidden@example.com'],
			},
			warnings: [],
		});
		expect(message.headers).toContainEqual({name: 'X-Campaign', value: 'Frühling'});
		expect(JSON.stringify(message.headers)).not.toContain('hidden');
	});

	test('keeps its files and inline images', async () => {
		const app = await open();
		const image = Buffer.from('\x89PNG\r\n--x\r\n\r\n\x00\xff', 'latin1');
		await app.send({
			html: '<img src="cid:logo.png">',
			attachment: [
				{data: Buffer.from('Zahlen;1\r\n'), filename: 'Übersicht "数".csv', contentType: 'text/csv'},
				{data: Buffer.alloc(0), filename: 'empty.txt'},
			],
			inline: {data: image, filename: 'logo.png'},
		});
		const message = await app.only();
		expect(message.attachments).toHaveLength(3);
		expect(message.attachments).toEqual(
			expect.arrayContaining([
				expect.objectContaining({filename: 'Übersicht "数".csv', content_type: 'text/csv', disposition: 'attachment'}),
				expect.objectContaining({filename: 'empty.txt', size: 0}),
				expect.objectContaining({
					filename: 'logo.png',
					content_type: 'image/png',
					disposition: 'inline',
					content_id: 'logo.png',
				}),
			]),
		);
		const logo = message.attachments.find(({filename}) => filename === 'logo.png');
		expect(await app.attachment(message.id, logo?.id ?? '')).toEqual(image);
	});

	test('may be a MIME message', async () => {
		const app = await open();
		const mime = [
			'From: App <app@example.com>',
			`To: ${app.address}`,
			'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
			'',
			'As it is.',
		].join('\r\n');
		const {id} = await app.send({message: Buffer.from(mime), to: [app.address, 'bcc@example.com'], 'o:tag': 'raw'});
		const message = await app.only();
		expect(message).toMatchObject({
			subject: 'Grüße',
			text: expect.stringContaining('As it is.'),
			envelope: {from: 'app@example.com', to: [app.address, 'bcc@example.com']},
			session: {request: {id, tags: [{name: null, value: 'raw'}]}},
			warnings: [expect.stringContaining('"from", "text"')],
		});
		expect(`<${message.message_id}>`).toBe(id);
	});
});

describe('the Mailgun API', () => {
	test('stores tags and variables', async () => {
		const app = await openApp();
		await app.send({
			'o:tag': ['invoices', 'monthly'],
			'v:order': '7',
			'v:cart': {items: ['tea']},
			'h:X-Mailgun-Variables': '{"shop": "a", "count": 2}',
		});
		const {session, headers} = await app.only();
		expect(session?.request).toMatchObject({
			tags: [
				{name: null, value: 'invoices'},
				{name: null, value: 'monthly'},
			],
			metadata: {order: '7', cart: '{"items":["tea"]}', shop: 'a', count: '2'},
			warnings: [],
		});
		expect(JSON.stringify(headers)).not.toContain('X-Mailgun');
	});

	test('sends one mail to each recipient with variables', async () => {
		const app = await openApp();
		await app.send({
			to: [app.address, 'Bob <bob@example.com>'],
			subject: 'Hi %recipient.name%',
			text: 'For %recipient%: %recipient.items%, %recipient.nothing%',
			'v:user': '%recipient.id%',
			'recipient-variables': JSON.stringify({
				[app.address]: {name: 'Ann', items: ['tea'], id: 1},
				'bob@example.com': {name: 'Bob $&', items: 2, id: 2},
			}),
		});
		const messages = await app.all();
		expect(messages).toHaveLength(2);
		for (const [address, subject, text, user] of [
			[app.address, 'Hi Ann', `For ${app.address}: ["tea"], %recipient.nothing%`, '1'],
			['bob@example.com', 'Hi Bob $&', 'For bob@example.com: 2, %recipient.nothing%', '2'],
		]) {
			const message = messages.find(one => one.subject === subject);
			expect(message).toMatchObject({
				text: expect.stringContaining(text ?? ''),
				recipients: {to: [{address}]},
				envelope: {to: [address]},
				session: {request: {metadata: {user}}},
			});
		}
	});

	test('stores the requested template and its data', async () => {
		const app = await openApp();
		await app.send({text: undefined, template: 'welcome', 't:variables': '{"code": "123456"}', 'v:name': 'Ann'});
		const {id, session} = await app.only();
		expect(session?.request).toMatchObject({
			template: {id: 'welcome', registered: false},
			metadata: {name: 'Ann'},
			warnings: [expect.stringContaining('is not registered')],
		});
		expect(await app.client.messages.request(app.id, id)).toMatchObject({
			provider: 'mailgun',
			path: `/v3/${domain}/messages`,
			data: {code: '123456', name: 'Ann'},
		});
	});

	test('accepts a large file', async () => {
		const app = await openApp();
		const data = randomBytes(1024 * 1024);
		await app.send({attachment: {data, filename: 'large.bin'}});
		const {id, attachments} = await app.only();
		expect((await app.attachment(id, attachments[0]?.id ?? '')).equals(data)).toBe(true);
	});

	test('accepts a URL-encoded form', async () => {
		const app = await openApp();
		const body = new URLSearchParams({from: 'Ünal <a@example.com>', to: app.address, subject: 'A & B', text: 'é'});
		expect((await app.post(body)).status).toBe(200);
		expect(await app.only()).toMatchObject({from_name: 'Ünal', subject: 'A & B', text: expect.stringContaining('é')});
	});

	test('warns about options without effect', async () => {
		const app = await openApp();
		await app.send({
			'o:testmode': true,
			'o:deliverytime': 'Fri, 14 Oct 2033 23:10:10 -0000',
			'o:tracking': 'yes',
			'o:tracking-opens': 'no',
			'o:dkim': false,
			'o:new': '1',
			colour: 'red',
			constructor: 'x',
			't:variables': '{}',
			'h:MIME-Version': '2.0',
		});
		const {warnings} = await app.only();
		for (const field of [
			'o:testmode',
			'o:deliverytime',
			'o:tracking',
			'o:new',
			'colour',
			'constructor',
			't:variables',
			'h:MIME-Version',
		]) {
			expect(warnings, field).toContainEqual(expect.stringContaining(`"${field}"`));
		}

		expect(warnings).toHaveLength(6);
	});
});

describe('the Mailgun API', () => {
	const many = Array.from({length: 1001}, (_, index) => `user-${index}@example.com`);

	const cases: ReadonlyArray<readonly [title: string, mail: object, message: string]> = [
		['a missing sender', {from: ''}, 'from parameter is missing'],
		['an invalid sender', {from: 'nobody'}, 'from parameter is not a valid address. please check documentation'],
		['a missing recipient', {to: ''}, 'to parameter is missing'],
		['an invalid recipient', {to: 'Ann <ann>'}, 'to parameter is not a valid address. please check documentation'],
		['an invalid cc', {cc: ['a@example.com', 'b']}, 'cc parameter is not a valid address. please check documentation'],
		['an invalid bcc', {bcc: 'a b@example.com'}, 'bcc parameter is not a valid address. please check documentation'],
		['too many recipients', {to: many}, 'Too many recipients; max is 1000'],
		['missing content', {text: ''}, "Need at least one of 'text' or 'html' parameters specified"],
		['HTML and a template', {html: 'a', template: 'b'}, "Only one parameters 'html' or 'template' is allowed"],
		[
			'long options',
			{'v:a': 'x'.repeat(16_384)},
			'Send options (parameters starting with o:, h:, or v:) are limited to 16 kB total',
		],
		['a non-ASCII header name', {'h:Ü': 'a'}, 'Header name must be pure ASCII: Ü'],
		['an invalid time', {'o:deliverytime': 'soon'}, 'soon is not an RFC-2822 compliant date'],
		['malformed variables', {'recipient-variables': '{'}, "'recipient-variables' parameter is not a valid JSON"],
		['a list of variables', {'recipient-variables': '[]'}, "'recipient-variables' parameter is not a valid JSON"],
		['a MIME message that is not a file', {message: 'From: a'}, "'message' parameter is not a file"],
	];

	test('rejects invalid mails with the errors of Mailgun', async () => {
		const app = await openApp();
		for (const [title, mail, details] of cases) {
			expect(await failureOf(app.send(mail)), title).toEqual({type: 'MailgunAPIError', status: 400, details});
		}

		expect(await app.list()).toEqual([]);
	});

	test('rejects a wrong or missing key', async () => {
		const app = await openApp();
		const {messages} = app.sdk(app.sendKey.replace(/.$/, last => (last === 'a' ? 'b' : 'a')));
		const mail = {from: 'a@example.com', to: app.address, text: 'Hi'};
		const forbidden = {type: 'MailgunAPIError', status: 401, details: 'Forbidden'};
		expect(await failureOf(messages.create(domain, mail))).toEqual(forbidden);
		const nameless = await app.post(new URLSearchParams(mail), {Authorization: ''});
		expect([nameless.status, await nameless.text()]).toEqual([401, 'Forbidden']);
	});

	test('returns the error that corresponds to the reply of a fault', async () => {
		const app = await openApp();
		for (const [reply, status, details] of [
			[
				'451 4.7.1 Later',
				429,
				/^Domain mg\.example\.com is not allowed to send: request limit exceeded, try again after .* UTC$/,
			],
			['550 5.7.1 Never', 400, /^Never$/],
			['452 4.3.1 Full', 503, /^Service Unavailable$/],
			['552 5.3.4 Too large', 413, /^request size exceeds/],
		] as const) {
			await app.client.faults.create(app.id, {stage: 'end', reply, times: 1});
			expect(await failureOf(app.send({})), reply).toMatchObject({status, details: expect.stringMatching(details)});
		}

		await app.send({});
		expect(await app.list()).toHaveLength(1);
	});

	test('rejects unverified sender domains if verified domains are configured', async () => {
		const strict = await Tinbox.open({settings: {sendVerifiedDomains: ['verified.example']}});
		onTestFinished(() => strict.close());
		const {messages} = new Mailgun(FormData).client({username: 'api', key: 'any', url: sendUrl(strict, 'mailgun')});
		const mail = {from: 'app@other.example', to: 'ann@example.com', text: 'Hi'};
		expect(await failureOf(messages.create('other.example', mail))).toEqual({
			type: 'MailgunAPIError',
			status: 403,
			details: expect.stringMatching(/^Domain other\.example is not allowed to send: The domain is unverified/),
		});
		expect(await messages.create('verified.example', mail)).toMatchObject({status: 200});
	});

	test('rejects another content type, a malformed form, an unknown route and an invalid domain', async () => {
		const app = await openApp();
		const responseOf = async (pending: Promise<Response>) => {
			const response = await pending;
			return [response.status, ((await response.json()) as {message: string}).message];
		};
		expect(await responseOf(app.post('{}', {'Content-Type': 'application/json'}))).toEqual([
			415,
			"Invalid request content type. Expecting 'multipart/form-data' or 'application/x-www-form-urlencoded'",
		]);
		expect(await responseOf(app.post('a', {'Content-Type': 'multipart/form-data; boundary=b'}))).toEqual([
			400,
			'malformed multipart/form-data request',
		]);
		expect(await responseOf(app.post('a', {}, 'nothing'))).toEqual([404, expect.stringContaining('/messages')]);
		const {messages} = app.sdk(app.sendKey);
		expect(await failureOf(messages.create('a b', {to: app.address, text: 'a'}))).toEqual({
			type: 'MailgunAPIError',
			status: 404,
			details: 'Domain not found: a b',
		});
	});
});
