import {randomBytes} from 'node:crypto';
import {Errors, ServerClient} from 'postmark';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {openTinbox, Tinbox} from '../../helpers/tinbox.js';
import {openSending, sendUrl} from './send-inbox.js';

let tinbox: Tinbox;
beforeAll(async () => {
	tinbox = await Tinbox.open();
});
afterAll(async () => tinbox.close());

function clientOf(token: string, url: string): ServerClient {
	return new ServerClient(token, {requestHost: url.replace('http://', ''), useHttps: false});
}

async function open() {
	const sending = await openSending(tinbox);
	const url = sendUrl(tinbox, 'postmark');
	/** Sends a raw request. */
	const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
		const response = await fetch(url + path, {
			method: 'POST',
			headers: {'x-postmark-server-token': sending.sendKey, 'content-type': 'application/json', ...headers},
			body: typeof body === 'string' ? body : JSON.stringify(body),
		});
		return {status: response.status, body: await response.json()};
	};
	return {...sending, url, postmark: clientOf(sending.sendKey, url), post};
}

const plain = {
	From: 'Shop <shop@acme.test>',
	To: 'ann@example.com',
	Subject: 'Hello',
	TextBody: 'Your code is 428913.',
};
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const sent = {
	SubmittedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
	MessageID: expect.stringMatching(/^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/),
	ErrorCode: 0,
	Message: 'OK',
};

describe('a mail sent with Postmark', () => {
	test('has the requested text, and the response has its id', async () => {
		const {postmark, only} = await open();
		const answer = await postmark.sendEmail(plain);
		expect(answer).toEqual({...sent, To: 'ann@example.com'});
		expect(await only()).toMatchObject({
			from: 'shop@acme.test',
			from_name: 'Shop',
			recipients: {to: [{name: null, address: 'ann@example.com'}]},
			subject: 'Hello',
			text: 'Your code is 428913.\n',
			html: '',
			codes: ['428913'],
			message_id: `${answer.MessageID}@mtasv.net`,
			envelope: {from: 'shop@acme.test', to: ['ann@example.com']},
			session: {
				request: {provider: 'postmark', path: '/email', id: answer.MessageID, tags: [], metadata: {}, template: null},
			},
			warnings: [],
		});
	});

	test('has its HTML and a text', async () => {
		const html = await open();
		await html.postmark.sendEmail({From: 'a@b.test', To: 'c@d.test', Subject: '', HtmlBody: '<p>Hi <b>you</b></p>'});
		expect(await html.only()).toMatchObject({subject: '', html: '<p>Hi <b>you</b></p>\n', text: 'Hi you'});
		const both = await open();
		await both.postmark.sendEmail({...plain, HtmlBody: '<p>Hi</p>', TextBody: 'Hi there'});
		expect(await both.only()).toMatchObject({html: '<p>Hi</p>', text: 'Hi there'});
	});

	test('has its attachments and its inline images', async () => {
		const {postmark, only, attachment} = await open();
		await postmark.sendEmail({
			...plain,
			HtmlBody: '<img src="cid:logo-1">',
			Attachments: [
				{
					Name: 'notes.txt',
					Content: Buffer.from('Grüße\n').toString('base64'),
					ContentType: 'text/plain',
					ContentID: '',
				},
				{Name: 'logo.png', Content: pixel, ContentType: 'image/png', ContentID: 'cid:logo-1'},
			],
		});
		const message = await only();
		expect(message.attachments).toMatchObject([
			{filename: 'logo.png', content_type: 'image/png', content_id: 'logo-1', disposition: 'inline'},
			{filename: 'notes.txt', content_type: 'text/plain', content_id: null, disposition: 'attachment'},
		]);
		const contents = await Promise.all(message.attachments.map(async ({id}) => attachment(message.id, id)));
		expect(contents).toEqual([Buffer.from(pixel, 'base64'), Buffer.from('Grüße\n')]);
		expect(message.warnings).toEqual([]);
	});

	test('keeps Unicode in all fields', async () => {
		const {postmark, only} = await open();
		const Subject =
			'Prüfung ✓ 日本語 — 🎉 and a subject that is longer than one line of a header, so that it is folded';
		const answer = await postmark.sendEmail({
			From: '"Zoë \\"Zed\\" Ångström, 株式会社" <zoe@acme.test>',
			To: '"Łukasz, Ω" <lukasz@b.test>, Дарья 🎈 <daria@b.test>',
			ReplyTo: 'Größe <groesse@b.test>',
			Subject,
			TextBody: 'Grüße 🎉\n日本語',
			HtmlBody: '<p>日本語 🎉</p>',
			Headers: [{Name: 'X-Note', Value: 'naïve ✓'}],
			Tag: 'größe',
			Metadata: {größe: '日本'},
			Attachments: [{Name: 'Übersicht 日本.txt', Content: 'eA==', ContentType: 'text/plain', ContentID: null}],
		});
		expect(answer.To).toBe('"Łukasz, Ω" <lukasz@b.test>, Дарья 🎈 <daria@b.test>');
		expect(await only()).toMatchObject({
			from_name: 'Zoë "Zed" Ångström, 株式会社',
			recipients: {
				to: [
					{name: 'Łukasz, Ω', address: 'lukasz@b.test'},
					{name: 'Дарья 🎈', address: 'daria@b.test'},
				],
				reply_to: [{name: 'Größe', address: 'groesse@b.test'}],
			},
			subject: Subject,
			text: 'Grüße 🎉\n日本語',
			html: '<p>日本語 🎉</p>',
			attachments: [{filename: 'Übersicht 日本.txt'}],
			headers: expect.arrayContaining([{name: 'X-Note', value: 'naïve ✓'}]),
			session: {request: {tags: [{name: null, value: 'größe'}], metadata: {größe: '日本'}}},
		});
	});

	test('has all recipients in its envelope, and Bcc recipients only there', async () => {
		const {postmark, only} = await open();
		const to = Array.from({length: 47}, (_, index) => `to${index}@b.test`);
		await postmark.sendEmail({
			...plain,
			To: to.join(','),
			Cc: 'Carl <carl@c.test>, cora@c.test',
			Bcc: 'secret@d.test',
			ReplyTo: 'one@e.test, Two <two@e.test>',
		});
		const message = await only();
		expect(message.recipients.to.map(({address}) => address)).toEqual(to);
		expect(message.cc).toEqual(['carl@c.test', 'cora@c.test']);
		expect(message.reply_to).toEqual(['one@e.test', 'two@e.test']);
		expect(message.envelope.to).toEqual([...to, 'carl@c.test', 'cora@c.test', 'secret@d.test']);
		expect(JSON.stringify(message.headers)).not.toContain('secret');
	});

	test('needs no To if it has another recipient', async () => {
		const {postmark, only} = await open();
		expect(await postmark.sendEmail({From: 'a@b.test', Bcc: 'c@d.test', Subject: '', TextBody: 'Hi'})).toEqual(sent);
		expect(await only()).toMatchObject({recipients: {to: []}, envelope: {to: ['c@d.test']}});
	});

	test('keeps its headers, tag and metadata', async () => {
		const {postmark, only} = await open();
		await postmark.sendEmail({
			...plain,
			Headers: [
				{Name: 'X-Order', Value: '7'},
				{Name: 'X-PM-KeepID', Value: 'true'},
				{Name: 'Message-ID', Value: '<mine@acme.test>'},
			],
			Tag: 'welcome',
			Metadata: {user: '42', plan: 'pro'},
			MessageStream: 'outbound',
			TrackOpens: false,
		});
		const message = await only();
		expect(message).toMatchObject({
			message_id: 'mine@acme.test',
			session: {request: {tags: [{name: null, value: 'welcome'}], metadata: {user: '42', plan: 'pro'}}},
			warnings: [],
		});
		expect(message.headers).toEqual(expect.arrayContaining([{name: 'X-Order', value: '7'}]));
	});

	test('keeps the name and the data of its template', async () => {
		const byAlias = await open();
		const TemplateModel = {name: 'Ann', items: [{price: 3}]};
		const {From, To} = plain;
		const answer = await byAlias.postmark.sendEmailWithTemplate({From, To, TemplateAlias: 'welcome', TemplateModel});
		expect(answer).toEqual({...sent, To});
		const message = await byAlias.only();
		expect(message).toMatchObject({session: {request: {path: '/email/withTemplate', template: {id: 'welcome'}}}});
		const request = await byAlias.client.messages.request(byAlias.id, message.id);
		expect(request).toMatchObject({provider: 'postmark', data: TemplateModel});
		const byId = await open();
		await byId.postmark.sendEmailWithTemplate({From, To, TemplateId: 1234, TemplateModel: {}});
		expect(await byId.only()).toMatchObject({session: {request: {template: {id: '1234'}}}});
	});

	test('has warnings about options without effect', async () => {
		const {post, only} = await open();
		const {status} = await post('/email', {
			...plain,
			From: 'a@b.test, c@d.test',
			TrackOpens: true,
			TrackLinks: 'HtmlOnly',
			MessageStream: 'broadcast',
			Headers: [{Name: 'Message-ID', Value: '<mine@a.test>', Extra: 1}],
			SendAt: 'tomorrow',
		});
		expect(status).toBe(200);
		expect((await only()).warnings).toEqual([
			'"From" has several senders. The first one is used.',
			'The header "Message-ID" in "Headers" was ignored: tinbox sets it.',
			'"TrackOpens" has no effect: tinbox does not track opens.',
			'"TrackLinks" has no effect: tinbox does not rewrite links.',
			'"MessageStream" is "broadcast", but tinbox does not separate streams.',
			'Unknown fields were ignored: "SendAt", "Headers[0].Extra".',
		]);
	});

	test('with the test token is delivered to its recipients', async () => {
		const {url, client, list} = await open();
		const {email_address: address} = await client.inboxes.create({});
		const answer = await clientOf('POSTMARK_API_TEST', url).sendEmail({...plain, To: address});
		expect(answer).toMatchObject({ErrorCode: 0, Message: 'Test job accepted'});
		expect(await list()).toEqual([]);
		expect(await client.messages.list(address)).toHaveLength(1);
	});
});

describe('a Postmark batch', () => {
	test('has a result per message in order, and its valid messages are sent', async () => {
		const {postmark, list} = await open();
		const answers = await postmark.sendEmailBatch([
			{...plain, Subject: 'First'},
			{...plain, To: 'World'},
			{...plain, Subject: 'Third', To: 'carl@c.test'},
			{From: 'a@b.test', To: 'c@d.test', Subject: ''},
		]);
		expect(answers).toEqual([
			{...sent, To: 'ann@example.com'},
			{ErrorCode: 300, Message: "Error parsing 'To': Illegal email address 'World'. It must contain the '@' symbol."},
			{...sent, To: 'carl@c.test'},
			{ErrorCode: 300, Message: 'Provide either email TextBody or HtmlBody or both.'},
		]);
		const messages = await list();
		const idOf = (subject: string) => messages.find(message => message.subject === subject)?.message_id;
		expect(messages).toHaveLength(2);
		expect([idOf('First'), idOf('Third')]).toEqual([answers[0], answers[2]].map(one => `${one?.MessageID}@mtasv.net`));
	});

	test('with templates has a result per message', async () => {
		const {postmark, list} = await open();
		const {From, To} = plain;
		const answers = await postmark.sendEmailBatchWithTemplates([
			{From, To, TemplateAlias: 'welcome', TemplateModel: {name: 'Ann'}},
			{From, To, TemplateModel: {}},
		]);
		expect(answers).toEqual([
			{...sent, To},
			{ErrorCode: 403, Message: expect.stringContaining('TemplateId')},
		]);
		expect(await list()).toHaveLength(1);
	});

	test('has at most 500 messages', async () => {
		const {postmark, list} = await open();
		const error = await postmark.sendEmailBatch(Array(501).fill(plain)).catch(error => error);
		expect(error).toBeInstanceOf(Errors.ApiInputError);
		expect(error).toMatchObject({code: 410, statusCode: 422});
		expect(await list()).toEqual([]);
	});
});

/** Invalid mails with the code and a part of the message that the SDK throws. */
const invalidMails: ReadonlyArray<[title: string, email: object, code: number, message: string]> = [
	['a missing sender', {...plain, From: undefined}, 300, "Invalid 'From' value."],
	['an invalid sender', {...plain, From: 'Acme'}, 300, "Invalid 'From' address: 'Acme'."],
	['a missing recipient', {...plain, To: undefined}, 300, 'Zero recipients specified'],
	[
		'an invalid recipient',
		{...plain, To: 'a@b.test, World'},
		300,
		"Error parsing 'To': Illegal email address 'World'. It must contain the '@' symbol.",
	],
	[
		'a name with a comma',
		{...plain, To: 'Sender, jr <a@b.test>'},
		300,
		"Error parsing 'To': Illegal email address 'Sender'.",
	],
	[
		'a recipient with a line break',
		{...plain, To: 'A\r\nBcc: x@y.test <a@b.test>'},
		300,
		"Error parsing 'To': Illegal email address",
	],
	['an invalid cc', {...plain, Cc: 'a b@c.test'}, 300, "Error parsing 'Cc': Illegal email address 'a b@c.test'."],
	['an invalid bcc', {...plain, Bcc: '@c.test'}, 300, "Error parsing 'Bcc'"],
	['an invalid reply-to', {...plain, ReplyTo: 'x'}, 300, "Error parsing 'Reply-To'"],
	['too many recipients', {...plain, Bcc: Array(50).fill('a@b.test').join(',')}, 300, 'Maximum of 50 recipients'],
	['no content', {...plain, TextBody: undefined}, 300, 'Provide either email TextBody or HtmlBody or both.'],
	['a subject with a line break', {...plain, Subject: 'a\nBcc: b@c.test'}, 300, "Invalid 'Subject' value."],
	['a subject that is not a string', {...plain, Subject: 7}, 403, 'Invalid request field(s) - Subject.'],
	['a text that is too large', {...plain, TextBody: 'x'.repeat(5 * 1024 * 1024 + 1)}, 300, 'up to 5 MB each'],
	['a tag that is too long', {...plain, Tag: 'x'.repeat(1001)}, 300, "Invalid 'Tag' value."],
	[
		'metadata with a long name',
		{...plain, Metadata: {onboarding_experiment: '1'}},
		300,
		"The 'onboarding_experiment' field",
	],
	['metadata with a long value', {...plain, Metadata: {key: 'x'.repeat(81)}}, 300, "The 'key' field"],
	[
		'too much metadata',
		{...plain, Metadata: Object.fromEntries(Array.from({length: 11}, (_, index) => [`key${index}`, '1']))},
		300,
		'limited to 10 fields',
	],
	[
		'a header with a line break',
		{...plain, Headers: [{Name: 'X-A', Value: 'a\r\nBcc: b@c.test'}]},
		300,
		'Invalid header: "X-A".',
	],
	['a header with an invalid name', {...plain, Headers: [{Name: 'X A', Value: 'a'}]}, 300, 'Invalid header: "X A".'],
	[
		'an executable attachment',
		{...plain, Attachments: [{Name: 'a.EXE', Content: 'AAAA', ContentType: 'text/plain'}]},
		411,
		'a.EXE',
	],
	[
		'an attachment with invalid Base64',
		{...plain, Attachments: [{Name: 'a', Content: '!', ContentType: 'a/b'}]},
		403,
		'Attachments[0].Content',
	],
	['an inbound stream', {...plain, MessageStream: 'inbound'}, 1236, 'Sending is not supported'],
	['an invalid stream name', {...plain, MessageStream: 'No such'}, 1235, 'does not exist on this server'],
	['an invalid tracking option', {...plain, TrackLinks: 'Some'}, 403, 'TrackLinks'],
];

describe('an invalid Postmark request', () => {
	test.each(invalidMails)('with %s is rejected with the error of Postmark', async (_title, email, code, message) => {
		const {postmark, list} = await open();
		const error = await postmark.sendEmail(email as typeof plain).catch(error => error);
		expect(error).toBeInstanceOf(code === 300 ? Errors.InvalidEmailRequestError : Errors.ApiInputError);
		expect(error).toMatchObject({code, statusCode: 422, message: expect.stringContaining(message)});
		expect(await list()).toEqual([]);
	});

	test.each([
		['without a name', {TemplateModel: {}}, 'TemplateId'],
		['with an alias as its id', {TemplateId: 'welcome', TemplateModel: {}}, 'TemplateId'],
		['without data', {TemplateAlias: 'welcome'}, 'TemplateModel'],
		['with a text beside it', {TemplateAlias: 'welcome', TemplateModel: {}, TextBody: 'Hi'}, 'TextBody'],
	])('for a template %s is rejected', async (_title, fields, field) => {
		const {postmark, list} = await open();
		const {From, To} = plain;
		const email = {From, To, ...fields} as unknown as Parameters<typeof postmark.sendEmailWithTemplate>[0];
		const error = await postmark.sendEmailWithTemplate(email).catch(error => error);
		expect(error).toMatchObject({name: 'ApiInputError', code: 403, message: expect.stringContaining(field)});
		expect(await list()).toEqual([]);
	});

	test('above the maximum size is rejected', async () => {
		const {postmark} = await open();
		const Content = Buffer.alloc(8 * 1024 * 1024).toString('base64');
		const email = {...plain, Attachments: [{Name: 'a.bin2', Content, ContentType: 'a/b', ContentID: null}]};
		const error = await postmark.sendEmail(email).catch(error => error);
		expect(error).toBeInstanceOf(Errors.UnknownError);
		expect(error).toMatchObject({statusCode: 413});
	});

	test('with a missing or wrong token is rejected', async () => {
		const {sendKey, url, list} = await open();
		const error = await clientOf(`${sendKey.slice(0, -1)}!`, url)
			.sendEmail(plain)
			.catch(error => error);
		expect(error).toBeInstanceOf(Errors.InvalidAPIKeyError);
		expect(error).toMatchObject({code: 10, statusCode: 401});
		const headers = {'content-type': 'application/json'};
		const none = await fetch(`${url}/email`, {method: 'POST', headers, body: JSON.stringify(plain)});
		expect([none.status, await none.json()]).toEqual([401, {ErrorCode: 10, Message: expect.any(String)}]);
		expect(await list()).toEqual([]);
	});

	test('with malformed JSON or another content type is rejected', async () => {
		const {post} = await open();
		expect(await post('/email', '{"From":')).toMatchObject({status: 422, body: {ErrorCode: 402}});
		expect(await post('/email', [])).toMatchObject({status: 422, body: {ErrorCode: 403}});
		expect(await post('/email/batch', {})).toMatchObject({status: 422, body: {ErrorCode: 403}});
		expect(await post('/email', 'To=a', {'content-type': 'application/x-www-form-urlencoded'})).toMatchObject({
			status: 415,
			body: {ErrorCode: 409},
		});
	});

	test('to an unknown path is rejected with 404', async () => {
		const {postmark} = await open();
		const error = await postmark.getServer().catch(error => error);
		expect(error).toMatchObject({name: 'PostmarkError', statusCode: 404, message: expect.stringContaining('/email')});
	});
});

describe('a valid Postmark request', () => {
	test('is rate-limited by a fault with a 4xx reply', async () => {
		const {postmark, client, id, list} = await open();
		await client.faults.create(id, {stage: 'rcpt', reply: '451 4.7.1 Later', times: 1});
		const error = await postmark.sendEmail(plain).catch(error => error);
		expect(error).toBeInstanceOf(Errors.RateLimitExceededError);
		expect(error).toMatchObject({code: 429, statusCode: 429});
		expect(await list()).toEqual([]);
		expect(await postmark.sendEmail(plain)).toMatchObject({ErrorCode: 0});
	});

	test('has an inactive recipient after a fault with a 5xx reply to RCPT', async () => {
		const {postmark, client, id, list} = await open();
		await client.faults.create(id, {stage: 'rcpt', reply: '550 5.1.1 No such user', match: {to: 'gone@b.test'}});
		const inactive = {...plain, To: 'Gone <gone@b.test>'};
		const error = await postmark.sendEmail(inactive).catch(error => error);
		expect(error).toBeInstanceOf(Errors.InactiveRecipientsError);
		expect(error).toMatchObject({code: 406, statusCode: 422, recipients: ['gone@b.test']});
		const answers = await postmark.sendEmailBatch([plain, inactive, plain]);
		expect(answers.map(({ErrorCode}) => ErrorCode)).toEqual([0, 406, 0]);
		expect(await list()).toHaveLength(2);
	});

	test('gets a server error after a fault with the reply 452', async () => {
		const {postmark, client, id} = await open();
		await client.faults.create(id, {stage: 'end', reply: '452 4.3.1 Full'});
		const error = await postmark.sendEmail(plain).catch(error => error);
		expect(error).toBeInstanceOf(Errors.InternalServerError);
	});

	test('is rejected if its sender domain is not verified', async () => {
		const strict = await openTinbox({settings: {sendVerifiedDomains: ['acme.test']}});
		const {sendKey} = await openSending(strict);
		const postmark = clientOf(sendKey, sendUrl(strict, 'postmark'));
		const other = {...plain, From: 'a@other.test'};
		const error = await postmark.sendEmail(other).catch(error => error);
		expect(error).toBeInstanceOf(Errors.ApiInputError);
		expect(error).toMatchObject({code: 400, statusCode: 422, message: expect.stringContaining('a@other.test')});
		expect((await postmark.sendEmailBatch([plain, other])).map(({ErrorCode}) => ErrorCode)).toEqual([0, 400]);
	});
});

test('a mail of several megabytes sent with Postmark is stored completely', async () => {
	const {postmark, only, attachment} = await open();
	const content = randomBytes(3 * 1024 * 1024);
	const file = {
		Name: 'large.dat',
		Content: content.toString('base64'),
		ContentType: 'application/x-data',
		ContentID: null,
	};
	const {MessageID, To} = await postmark.sendEmail({...plain, Attachments: [file]});
	expect(To).toBe('ann@example.com');
	const message = await only();
	expect(message).toMatchObject({message_id: `${MessageID}@mtasv.net`, attachments: [{size: content.length}]});
	expect(content.equals(await attachment(message.id, message.attachments[0]?.id ?? ''))).toBe(true);
});
