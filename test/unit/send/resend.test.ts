import {randomBytes} from 'node:crypto';
import {Resend} from 'resend';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {openTinbox, Tinbox} from '../../helpers/tinbox.js';
import {openSending, sendUrl} from './send-inbox.js';

let tinbox: Tinbox;
beforeAll(async () => {
	tinbox = await Tinbox.open();
});
afterAll(async () => tinbox.close());

async function open() {
	const sending = await openSending(tinbox);
	const baseUrl = sendUrl(tinbox, 'resend');
	const resend = new Resend(sending.sendKey, {baseUrl});
	/** Sends a raw request. */
	const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
		const response = await fetch(baseUrl + path, {
			method: 'POST',
			headers: {authorization: `Bearer ${sending.sendKey}`, 'content-type': 'application/json', ...headers},
			body: typeof body === 'string' ? body : JSON.stringify(body),
		});
		return {status: response.status, headers: response.headers, body: await response.json()};
	};
	return {...sending, baseUrl, resend, post};
}

const from = 'Shop <shop@acme.test>';
const plain = {from, to: 'ann@example.com', subject: 'Hello', text: 'Your code is 428913.'};
const pixel = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

describe('a mail sent with Resend', () => {
	test('has the requested text, and the response has its id', async () => {
		const {resend, only} = await open();
		const {data, error} = await resend.emails.send(plain);
		expect(error).toBeNull();
		expect(data).toEqual({id: expect.stringMatching(/^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/)});
		expect(await only()).toMatchObject({
			from: 'shop@acme.test',
			from_name: 'Shop',
			recipients: {to: [{name: null, address: 'ann@example.com'}]},
			subject: 'Hello',
			text: 'Your code is 428913.\n',
			html: '',
			codes: ['428913'],
			attachments: [],
			message_id: `${data?.id}@resend.dev`,
			envelope: {from: 'shop@acme.test', to: ['ann@example.com']},
			session: {request: {provider: 'resend', path: '/emails', id: data?.id, tags: [], template: null}},
			warnings: [],
		});
	});

	test('has its HTML and a text', async () => {
		const html = await open();
		await html.resend.emails.send({from, to: 'a@b.test', subject: 'HTML', html: '<p>Hi <b>you</b></p>'});
		expect(await html.only()).toMatchObject({html: '<p>Hi <b>you</b></p>\n', text: 'Hi you'});
		const both = await open();
		await both.resend.emails.send({from, to: 'a@b.test', subject: 'Both', html: '<p>Hi</p>', text: 'Hi there'});
		expect(await both.only()).toMatchObject({html: '<p>Hi</p>', text: 'Hi there'});
	});

	test('has its attachments and its inline images', async () => {
		const {resend, only, attachment} = await open();
		const {error} = await resend.emails.send({
			from,
			to: 'a@b.test',
			subject: 'Files',
			html: '<img src="cid:logo-1">',
			attachments: [
				{filename: 'notes.txt', content: Buffer.from('Grüße\n')},
				{
					filename: 'data.bin',
					content: Buffer.from([0, 255, 128]).toString('base64'),
					contentType: 'application/x-data',
				},
				{filename: 'logo.png', content: pixel, contentId: 'logo-1'},
			],
		});
		expect(error).toBeNull();
		const message = await only();
		expect(message.attachments).toMatchObject([
			{filename: 'logo.png', content_type: 'image/png', content_id: 'logo-1', disposition: 'inline'},
			{filename: 'notes.txt', content_type: 'text/plain', disposition: 'attachment'},
			{filename: 'data.bin', content_type: 'application/x-data', disposition: 'attachment'},
		]);
		const contents = await Promise.all(message.attachments.map(async ({id}) => attachment(message.id, id)));
		expect(contents).toEqual([pixel, Buffer.from('Grüße\n'), Buffer.from([0, 255, 128])]);
		expect(message.warnings).toEqual([]);
	});

	test('may have attachments as lists of bytes, the format of the Python SDK', async () => {
		const {post, only, attachment} = await open();
		const attachments = [
			{filename: 'a.txt', content: [...Buffer.from('bytes')]},
			{filename: 'b.txt', content: Buffer.from('buffer').toJSON()},
		];
		expect(await post('/emails', {...plain, attachments})).toMatchObject({status: 200});
		const message = await only();
		const contents = await Promise.all(message.attachments.map(async ({id}) => attachment(message.id, id)));
		expect(contents.map(String)).toEqual(['bytes', 'buffer']);
	});

	test('may have attachments of any type, including multipart and message types', async () => {
		const {resend, only, attachment} = await open();
		const content = Buffer.from('All of it');
		const types = ['multipart/mixed', 'Multipart/Related; boundary=x', 'message/rfc822', 'nothing'];
		const attachments = types.map(contentType => ({filename: 'file', content, contentType}));
		await resend.emails.send({...plain, attachments});
		const message = await only();
		const contents = await Promise.all(message.attachments.map(async ({id}) => attachment(message.id, id)));
		expect(contents.map(bytes => bytes.toString().trim())).toEqual(Array(4).fill('All of it'));
	});

	test('keeps Unicode in all fields', async () => {
		const {resend, only} = await open();
		const subject =
			'Prüfung ✓ 日本語 — 🎉 and a subject that is longer than one line of a header, so that it is folded';
		const {error} = await resend.emails.send({
			from: 'Zoë "Zed" Ångström, 株式会社 <zoe@acme.test>',
			to: ['"Łukasz, Ω" <lukasz@b.test>', 'Дарья 🎈 <daria@b.test>'],
			replyTo: 'Größe <groesse@b.test>',
			subject,
			text: 'Grüße 🎉\n日本語',
			html: '<p>日本語 🎉</p>',
			headers: {'X-Note': 'naïve ✓'},
			attachments: [{filename: 'Übersicht 日本.txt', content: Buffer.from('x')}],
		});
		expect(error).toBeNull();
		expect(await only()).toMatchObject({
			from_name: 'Zoë "Zed" Ångström, 株式会社',
			recipients: {
				to: [
					{name: 'Łukasz, Ω', address: 'lukasz@b.test'},
					{name: 'Дарья 🎈', address: 'daria@b.test'},
				],
				reply_to: [{name: 'Größe', address: 'groesse@b.test'}],
			},
			subject,
			text: 'Grüße 🎉\n日本語',
			html: '<p>日本語 🎉</p>',
			attachments: [{filename: 'Übersicht 日本.txt'}],
			headers: expect.arrayContaining([{name: 'X-Note', value: 'naïve ✓'}]),
		});
	});

	test('has all recipients in its envelope, and bcc recipients only there', async () => {
		const {resend, only} = await open();
		const to = Array.from({length: 50}, (_, index) => `to${index}@b.test`);
		const {error} = await resend.emails.send({
			...plain,
			to,
			cc: ['Carl <carl@c.test>', 'cora@c.test'],
			bcc: 'secret@d.test',
			replyTo: ['one@e.test', 'Two <two@e.test>'],
		});
		expect(error).toBeNull();
		const message = await only();
		expect(message.recipients.to.map(({address}) => address)).toEqual(to);
		expect(message.recipients.cc).toEqual([
			{name: 'Carl', address: 'carl@c.test'},
			{name: null, address: 'cora@c.test'},
		]);
		expect(message.reply_to).toEqual(['one@e.test', 'two@e.test']);
		expect(message.envelope.to).toEqual([...to, 'carl@c.test', 'cora@c.test', 'secret@d.test']);
		expect(JSON.stringify(message.headers)).not.toContain('secret');
	});

	test('keeps its headers and tags', async () => {
		const {resend, only} = await open();
		const tags = [
			{name: 'category', value: 'confirm_email'},
			{name: 'user-id', value: '42'},
		];
		await resend.emails.send({
			...plain,
			headers: {'X-Entity-Ref-ID': 'abc', 'List-Unsubscribe': '<https://a.test/u>'},
			tags,
		});
		const message = await only();
		expect(message.headers).toEqual(
			expect.arrayContaining([
				{name: 'X-Entity-Ref-ID', value: 'abc'},
				{name: 'List-Unsubscribe', value: '<https://a.test/u>'},
			]),
		);
		expect(message.session).toMatchObject({request: {tags}});
	});

	test('keeps the id and the data of its template', async () => {
		const {resend, client, id, only} = await open();
		const template = {id: 'welcome', variables: {NAME: 'Ann', CODE: 428913}};
		expect((await resend.emails.send({to: 'a@b.test', from, subject: 'Hi', template})).error).toBeNull();
		const message = await only();
		expect(message).toMatchObject({subject: 'Hi', session: {request: {template: {id: 'welcome'}}}});
		expect(await client.messages.request(id, message.id)).toMatchObject({provider: 'resend', data: template.variables});
	});

	test('with a template may lack a sender, and a warning names the default', async () => {
		const {post, only} = await open();
		expect((await post('/emails', {to: 'a@b.test', template: {id: 'welcome'}})).status).toBe(200);
		expect(await only()).toMatchObject({
			from: 'onboarding@resend.dev',
			warnings: [
				'"from" is missing and tinbox does not know the sender of the template. Using onboarding@resend.dev.',
				expect.stringContaining('is not registered'),
			],
		});
	});

	test('has warnings about options without effect', async () => {
		const {post, only} = await open();
		const {status} = await post('/emails', {
			...plain,
			scheduled_at: 'in 1 hour',
			topic_id: 'topic',
			headers: {'Message-ID': '<mine@a.test>', 'X-Kept': 'yes'},
			attachments: [{filename: 'far.pdf', path: 'https://example.com/far.pdf', color: 'red'}],
			send_at: 'tomorrow',
			$ref: {deep: true},
		});
		expect(status).toBe(200);
		expect((await only()).warnings).toEqual([
			'"attachments[0].path" was ignored: tinbox does not download files, so this one is not attached.',
			'"headers.Message-ID" was ignored: tinbox sets this header.',
			'"scheduled_at" is "in 1 hour", but tinbox delivers immediately.',
			'"topic_id" has no effect: tinbox has no topic subscriptions.',
			'Unknown fields were ignored: "send_at", "$ref", "attachments[0].color".',
		]);
	});
});

describe('a Resend batch', () => {
	const batch = [1, 2, 3].map(number => ({...plain, subject: `Mail ${number}`}));

	test('is answered with the ids in order', async () => {
		const {resend, list} = await open();
		const {data, error} = await resend.batch.send(batch);
		expect(error).toBeNull();
		const ids = data?.data.map(({id}) => `${id}@resend.dev`);
		const messages = await list();
		expect(messages.map(({subject}) => subject).sort()).toEqual(['Mail 1', 'Mail 2', 'Mail 3']);
		expect(batch.map(({subject}) => messages.find(message => message.subject === subject)?.message_id)).toEqual(ids);
	});

	test('is rejected completely if one mail is invalid', async () => {
		const {resend, list} = await open();
		const {error} = await resend.batch.send([...batch, {...plain, to: 'nobody'}]);
		expect(error).toMatchObject({statusCode: 422, name: 'validation_error'});
		expect(await list()).toEqual([]);
	});

	test('in permissive mode sends its valid mails', async () => {
		const {resend, list} = await open();
		const mixed = [{...plain, to: []}, batch[0], {...plain, to: 'nobody'}, batch[1]];
		const {data, error} = await resend.batch.send(mixed as typeof batch, {batchValidation: 'permissive'});
		expect(error).toBeNull();
		expect(data).toEqual({
			data: [{id: expect.any(String)}, {id: expect.any(String)}],
			errors: [
				{index: 0, message: 'Missing `to` field.'},
				{index: 2, message: expect.stringContaining('Invalid `to` field.')},
			],
		});
		expect((await list()).map(({subject}) => subject).sort()).toEqual(['Mail 1', 'Mail 2']);
	});

	test('has 1 to 100 mails', async () => {
		const {resend, list} = await open();
		for (const length of [0, 101]) {
			const {error} = await resend.batch.send(Array.from({length}, () => plain));
			expect(error).toMatchObject({statusCode: 422, name: 'validation_error'});
		}

		expect(await list()).toEqual([]);
		expect((await resend.batch.send(Array.from({length: 100}, () => plain))).data?.data).toHaveLength(100);
	});
});

describe('retrieving a sent mail from Resend', () => {
	test('returns the mail by the id of the response', async () => {
		const {resend} = await open();
		const tags = [{name: 'category', value: 'welcome'}];
		const {data} = await resend.emails.send({
			...plain,
			cc: 'Carl <carl@c.test>',
			bcc: 'secret@d.test',
			replyTo: 'r@e.test',
			tags,
		});
		const retrieved = await resend.emails.get(data?.id ?? '');
		expect(retrieved.error).toBeNull();
		expect(retrieved.data).toMatchObject({
			object: 'email',
			id: data?.id,
			message_id: `<${data?.id}@resend.dev>`,
			from: 'Shop <shop@acme.test>',
			to: ['ann@example.com'],
			cc: ['Carl <carl@c.test>'],
			bcc: ['secret@d.test'],
			reply_to: ['r@e.test'],
			subject: 'Hello',
			text: expect.stringContaining('428913'),
			html: null,
			last_event: 'delivered',
			tags,
		});
		expect(Date.parse(retrieved.data?.created_at ?? '')).toBeLessThanOrEqual(Date.now());
	});

	test('with the key of another inbox returns 404', async () => {
		const [own, other] = [await open(), await open()];
		const {data} = await own.resend.emails.send(plain);
		const {error} = await other.resend.emails.get(data?.id ?? '');
		expect(error).toEqual({statusCode: 404, name: 'not_found', message: 'Email not found.'});
		const wrong = await own.resend.emails.get('17');
		expect(wrong.error).toMatchObject({statusCode: 422, name: 'invalid_parameter'});
	});
});

describe('a Resend idempotency key', () => {
	test('makes a repeated request return the same response without another mail', async () => {
		const {resend, list} = await open();
		const send = async () => resend.emails.send(plain, {idempotencyKey: 'welcome/1'});
		const [first, second] = [await send(), await send()];
		expect(first.error).toBeNull();
		expect(second.data).toEqual(first.data);
		expect(await list()).toHaveLength(1);
	});

	test('makes a repeated batch return the same response without another mail', async () => {
		const {resend, list} = await open();
		const send = async () => resend.batch.send([plain, plain], {idempotencyKey: 'batch/1'});
		const [first, second] = [await send(), await send()];
		expect(first.data?.data).toHaveLength(2);
		expect(second.data).toEqual(first.data);
		expect(await list()).toHaveLength(2);
	});

	test('of concurrent requests is used once, and the others succeed or get 409', async () => {
		const {resend, list} = await open();
		const answers = await Promise.all(
			Array.from({length: 20}, async () => resend.emails.send(plain, {idempotencyKey: 'welcome/1'})),
		);
		const ids = new Set(answers.flatMap(({data}) => (data ? [data.id] : [])));
		expect(ids.size).toBe(1);
		for (const {error} of answers.filter(({data}) => !data)) {
			expect(error).toMatchObject({statusCode: 409, name: 'concurrent_idempotent_requests'});
		}

		expect(await list()).toHaveLength(1);
	});

	test('reused for another request is rejected', async () => {
		const {resend, list} = await open();
		await resend.emails.send(plain, {idempotencyKey: 'welcome/1'});
		const {error} = await resend.emails.send({...plain, text: 'Other'}, {idempotencyKey: 'welcome/1'});
		expect(error).toEqual({
			statusCode: 409,
			name: 'invalid_idempotent_request',
			message: 'Same idempotency key used with a different request payload.',
		});
		expect(await list()).toHaveLength(1);
	});

	test('long texts of a request are cut in the answer, and the receipt of an answer above 64 KiB is not stored', async () => {
		const {post} = await open();
		const mails = Array.from({length: 100}, () => ({...plain, to: 'x'.repeat(2000)}));
		const send = async (count: number) =>
			post('/emails/batch', mails.slice(0, count), {
				'x-batch-validation': 'permissive',
				'idempotency-key': `errors-${count}`,
			});
		const headers = {...plain, headers: {['x'.repeat(100_000)]: 1}};
		const {body} = await post('/emails', headers);
		expect(JSON.stringify(body).length).toBeLessThan(2000);
		expect((await send(10)).body).toEqual((await send(10)).body);
		expect((await send(100)).status).toBe(200);
	});

	test('has 1 to 256 characters', async () => {
		const {resend, list} = await open();
		const {error} = await resend.emails.send(plain, {idempotencyKey: 'x'.repeat(257)});
		expect(error).toEqual({
			statusCode: 400,
			name: 'invalid_idempotency_key',
			message: 'The key must be between 1-256 chars.',
		});
		expect(await list()).toEqual([]);
		expect((await resend.emails.send(plain, {idempotencyKey: 'x'.repeat(256)})).error).toBeNull();
	});
});

const format = 'The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.';

/** Invalid mails with the error that the SDK returns. */
const invalidMails: ReadonlyArray<
	[title: string, email: object, error: {statusCode: number; name: string; message: unknown}]
> = [
	['a missing recipient', {...plain, to: undefined}, missing('to')],
	['an empty list of recipients', {...plain, to: []}, missing('to')],
	['a missing sender', {...plain, from: undefined}, missing('from')],
	['a missing subject', {...plain, subject: undefined}, missing('subject')],
	['an empty subject', {...plain, subject: ''}, missing('subject')],
	['no content', {...plain, text: undefined}, invalid('Missing `html` or `text` field.')],
	[
		'a subject with a line break',
		{...plain, subject: 'a\nBcc: b@c.test'},
		invalid('The `\\n` is not allowed in the `subject` field.'),
	],
	[
		'an invalid sender',
		{...plain, from: 'Acme'},
		{statusCode: 422, name: 'invalid_from_address', message: `Invalid \`from\` field. ${format}`},
	],
	['an invalid recipient', {...plain, to: ['a@b.test', 'nobody']}, invalid(`Invalid \`to\` field. ${format}`)],
	['two recipients in one string', {...plain, to: 'a@b.test, c@d.test'}, invalid(`Invalid \`to\` field. ${format}`)],
	[
		'a recipient with a line break',
		{...plain, to: 'A\r\nBcc: b@c.test <a@b.test>'},
		invalid(`Invalid \`to\` field. ${format}`),
	],
	['an invalid cc', {...plain, cc: 'undisclosed-recipients:;'}, invalid(`Invalid \`cc\` field. ${format}`)],
	['an invalid bcc', {...plain, bcc: '@b.test'}, invalid(`Invalid \`bcc\` field. ${format}`)],
	['an invalid reply-to', {...plain, replyTo: 'a@'}, invalid(`Invalid \`reply_to\` field. ${format}`)],
	[
		'too many recipients',
		{...plain, to: Array(51).fill('a@b.test')},
		invalid(expect.stringContaining('51 recipients')),
	],
	['a subject that is not a string', {...plain, subject: 7}, invalid('Invalid `subject` field. It must be a string.')],
	[
		'a header that is not a string',
		{...plain, headers: {'X-Count': 1}},
		invalid(expect.stringContaining('`headers.X-Count`')),
	],
	[
		'a header with a line break',
		{...plain, headers: {'X-A': 'a\r\nBcc: b@c.test'}},
		invalid(expect.stringContaining('`headers.X-A`')),
	],
	[
		'an attachment without content',
		{...plain, attachments: [{filename: 'a.txt'}]},
		attachment('Attachment must have either a `content` or `path`.'),
	],
	[
		'an executable attachment',
		{...plain, attachments: [{filename: 'a.EXE', content: 'AAAA'}]},
		attachment(expect.stringContaining('a.EXE')),
	],
	[
		'a tag with a space',
		{...plain, tags: [{name: 'a b', value: 'c'}]},
		invalid('Tags should only contain ASCII letters, numbers, underscores, or dashes.'),
	],
	[
		'a tag that is too long',
		{...plain, tags: [{name: 'a', value: 'b'.repeat(257)}]},
		invalid(expect.stringContaining('256')),
	],
	[
		'too many tags',
		{...plain, tags: Array(76).fill({name: 'a', value: 'b'})},
		invalid(expect.stringContaining('76 tags')),
	],
	[
		'a template and a text',
		{...plain, template: {id: 'welcome'}},
		invalid('The `template` field cannot be used with `html` or `text`.'),
	],
	[
		'a time in the past',
		{...plain, scheduledAt: '2020-01-01T00:00:00Z'},
		invalid('The `scheduled_at` field must be a future date'),
	],
];

function missing(field: string) {
	return {statusCode: 422, name: 'missing_required_field', message: `Missing \`${field}\` field.`};
}

function invalid(message: unknown) {
	return {statusCode: 422, name: 'validation_error', message};
}

function attachment(message: unknown) {
	return {statusCode: 422, name: 'invalid_attachment', message};
}

describe('an invalid Resend request', () => {
	test.each(invalidMails)('with %s is rejected with the error of Resend', async (_title, email, expected) => {
		const {resend, list} = await open();
		const {data, error} = await resend.emails.send(email as typeof plain);
		expect(data).toBeNull();
		expect(error).toEqual(expected);
		expect(await list()).toEqual([]);
	});

	test('with a missing or wrong key is rejected', async () => {
		const {sendKey, baseUrl, list} = await open();
		const wrong = new Resend(`${sendKey.slice(0, -1)}!`, {baseUrl});
		expect((await wrong.emails.send(plain)).error).toEqual({
			statusCode: 403,
			name: 'invalid_api_key',
			message: 'API key is invalid.',
		});
		const none = await fetch(`${baseUrl}/emails`, {
			method: 'POST',
			headers: {'content-type': 'application/json'},
			body: JSON.stringify(plain),
		});
		expect([none.status, await none.json()]).toEqual([
			401,
			{statusCode: 401, name: 'missing_api_key', message: 'Missing API key in the authorization header.'},
		]);
		expect(await list()).toEqual([]);
	});

	test('with malformed JSON or another content type is rejected', async () => {
		const {post} = await open();
		expect(await post('/emails', '{"from":')).toMatchObject({status: 400, body: {name: 'validation_error'}});
		expect(await post('/emails', [])).toMatchObject({status: 422, body: {name: 'validation_error'}});
		expect(await post('/emails', 'to=a', {'content-type': 'application/x-www-form-urlencoded'})).toMatchObject({
			status: 415,
			body: {statusCode: 415, name: 'validation_error'},
		});
	});

	test('to an unknown path is rejected with 404', async () => {
		const {resend} = await open();
		const {error} = await resend.domains.create({name: 'acme.test'});
		expect(error).toMatchObject({statusCode: 404, name: 'not_found', message: expect.stringContaining('/emails')});
	});
});

describe('a valid Resend request', () => {
	test('is rate-limited by a fault with a 4xx reply', async () => {
		const {resend, client, id, list} = await open();
		await client.faults.create(id, {stage: 'rcpt', reply: '451 4.7.1 Later', times: 1});
		const {error, headers} = await resend.emails.send(plain);
		expect(error).toMatchObject({statusCode: 429, name: 'rate_limit_exceeded'});
		expect(headers).toMatchObject({'retry-after': '1', 'ratelimit-remaining': '0', 'ratelimit-reset': '1'});
		expect(await list()).toEqual([]);
		expect((await resend.emails.send(plain)).error).toBeNull();
	});

	test('returns the reason of a fault with a 5xx reply, and no mail of its batch is sent', async () => {
		const {resend, client, id, list} = await open();
		await client.faults.create(id, {stage: 'rcpt', reply: '550 5.1.1 No such user', match: {to: 'gone@b.test'}});
		const {error} = await resend.batch.send([plain, {...plain, to: 'gone@b.test'}]);
		expect(error).toEqual({statusCode: 422, name: 'validation_error', message: 'No such user'});
		expect(await list()).toEqual([]);
	});

	test('gets a server error after a fault with the reply 452', async () => {
		const {resend, client, id} = await open();
		await client.faults.create(id, {stage: 'end', reply: '452 4.3.1 Full'});
		expect((await resend.emails.send(plain)).error).toMatchObject({statusCode: 500, name: 'application_error'});
	});

	test('is rejected if its sender domain is not verified', async () => {
		const strict = await openTinbox({settings: {sendVerifiedDomains: ['acme.test']}});
		const {sendKey} = await openSending(strict);
		const resend = new Resend(sendKey, {baseUrl: sendUrl(strict, 'resend')});
		expect((await resend.emails.send(plain)).error).toBeNull();
		expect((await resend.emails.send({...plain, from: 'a@other.test'})).error).toEqual({
			statusCode: 403,
			name: 'validation_error',
			message:
				'The other.test domain is not verified. Please, add and verify your domain on https://resend.com/domains',
		});
	});
});

test('a mail of several megabytes sent with Resend is stored completely', async () => {
	const {resend, only, attachment} = await open();
	const content = randomBytes(3 * 1024 * 1024);
	const {data, error} = await resend.emails.send({...plain, attachments: [{filename: 'large.bin', content}]});
	expect(error).toBeNull();
	const message = await only();
	expect(message).toMatchObject({message_id: `${data?.id}@resend.dev`, attachments: [{size: content.length}]});
	expect(content.equals(await attachment(message.id, message.attachments[0]?.id ?? ''))).toBe(true);
});
