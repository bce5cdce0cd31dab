import {
	GetSendQuotaCommand,
	MessageRejected as MessageRejected1,
	SESClient,
	SendBulkTemplatedEmailCommand,
	SendEmailCommand as SendEmail1,
	SendRawEmailCommand,
	SendTemplatedEmailCommand,
} from '@aws-sdk/client-ses';
import {
	BadRequestException,
	CreateEmailTemplateCommand,
	GetAccountCommand,
	MessageRejected,
	SESv2Client,
	SendBulkEmailCommand,
	SendEmailCommand,
	type SendEmailCommandInput,
	TooManyRequestsException,
} from '@aws-sdk/client-sesv2';
import {createTransport} from 'nodemailer';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {CreateFault} from '../../../src/contract/faults.js';
import type {CreatedInboxBody} from '../../../src/contract/inboxes.js';
import type {FullMessageBody, MessageBody} from '../../../src/contract/messages.js';
import {openTinbox, type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

type Inbox = {readonly id: string; readonly address: string; readonly key: string};

async function createInbox(): Promise<Inbox> {
	const response = await tinbox.request('POST', '/inboxes', {key: ann.key, body: {}});
	const {id, email_address: address, smtp} = (await response.json()) as CreatedInboxBody;
	return {id, address, key: smtp?.send_key ?? ''};
}

/** Settings of the SDKs, with one attempt per request. */
function settings(key: string, url = tinbox.url) {
	return {
		endpoint: url.replace(/\/v1$/, '/send/ses'),
		region: 'eu-west-1',
		credentials: {accessKeyId: key, secretAccessKey: 'any'},
		maxAttempts: 1,
	};
}

function clientOf(key: string, more: object = {}): SESv2Client {
	const client = new SESv2Client({...settings(key), ...more});
	onTestFinished(() => client.destroy());
	return client;
}

function oldClientOf(key: string, more: object = {}): SESClient {
	const client = new SESClient({...settings(key), ...more});
	onTestFinished(() => client.destroy());
	return client;
}

async function messagesOf({id}: Inbox, wait = 30): Promise<readonly MessageBody[]> {
	const response = await tinbox.request('GET', `/inboxes/${id}/messages?wait=${wait}`, {key: ann.key});
	return (await response.json()) as readonly MessageBody[];
}

async function onlyMessageOf(inbox: Inbox): Promise<MessageBody> {
	const [message, ...others] = await messagesOf(inbox);
	if (message === undefined || others.length > 0) {
		throw new Error('There is not one message.');
	}

	return message;
}

async function rawOf(inbox: Inbox, {id}: MessageBody): Promise<string> {
	return (await tinbox.request('GET', `/inboxes/${inbox.id}/messages/${id}/raw`, {key: ann.key})).text();
}

const hello: SendEmailCommandInput = {
	FromEmailAddress: 'Shop <shop@example.com>',
	Destination: {ToAddresses: ['ann@customer.example']},
	Content: {Simple: {Subject: {Data: 'Hello'}, Body: {Text: {Data: 'Your code is 482913'}}}},
};

const oldHello = {
	Source: 'Shop <shop@example.com>',
	Destination: {ToAddresses: ['ann@customer.example']},
	Message: {Subject: {Data: 'Hello'}, Body: {Text: {Data: 'Your code is 482913'}}},
};

describe('version 2 of the SES API', () => {
	test('sends a mail with all fields', async () => {
		const inbox = await createInbox();
		const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]);
		const {MessageId, $metadata} = await clientOf(inbox.key).send(
			new SendEmailCommand({
				FromEmailAddress: 'Größe <shop@example.com>',
				Destination: {
					ToAddresses: ['=?UTF-8?B?QsO2YmJ5?= <b@customer.example>', 'ann@customer.example'],
					CcAddresses: ['cc@customer.example'],
					BccAddresses: ['bcc@customer.example'],
				},
				ReplyToAddresses: ['Desk <desk@example.com>'],
				FeedbackForwardingEmailAddress: 'bounces@example.com',
				Content: {
					Simple: {
						Subject: {Data: 'Grüße 🎉 у вас сообщение', Charset: 'UTF-8'},
						Body: {
							Text: {Data: 'Ihr Code: 482913\n日本語', Charset: 'UTF-8'},
							Html: {Data: '<p>日本語</p><img src="cid:logo">', Charset: 'UTF-8'},
						},
						Headers: [{Name: 'X-Order', Value: '7'}],
						Attachments: [
							{FileName: 'Rechnung №1.pdf', RawContent: Buffer.from('%PDF'), ContentType: 'application/pdf'},
							{FileName: 'logo.png', RawContent: image, ContentId: 'logo', ContentDisposition: 'INLINE'},
						],
					},
				},
				EmailTags: [{Name: 'kind', Value: 'welcome'}],
				ConfigurationSetName: 'main',
			}),
		);
		expect($metadata.requestId).toMatch(/^[\da-f-]{36}$/);
		const message = await onlyMessageOf(inbox);
		expect(message).toMatchObject({
			subject: 'Grüße 🎉 у вас сообщение',
			from: 'shop@example.com',
			from_name: 'Größe',
			codes: ['482913'],
			envelope: {
				from: 'bounces@example.com',
				to: ['b@customer.example', 'ann@customer.example', 'cc@customer.example', 'bcc@customer.example'],
			},
			recipients: {
				to: [
					{name: 'Böbby', address: 'b@customer.example'},
					{name: null, address: 'ann@customer.example'},
				],
				cc: [{name: null, address: 'cc@customer.example'}],
				reply_to: [{name: 'Desk', address: 'desk@example.com'}],
			},
			session: {
				auth: {mechanism: 'API-KEY', user: inbox.id},
				request: {
					provider: 'ses',
					id: MessageId,
					tags: [{name: 'kind', value: 'welcome'}],
					metadata: {ConfigurationSetName: 'main'},
					template: null,
					warnings: [],
				},
			},
		});
		expect(message.text.trim()).toBe('Ihr Code: 482913\n日本語');
		expect(message.html.trim()).toBe('<p>日本語</p><img src="cid:logo">');
		const files = message.attachments.map(({filename, content_type, content_id, size}) => [
			filename,
			content_type,
			content_id,
			size,
		]);
		expect(files).toEqual(
			expect.arrayContaining([
				['Rechnung №1.pdf', 'application/pdf', null, 4],
				['logo.png', 'image/png', 'logo', image.length],
			]),
		);
		const response = await tinbox.request('GET', `/inboxes/${inbox.id}/messages/${message.id}`, {key: ann.key});
		expect(((await response.json()) as FullMessageBody).headers).toEqual(
			expect.arrayContaining([
				{name: 'X-Order', value: '7'},
				{name: 'Message-ID', value: `<${MessageId}@eu-west-1.amazonses.com>`},
			]),
		);
		expect(await rawOf(inbox, message)).not.toMatch(/bcc/i);
	});

	test('sends a mail with only HTML to at most 50 recipients', async () => {
		const inbox = await createInbox();
		const client = clientOf(inbox.key);
		const to = Array.from({length: 50}, (_, index) => `a${index}@customer.example`);
		const send = async (BccAddresses: string[]) =>
			client.send(
				new SendEmailCommand({
					...hello,
					Destination: {ToAddresses: to, BccAddresses},
					Content: {Simple: {Subject: {Data: 'Hello'}, Body: {Html: {Data: '<b>Hi</b>'}}}},
				}),
			);
		await expect(send(['one@more.example'])).rejects.toThrow('Recipient count exceeds 50.');
		await send([]);
		const {html, envelope} = await onlyMessageOf(inbox);
		expect(html.trim()).toBe('<b>Hi</b>');
		expect(envelope.to).toEqual(to);
	});

	test('sends a raw mail of the SES transport of nodemailer', async () => {
		const inbox = await createInbox();
		const transport = createTransport({SES: {sesClient: clientOf(inbox.key), SendEmailCommand}});
		const {messageId} = await transport.sendMail({
			from: 'shop@example.com',
			to: 'ann@customer.example',
			bcc: 'hidden@customer.example',
			subject: 'Grüße',
			text: 'Your code is 482913',
			messageId: '<mine@example.com>',
			attachments: [{filename: 'a.bin', content: Buffer.from([0, 255])}],
		});
		const message = await onlyMessageOf(inbox);
		expect(message).toMatchObject({
			subject: 'Grüße',
			codes: ['482913'],
			envelope: {from: 'shop@example.com', to: ['ann@customer.example', 'hidden@customer.example']},
			attachments: [{filename: 'a.bin', size: 2}],
		});
		const raw = await rawOf(inbox, message);
		expect(raw).toContain(`Message-ID: <${message.session?.request?.id}@eu-west-1.amazonses.com>\r\n`);
		expect(raw).not.toMatch(/mine@example|hidden@/);
		expect(messageId).toContain(message.session?.request?.id);
	});

	test('stores the data of a named template and fills an inline template', async () => {
		const [named, inline] = [await createInbox(), await createInbox()];
		const data = JSON.stringify({name: 'Ann', code: '482913'});
		const send = async ({key}: Inbox, template: object) =>
			clientOf(key).send(new SendEmailCommand({...hello, Content: {Template: {...template, TemplateData: data}}}));
		await send(named, {TemplateName: 'welcome'});
		await send(inline, {TemplateContent: {Subject: 'Hi {{name}}', Text: 'Your code is {{code}}'}});
		expect((await onlyMessageOf(named)).session?.request?.template).toEqual({id: 'welcome', registered: false});
		expect(await onlyMessageOf(inline)).toMatchObject({subject: 'Hi Ann', codes: ['482913']});
	});

	test('returns a status for each entry of a bulk request', async () => {
		const inbox = await createInbox();
		const {BulkEmailEntryResults} = await clientOf(inbox.key).send(
			new SendBulkEmailCommand({
				FromEmailAddress: 'shop@example.com',
				DefaultContent: {
					Template: {
						TemplateContent: {Subject: 'Hi {{name}}', Text: 'Your code is {{code}}'},
						TemplateData: '{"name":"friend","code":"000000"}',
					},
				},
				BulkEmailEntries: [
					{
						Destination: {ToAddresses: ['ann@customer.example']},
						ReplacementEmailContent: {ReplacementTemplate: {ReplacementTemplateData: '{"code":"482913"}'}},
					},
					{Destination: {ToAddresses: ['nobody']}},
					{Destination: {ToAddresses: ['bob@customer.example']}},
				],
			}),
		);
		expect(BulkEmailEntryResults).toMatchObject([
			{Status: 'SUCCESS'},
			{Status: 'INVALID_PARAMETER', Error: "Missing final '@domain'"},
			{Status: 'SUCCESS'},
		]);
		await expect
			.poll(async () => (await messagesOf(inbox)).map(({subject, envelope}) => [subject, ...envelope.to]).sort())
			.toEqual([
				['Hi friend', 'ann@customer.example'],
				['Hi friend', 'bob@customer.example'],
			]);
		const ids = (await messagesOf(inbox)).map(({session}) => session?.request?.id);
		expect(new Set(ids)).toEqual(new Set(BulkEmailEntryResults?.flatMap(({MessageId}) => MessageId ?? [])));
	});

	test('delivers to the inboxes of the recipients with another key', async () => {
		const inbox = await createInbox();
		const Destination = {ToAddresses: [inbox.address, 'nobody@nowhere.example']};
		await clientOf('AKIAIOSFODNN7EXAMPLE').send(new SendEmailCommand({...hello, Destination}));
		expect((await onlyMessageOf(inbox)).session?.auth).toEqual({mechanism: 'API-KEY', user: 'AKIAIOSFODNN…'});
	});
});

describe('version 1 of the SES API', () => {
	test('sends a mail with all fields', async () => {
		const inbox = await createInbox();
		const {MessageId, $metadata} = await oldClientOf(inbox.key).send(
			new SendEmail1({
				Source: 'Größe & Söhne <shop@example.com>',
				Destination: {
					ToAddresses: ['"Ann, B" <ann@customer.example>'],
					CcAddresses: [],
					BccAddresses: ['bcc@customer.example'],
				},
				ReplyToAddresses: ['desk@example.com'],
				ReturnPath: 'bounces@example.com',
				Message: {
					Subject: {Data: 'Grüße & 🎉 = +%', Charset: 'UTF-8'},
					Body: {Text: {Data: 'Code: 482913', Charset: 'UTF-8'}, Html: {Data: '<p>日本語</p>', Charset: 'UTF-8'}},
				},
				Tags: [{Name: 'kind', Value: 'welcome'}],
				ConfigurationSetName: 'main',
			}),
		);
		expect($metadata.requestId).toMatch(/^[\da-f-]{36}$/);
		expect(await onlyMessageOf(inbox)).toMatchObject({
			subject: 'Grüße & 🎉 = +%',
			from_name: 'Größe & Söhne',
			codes: ['482913'],
			envelope: {from: 'bounces@example.com', to: ['ann@customer.example', 'bcc@customer.example']},
			recipients: {
				to: [{name: 'Ann, B', address: 'ann@customer.example'}],
				cc: [],
				reply_to: [{name: null, address: 'desk@example.com'}],
			},
			session: {
				request: {
					provider: 'ses',
					id: MessageId,
					tags: [{name: 'kind', value: 'welcome'}],
					metadata: {ConfigurationSetName: 'main'},
					warnings: [],
				},
			},
		});
	});

	test('sends a raw mail', async () => {
		const inbox = await createInbox();
		const mail = 'From: shop@example.com\r\nTo: ann@customer.example\r\nSubject: Raw\r\n\r\nCode: 482913 \xe4\r\n';
		const {MessageId} = await oldClientOf(inbox.key).send(
			new SendRawEmailCommand({RawMessage: {Data: Buffer.from(mail, 'latin1')}}),
		);
		const message = await onlyMessageOf(inbox);
		expect(message).toMatchObject({subject: 'Raw', envelope: {to: ['ann@customer.example']}});
		expect(await rawOf(inbox, message)).toMatch(new RegExp(`^Message-ID: <${MessageId}@eu-west-1.amazonses.com>\r\n`));
	});

	test('stores the data of templates in single and bulk requests', async () => {
		const inbox = await createInbox();
		const client = oldClientOf(inbox.key);
		await client.send(
			new SendTemplatedEmailCommand({...oldHello, Template: 'welcome', TemplateData: '{"code":"482913"}'}),
		);
		const {Status} = await client.send(
			new SendBulkTemplatedEmailCommand({
				Source: 'shop@example.com',
				Template: 'welcome',
				DefaultTemplateData: '{"code":"1"}',
				Destinations: [
					{Destination: {ToAddresses: ['ann@customer.example']}, ReplacementTemplateData: '{"code":"2"}'},
					{Destination: {ToAddresses: ['a b@customer.example']}},
				],
			}),
		);
		expect(Status).toMatchObject([
			{Status: 'Success', MessageId: expect.any(String)},
			{Status: 'InvalidParameterValue', Error: 'Local address contains control or whitespace'},
		]);
		const templates = (await messagesOf(inbox)).map(({session}) => session?.request?.template);
		expect(templates).toEqual(Array.from({length: 2}, () => ({id: 'welcome', registered: false})));
	});
});

describe('a large SES request, which a worker thread reads,', () => {
	const content = Buffer.alloc(1024 * 1024, 'Large. ');
	const large = {FileName: 'large.txt', RawContent: content, ContentType: 'text/plain'};

	test('is stored completely in version 2', async () => {
		const inbox = await createInbox();
		const Simple = {Subject: {Data: 'Hello'}, Body: {Text: {Data: 'Hi'}}, Attachments: [large]};
		const {MessageId} = await clientOf(inbox.key).send(new SendEmailCommand({...hello, Content: {Simple}}));
		expect(await onlyMessageOf(inbox)).toMatchObject({
			attachments: [{filename: 'large.txt', size: content.length}],
			session: {request: {id: MessageId}},
		});
	});

	test('is stored completely in version 1', async () => {
		const inbox = await createInbox();
		const mail = `From: shop@example.com\r\nTo: ann@customer.example\r\n\r\n${content}\r\n`;
		await oldClientOf(inbox.key).send(new SendRawEmailCommand({RawMessage: {Data: Buffer.from(mail)}}));
		const message = await onlyMessageOf(inbox);
		expect((await rawOf(inbox, message)).endsWith(`\r\n\r\n${content}\r\n`)).toBe(true);
	});

	test('is rejected with the same error as a small one', async () => {
		const {key} = await createInbox();
		const Simple = {Subject: {Data: 'Hello'}, Body: {}, Attachments: [{...large, FileName: 'setup.exe'}]};
		expect(await thrownBy(clientOf(key).send(new SendEmailCommand({...hello, Content: {Simple}})))).toMatchObject({
			name: 'BadRequestException',
			message: "Illegal filename 'setup.exe'.",
		});
	});

	test('returns a status for each entry', async () => {
		const {key} = await createInbox();
		const {BulkEmailEntryResults} = await clientOf(key).send(
			new SendBulkEmailCommand({
				FromEmailAddress: 'shop@example.com',
				DefaultContent: {Template: {TemplateContent: {Subject: 'Hi'}, Attachments: [large]}},
				BulkEmailEntries: ['nobody', 'ann@customer.example'].map(to => ({Destination: {ToAddresses: [to]}})),
			}),
		);
		expect(BulkEmailEntryResults).toMatchObject([
			{Status: 'INVALID_PARAMETER', Error: "Missing final '@domain'"},
			{Status: 'SUCCESS'},
		]);
	});
});

/** Error of an SDK call. */
async function thrownBy(sending: Promise<unknown>): Promise<unknown> {
	return sending.then(
		() => expect.unreachable('It was sent.'),
		(error: unknown) => error,
	);
}

describe('the SES SDKs', () => {
	test('throw the production error for an invalid address', async () => {
		const {key} = await createInbox();
		const Destination = {ToAddresses: ['nobody']};
		const error = await thrownBy(clientOf(key).send(new SendEmailCommand({...hello, Destination})));
		expect(error).toBeInstanceOf(BadRequestException);
		expect(error).toMatchObject({
			name: 'BadRequestException',
			message: "Missing final '@domain'",
			$fault: 'client',
			$metadata: {httpStatusCode: 400, requestId: expect.any(String), attempts: 1},
		});
		expect(await thrownBy(oldClientOf(key).send(new SendEmail1({...oldHello, Destination})))).toMatchObject({
			name: 'InvalidParameterValue',
			message: "Missing final '@domain'",
			Type: 'Sender',
			$metadata: {httpStatusCode: 400, attempts: 1},
		});
	});

	test('throw the production error for a missing field', async () => {
		const {key} = await createInbox();
		expect(await thrownBy(clientOf(key).send(new SendEmailCommand({...hello, Content: undefined})))).toBeInstanceOf(
			BadRequestException,
		);
		expect(await thrownBy(oldClientOf(key).send(new SendEmail1({...oldHello, Message: undefined})))).toMatchObject({
			name: 'ValidationError',
			message:
				"1 validation error detected: Value null at 'message' failed to satisfy constraint: Member must not be null",
		});
	});

	test('throw the production error for a wrong or missing key', async () => {
		const {key} = await createInbox();
		const wrongKey = `${key.slice(0, -4)}0000`;
		expect(await thrownBy(clientOf(wrongKey).send(new SendEmailCommand(hello)))).toMatchObject({
			name: 'UnrecognizedClientException',
			message: 'The security token included in the request is invalid.',
			$metadata: {httpStatusCode: 403},
		});
		expect(await thrownBy(oldClientOf(wrongKey).send(new SendEmail1(oldHello)))).toMatchObject({
			name: 'InvalidClientTokenId',
			$metadata: {httpStatusCode: 403},
		});
		const unsigned = await fetch(`${settings('').endpoint}/v2/email/outbound-emails`, {
			method: 'POST',
			headers: {'Content-Type': 'application/json'},
			body: '{}',
		});
		expect(unsigned.status).toBe(403);
		expect(unsigned.headers.get('x-amzn-ErrorType')).toBe('MissingAuthenticationTokenException');
	});

	test('throw the production error for an unverified sender', async () => {
		const strict = await openTinbox({settings: {sendVerifiedDomains: ['shop.example']}});
		const message =
			'Email address is not verified. The following identities failed the check in region EU-WEST-1: shop@example.com';
		const more = settings('AKIAIOSFODNN7EXAMPLE', strict.url);
		const error = await thrownBy(clientOf('', more).send(new SendEmailCommand(hello)));
		expect(error).toBeInstanceOf(MessageRejected);
		expect(error).toMatchObject({message, $metadata: {httpStatusCode: 400}});
		const old = await thrownBy(oldClientOf('', more).send(new SendEmail1(oldHello)));
		expect(old).toBeInstanceOf(MessageRejected1);
		expect(old).toMatchObject({message});
		const {BulkEmailEntryResults} = await clientOf('', more).send(
			new SendBulkEmailCommand({
				FromEmailAddress: 'shop@example.com',
				DefaultContent: {Template: {TemplateName: 'welcome'}},
				BulkEmailEntries: [{Destination: {ToAddresses: ['ann@customer.example']}}],
			}),
		);
		expect(BulkEmailEntryResults).toEqual([{Status: 'MAIL_FROM_DOMAIN_NOT_VERIFIED', Error: message}]);
		const below = {...hello, FromEmailAddress: 'shop@eu.shop.example'};
		expect((await clientOf('', more).send(new SendEmailCommand(below))).MessageId).toBeTruthy();
		const beside = {...hello, FromEmailAddress: 'shop@myshop.example'};
		expect(await thrownBy(clientOf('', more).send(new SendEmailCommand(beside)))).toBeInstanceOf(MessageRejected);
	});

	test('throw the error that nodemailer expects when it verifies its settings', async () => {
		const inbox = await createInbox();
		const sesClient = clientOf(inbox.key);
		expect(await createTransport({SES: {sesClient, SendEmailCommand}}).verify()).toBe(true);
		expect(await messagesOf(inbox, 0)).toEqual([]);
	});

	test('throw the production error for an unsupported operation', async () => {
		const {key} = await createInbox();
		const command = new CreateEmailTemplateCommand({TemplateName: 'a', TemplateContent: {}});
		expect(await thrownBy(clientOf(key).send(command))).toMatchObject({
			name: 'UnknownOperationException',
			message: expect.stringContaining('/send/ses/v2/email/outbound-emails'),
			$metadata: {httpStatusCode: 404},
		});
	});

	test('get an error for an unsupported media type', async () => {
		const response = await fetch(`${settings('').endpoint}/v2/email/outbound-emails`, {
			method: 'POST',
			headers: {
				'Content-Type': 'text/plain',
				Authorization: 'AWS4-HMAC-SHA256 Credential=AKID/20261123/eu-west-1/ses/aws4_request',
			},
			body: '{}',
		});
		expect(response.status).toBe(415);
		expect(await response.json()).toEqual({message: 'Send the body as application/json.'});
	});
});

describe('a fault of an SES request', () => {
	async function withFault(fault: CreateFault): Promise<Inbox> {
		const inbox = await createInbox();
		const response = await tinbox.request('POST', `/inboxes/${inbox.id}/faults`, {key: ann.key, body: fault});
		expect(response.status).toBe(201);
		return inbox;
	}

	test('with a 4xx reply is thrown as throttling', async () => {
		const {key} = await withFault({stage: 'end', reply: '451 4.3.0 Later'});
		const error = await thrownBy(clientOf(key).send(new SendEmailCommand(hello)));
		expect(error).toBeInstanceOf(TooManyRequestsException);
		expect(error).toMatchObject({message: 'Maximum sending rate exceeded.', $metadata: {httpStatusCode: 429}});
		expect(await thrownBy(oldClientOf(key).send(new SendEmail1(oldHello)))).toMatchObject({
			name: 'Throttling',
			message: 'Maximum sending rate exceeded.',
			$metadata: {httpStatusCode: 400},
		});
	});

	test.each<CreateFault>([
		{stage: 'end', reply: '451 4.3.0 Later', times: 2},
		{stage: 'end', reply: '452 4.3.1 Full', times: 2},
	])('%j is overcome by the retries of the SDKs', async fault => {
		const inbox = await withFault(fault);
		const {$metadata} = await clientOf(inbox.key, {maxAttempts: 3}).send(new SendEmailCommand(hello));
		expect($metadata.attempts).toBe(3);
		const other = await withFault(fault);
		const old = await oldClientOf(other.key, {maxAttempts: 3}).send(new SendEmail1(oldHello));
		expect(old.$metadata.attempts).toBe(3);
		await onlyMessageOf(inbox);
		await onlyMessageOf(other);
	});

	test('with a 5xx reply is thrown as a rejected message and not retried', async () => {
		const {key} = await withFault({stage: 'end', reply: '554 5.7.1 Looks like spam'});
		const error = await thrownBy(clientOf(key, {maxAttempts: 3}).send(new SendEmailCommand(hello)));
		expect(error).toBeInstanceOf(MessageRejected);
		expect(error).toMatchObject({message: expect.stringContaining('Looks like spam'), $metadata: {attempts: 1}});
	});

	test('does not affect the other entries of a bulk request', async () => {
		const inbox = await withFault({stage: 'end', reply: '554 5.7.1 Looks like spam', times: 1});
		const {Status} = await oldClientOf(inbox.key).send(
			new SendBulkTemplatedEmailCommand({
				Source: 'shop@example.com',
				Template: 'welcome',
				DefaultTemplateData: '{}',
				Destinations: ['ann', 'bob'].map(name => ({Destination: {ToAddresses: [`${name}@customer.example`]}})),
			}),
		);
		expect(Status).toMatchObject([
			{Status: 'MessageRejected', Error: expect.stringContaining('Looks like spam')},
			{Status: 'Success'},
		]);
		expect((await onlyMessageOf(inbox)).envelope.to).toEqual(['bob@customer.example']);
	});
});

test('the SES API reports a large sending quota', async () => {
	const {key} = await createInbox();
	const quota = {Max24HourSend: 1_000_000, MaxSendRate: 1000, SentLast24Hours: 0};
	expect(await clientOf(key).send(new GetAccountCommand({}))).toMatchObject({
		SendQuota: quota,
		SendingEnabled: true,
		ProductionAccessEnabled: true,
		EnforcementStatus: 'HEALTHY',
	});
	expect(await oldClientOf(key).send(new GetSendQuotaCommand({}))).toMatchObject(quota);
});
