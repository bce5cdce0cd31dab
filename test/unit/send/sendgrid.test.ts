import {randomBytes} from 'node:crypto';
import {gzipSync} from 'node:zlib';
import client from '@sendgrid/client';
import service from '@sendgrid/mail';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {FullMessageBody} from '../../../src/contract/messages.js';
import {Tinbox} from '../../helpers/tinbox.js';
import {openSending, sendUrl} from './send-inbox.js';

let tinbox: Tinbox;
beforeAll(async () => {
	tinbox = await Tinbox.open();
});
afterAll(() => tinbox.close());

/** The smallest valid request. */
const smallest = {
	personalizations: [{to: [{email: 'ann@example.com'}]}],
	from: {email: 'app@example.com'},
	subject: 'Hello',
	content: [{type: 'text/plain', value: 'Hi'}],
};

/** Opens an inbox and the SDK of SendGrid with its key. */
async function openApp() {
	const sending = await openSending(tinbox);
	client.setApiKey(sending.sendKey);
	client.setDefaultRequest('baseUrl', sendUrl(tinbox, 'sendgrid'));
	service.setClient(client);
	return {
		...sending,
		all: async () => {
			const messages = await sending.list();
			return Promise.all(messages.map(({id}) => sending.client.messages.get(sending.id, id)));
		},
		/** Sends a mail with the SDK. */
		send: (mail: object) => service.send({from: 'app@example.com', ...mail} as Parameters<typeof service.send>[0]),
		/** Sends a raw body. */
		post: (body: object) => client.request({method: 'POST', url: '/v3/mail/send', body}),
	};
}

/** Error of an SDK call: its class, status and the errors of the body. */
async function failureOf(call: Promise<unknown>) {
	const error = await call.then(
		() => undefined,
		thrown => thrown,
	);
	return {name: error?.constructor?.name, code: error?.code, errors: error?.response?.body?.errors};
}

function mailboxes(message: FullMessageBody) {
	const written = (list: FullMessageBody['recipients']['to']) =>
		list.map(({name, address}) => (name === null ? address : `${name} <${address}>`));
	const {to, cc, reply_to} = message.recipients;
	return {to: written(to), cc: written(cc), replyTo: written(reply_to)};
}

describe('a mail sent with SendGrid', () => {
	test('is stored, and the response has its id', async () => {
		const app = await openApp();
		const [{statusCode, headers, body}] = await app.send({
			to: app.address,
			subject: 'Your code',
			text: 'Your code is 123456.',
		});
		expect({statusCode, body}).toEqual({statusCode: 202, body: ''});
		const message = await app.only();
		expect(message).toMatchObject({
			from: 'app@example.com',
			from_name: null,
			subject: 'Your code',
			text: 'Your code is 123456.\n',
			html: '',
			codes: ['123456'],
			warnings: [],
			session: {
				auth: {mechanism: 'API-KEY', user: app.id},
				client: {helo: expect.stringContaining('sendgrid/')},
				request: {provider: 'sendgrid', path: '/v3/mail/send', id: headers['x-message-id'], template: null},
			},
		});
		expect(message.message_id).toMatch(`${headers['x-message-id']}@`);
	});

	test('keeps its text, HTML, non-ASCII names, cc, bcc, reply-to and headers', async () => {
		const app = await openApp();
		await app.send({
			from: {name: 'Bücher, "Läden" & mehr', email: 'app@example.com'},
			to: [{name: '山田 太郎', email: app.address}, 'Zoë <zoe@example.com>'],
			cc: 'Ольга <olga@example.com>',
			bcc: ['hidden@example.com'],
			replyToList: [{email: 'one@example.com', name: 'Une'}, {email: 'two@example.com'}],
			subject: 'Grüße, 世界 🎉 Привет',
			text: 'Schöne Grüße\nمرحبا',
			html: '<p>Schöne <b>Grüße</b> 🎉</p>',
			headers: {'X-Campaign': 'Frühling'},
		});
		const message = await app.only();
		expect(mailboxes(message)).toEqual({
			to: [`山田 太郎 <${app.address}>`, 'Zoë <zoe@example.com>'],
			cc: ['Ольга <olga@example.com>'],
			replyTo: ['Une <one@example.com>', 'two@example.com'],
		});
		expect(message).toMatchObject({
			from_name: 'Bücher, "Läden" & mehr',
			subject: 'Grüße, 世界 🎉 Привет',
			text: 'Schöne Grüße\nمرحبا',
			html: '<p>Schöne <b>Grüße</b> 🎉</p>',
			envelope: {
				from: 'app@example.com',
				to: [app.address, 'zoe@example.com', 'olga@example.com', 'hidden@example.com'],
			},
		});
		expect(message.headers).toContainEqual({name: 'X-Campaign', value: 'Frühling'});
		expect(JSON.stringify(message.headers)).not.toContain('hidden');
	});

	test('keeps its files and inline images', async () => {
		const app = await openApp();
		const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10]);
		await app.send({
			to: app.address,
			subject: 'Files',
			html: '<img src="cid:logo@example">',
			attachments: [
				{
					content: Buffer.from('Zahlen;1\r\n').toString('base64'),
					filename: 'Übersicht 数.csv',
					type: 'text/csv',
					disposition: 'attachment',
				},
				{content: image.toString('base64'), filename: 'logo.png', disposition: 'inline', content_id: 'logo@example'},
			],
		});
		const message = await app.only();
		expect(message.attachments).toHaveLength(2);
		expect(message.attachments).toEqual(
			expect.arrayContaining([
				expect.objectContaining({
					filename: 'Übersicht 数.csv',
					content_type: 'text/csv',
					disposition: 'attachment',
					content_id: null,
				}),
				expect.objectContaining({
					filename: 'logo.png',
					content_type: 'image/png',
					disposition: 'inline',
					content_id: 'logo@example',
				}),
			]),
		);
		const logo = message.attachments.find(({filename}) => filename === 'logo.png');
		expect(await app.attachment(message.id, logo?.id ?? '')).toEqual(image);
	});

	test('keeps its categories and the custom arguments of each personalization', async () => {
		const app = await openApp();
		const [{headers}] = await app.send({
			personalizations: [
				{to: app.address, customArgs: {order: '1'}},
				{
					to: app.address,
					subject: 'Second',
					from: 'other@example.com',
					customArgs: {order: '2'},
					headers: {'X-Second': 'yes'},
				},
			],
			subject: 'First',
			text: 'Hi',
			categories: ['invoices', 'monthly'],
			customArgs: {shop: 'a', order: '0'},
		});
		const messages = await app.all();
		expect(messages).toHaveLength(2);
		for (const [subject, order, from] of [
			['First', '1', 'app@example.com'],
			['Second', '2', 'other@example.com'],
		]) {
			expect(messages.find(message => message.subject === subject)).toMatchObject({
				from,
				session: {
					request: {
						id: headers['x-message-id'],
						tags: [
							{name: null, value: 'invoices'},
							{name: null, value: 'monthly'},
						],
						metadata: {shop: 'a', order},
					},
				},
			});
		}
	});

	test('is filled with substitutions and sections', async () => {
		const app = await openApp();
		await app.send({
			to: app.address,
			subject: 'Hi {{name}}',
			text: 'Hello {{name}}: {{terms}}',
			substitutions: {name: 'Ann', terms: '-terms-'},
			sections: {'-terms-': 'all is free, {{name}}.'},
		});
		expect(await app.only()).toMatchObject({subject: 'Hi Ann', text: 'Hello Ann: all is free, Ann.\n'});
	});

	test('keeps the requested template and its data', async () => {
		const app = await openApp();
		await app.send({
			to: app.address,
			templateId: 'd-123',
			dynamicTemplateData: {code: '123456', items: [{name: 'Tea'}]},
		});
		const {id, session} = await app.only();
		expect(session?.request).toMatchObject({
			template: {id: 'd-123', registered: false},
			warnings: [expect.stringContaining('is not registered')],
		});
		expect(await app.client.messages.request(app.id, id)).toMatchObject({
			provider: 'sendgrid',
			path: '/v3/mail/send',
			data: {code: '123456', items: [{name: 'Tea'}]},
		});
	});

	test('may have a thousand recipients', async () => {
		const app = await openApp();
		const to = Array.from({length: 999}, (_, index) => ({email: `user-${index}@example.com`}));
		await app.send({to: [...to, app.address], subject: 'All', text: 'Hi'});
		expect((await app.only()).envelope.to).toHaveLength(1000);
	});

	test('may expand to a hundred large mails', async () => {
		const app = await openApp();
		const personalizations = Array.from({length: 100}, (_, index) => ({
			to: [{email: `user-${index}@example.com`}],
			substitutions: {'-n-': String(index)},
		}));
		const content = [{type: 'text/plain', value: `Number -n-. ${'x'.repeat(100_000)}`}];
		await app.post({...smallest, personalizations, content});
		const messages = await app.client.messages.list(app.id, {limit: 100});
		expect(new Set(messages.map(({text}) => text.slice(0, 11))).size).toBe(100);
	});

	test('is sent separately to each recipient with isMultiple', async () => {
		const app = await openApp();
		await app.send({to: [app.address, 'other@example.com'], subject: 'Alone', text: 'Hi', isMultiple: true});
		const messages = await app.all();
		expect(messages.map(message => mailboxes(message).to).sort()).toEqual(
			[[app.address], ['other@example.com']].sort(),
		);
	});

	test('has warnings about options without effect', async () => {
		const app = await openApp();
		await app.send({
			to: app.address,
			subject: 'Later',
			text: 'Hi',
			sendAt: Math.floor(Date.now() / 1000) + 3600,
			batchId: 'b',
			ipPoolName: 'pool',
			asm: {groupId: 1},
			mailSettings: {sandboxMode: {enable: true}, footer: {enable: false}},
			trackingSettings: {clickTracking: {enable: true}, openTracking: {enable: false}},
			attachments: [{content: 'aGk=', filename: 'a.txt', contentId: 'wrong'}],
			headers: {'MIME-Version': '2.0', 'Message-ID': '<own@example.com>'},
		});
		const {warnings, message_id} = await app.only();
		expect(message_id).toBe('own@example.com');
		for (const field of [
			'send_at',
			'batch_id',
			'ip_pool_name',
			'asm',
			'mail_settings.sandbox_mode',
			'tracking_settings.click_tracking',
			'attachments.0.contentId',
			'MIME-Version',
		]) {
			expect(warnings, field).toContainEqual(expect.stringContaining(`"${field}"`));
		}

		expect(warnings).toHaveLength(8);
	});

	test('may be large', async () => {
		const app = await openApp();
		const content = randomBytes(1024 * 1024);
		await app.send({
			to: app.address,
			subject: 'Large',
			text: 'Hi',
			attachments: [{content: content.toString('base64'), filename: 'large.bin'}],
		});
		const {id, attachments} = await app.only();
		expect((await app.attachment(id, attachments[0]?.id ?? '')).equals(content)).toBe(true);
	});

	test('keeps extra content parts and copies, with warnings', async () => {
		const app = await openApp();
		const content = [
			{type: 'text/plain', value: 'One'},
			{type: 'text/plain', value: 'Two'},
			{type: 'text/calendar', value: 'BEGIN:VCALENDAR'},
		];
		const personalizations = [{to: [{email: app.address}], dynamic_template_data: {a: 1}}];
		const mail_settings = {bcc: {enable: true, email: 'copy@example.com'}};
		await app.post({...smallest, personalizations, content, mail_settings});
		const message = await app.only();
		expect(message.text).toMatch(/One\s+Two/);
		expect(message.envelope.to).toEqual([app.address, 'copy@example.com']);
		expect(message.attachments.map(({content_type}) => content_type)).toEqual(['text/calendar']);
		expect(message.warnings).toEqual([
			expect.stringContaining('"text/plain"'),
			expect.stringContaining('"text/calendar"'),
			expect.stringContaining('"dynamic_template_data"'),
		]);
	});

	test('may be compressed', async () => {
		const app = await openApp();
		const {status} = await fetch(`${sendUrl(tinbox, 'sendgrid')}/v3/mail/send`, {
			method: 'POST',
			headers: {
				Authorization: `Bearer ${app.sendKey}`,
				'Content-Type': 'application/json',
				'Content-Encoding': 'gzip',
			},
			body: gzipSync(JSON.stringify(smallest)),
		});
		expect(status).toBe(202);
		expect(await app.only()).toMatchObject({subject: 'Hello'});
	});
});

describe('the SendGrid API', () => {
	const help = (anchor: string) => `http://sendgrid.com/docs/API_Reference/Web_API_v3/Mail/errors.html#${anchor}`;
	const long = 'x'.repeat(256);
	const many = (count: number) => Array.from({length: count}, (_, index) => ({email: `user-${index}@example.com`}));
	const attached = (attachment: object) => ({attachments: [{content: 'aGk=', filename: 'a.txt', ...attachment}]});

	const cases: ReadonlyArray<
		readonly [title: string, body: object, field: string, message: RegExp, anchor: string | null]
	> = [
		[
			'empty personalizations',
			{personalizations: []},
			'personalizations',
			/required and must have at least one/,
			'-Personalizations-Errors',
		],
		[
			'too many personalizations',
			{personalizations: many(1001).map(to => ({to: [to]}))},
			'personalizations',
			/limited to 1000 .*provided 1001/,
			'-Personalizations-Errors',
		],
		[
			'too many recipients',
			{personalizations: [{to: many(1001)}]},
			'personalizations',
			/limit of 1000 total recipients/,
			'message.recipient-errors',
		],
		[
			'an empty list of recipients',
			{personalizations: [{to: []}]},
			'personalizations.0.to',
			/The to array is required/,
			'message.personalizations.to',
		],
		[
			'only a bcc',
			{personalizations: [{bcc: [{email: 'a@example.com'}]}]},
			'personalizations.0.to',
			/The to array is required/,
			'message.personalizations.to',
		],
		[
			'a recipient without an address',
			{personalizations: [{to: [{name: 'Ann'}]}]},
			'personalizations.0.to.0.email',
			/The to email parameter is required/,
			'message.personalizations.to',
		],
		[
			'an invalid address',
			{personalizations: [{to: [{email: 'ann'}]}]},
			'personalizations.0.to.0.email',
			/^Does not contain a valid address\.$/,
			'message.personalizations.to',
		],
		[
			'a duplicate recipient',
			{personalizations: [{to: [{email: 'a@example.com'}], bcc: [{email: 'A@example.com'}]}]},
			'personalizations.0',
			/first duplicate instance of \[A@example\.com\] in the personalizations\.0\.bcc field/,
			'message.recipient-errors',
		],
		[
			'a string instead of an object',
			{personalizations: [{to: ['a@example.com']}]},
			'personalizations.0.to.0',
			/Expected: object, given: string/,
			'message.personalizations.to',
		],
		[
			'null instead of a list',
			{attachments: null},
			'attachments',
			/^Invalid type\. Expected: array, given: null\.$/,
			'message.attachments',
		],
		[
			'a list instead of an object',
			{reply_to: [{email: 'a@example.com'}]},
			'reply_to',
			/Expected: object, given: array/,
			'message.reply_to',
		],
		[
			'a string instead of a number',
			{send_at: 'soon'},
			'send_at',
			/Expected: integer, given: string/,
			'message.send_at',
		],
		['a missing sender', {from: undefined}, 'from.email', /The from object must be provided/, 'message.from'],
		[
			'an invalid sender',
			{from: {email: 'nobody'}},
			'from.email',
			/^The from email does not contain a valid address\.$/,
			'message.from',
		],
		[
			'an invalid reply-to',
			{reply_to: {email: 'x'}},
			'reply_to.email',
			/The reply_to email does not contain/,
			'message.reply_to',
		],
		[
			'two reply-tos',
			{reply_to: {email: 'a@example.com'}, reply_to_list: [{email: 'b@example.com'}]},
			'reply_to_list',
			/mutually exclusive/,
			'message.reply_to_list',
		],
		['a missing subject', {subject: undefined}, 'subject', /^The subject is required/, 'message.subject'],
		['an empty subject', {subject: ''}, 'subject', /at least one character/, 'message.subject'],
		['missing content', {content: undefined}, 'content', /Unless a valid template_id is provided/, 'message.content'],
		[
			'an empty content',
			{content: [{type: 'text/plain', value: ''}]},
			'content.0.value',
			/at least one character/,
			'message.content.value',
		],
		[
			'a content type with a line break',
			{content: [{type: 'text/plain\r\nX: y', value: 'a'}]},
			'content.0.type',
			/CRLF/,
			'message.content.type',
		],
		[
			'HTML before text',
			{
				content: [
					{type: 'text/html', value: 'a'},
					{type: 'text/plain', value: 'a'},
				],
			},
			'content',
			/text\/plain needs to be first/,
			'message.content',
		],
		[
			'a file with invalid Base64',
			attached({content: 'no!'}),
			'attachments.0.content',
			/must be base64 encoded/,
			'message.attachments.content',
		],
		[
			'a file in Base64 with line breaks',
			attached({content: 'aGk=\n'}),
			'attachments.0.content',
			/must be base64 encoded/,
			'message.attachments.content',
		],
		[
			'an empty file',
			attached({content: ''}),
			'attachments.0.content',
			/at least one character/,
			'message.attachments.content',
		],
		[
			'a file without a name',
			attached({filename: undefined}),
			'attachments.0.filename',
			/filename is required/,
			'message.attachments.filename',
		],
		[
			'a file with an unknown disposition',
			attached({disposition: 'hidden'}),
			'attachments.0.disposition',
			/either "inline" or "attachment"/,
			'message.attachments.disposition',
		],
		[
			'a file type with a parameter',
			attached({type: 'text/calendar; method=REQUEST'}),
			'attachments.0.type',
			/cannot contain ';'/,
			'message.attachments.type',
		],
		[
			'a content id that is not a string',
			attached({content_id: 7}),
			'attachments.0.content_id',
			/must be a string/,
			'message.attachments.content_id',
		],
		[
			'too many categories',
			{categories: 'abcdefghijk'.split('')},
			'categories',
			/limit of 10 categories.*provided 11/,
			'message.categories',
		],
		['a duplicate category', {categories: ['a', 'a']}, 'categories', /unique list/, 'message.categories'],
		['a long category', {categories: [long]}, 'categories.0', /not be longer than 255/, 'message.categories'],
		['a non-ASCII category', {categories: ['ä']}, 'categories.0', /non-ASCII/, 'message.categories'],
		['a reserved header', {headers: {'Reply-To': 'a@example.com'}}, 'headers', /reserved keys/, 'message.headers'],
		['a duplicate header', {headers: {'X-A': '1', 'x-a': '2'}}, 'headers', /duplicate keys/, 'message.headers'],
		['a header with a space', {headers: {'X A': '1'}}, 'headers.X A', /empty spaces/, 'message.headers'],
		['a header that is not a string', {headers: {'X-A': 1}}, 'headers.X-A', /must be strings/, 'message.headers'],
		[
			'a custom argument that is not a string',
			{custom_args: {user: 1}},
			'custom_args.user',
			/must be strings/,
			'message.custom_args',
		],
		[
			'long custom arguments',
			{custom_args: {user: 'x'.repeat(50_000)}},
			'custom_args',
			/50,000 bytes/,
			'message.custom_args',
		],
		[
			'a substitution that is not a string',
			{personalizations: [{to: many(1), substitutions: {a: 1}}]},
			'personalizations.0.substitutions.a',
			/all strings/,
			'message.personalizations.substitutions',
		],
		[
			'substitutions in a dynamic template',
			{template_id: 'd-1', personalizations: [{to: many(1), substitutions: {a: 'b'}}]},
			'personalizations.0.substitutions',
			/may not be used with dynamic templating/,
			'message.personalizations.substitutions',
		],
		['a time too far ahead', {send_at: 4_000_000_000}, 'send_at', /72 hours/, 'message.send_at'],
		[
			'a template id that is not a string',
			{template_id: 1},
			'template_id',
			/must be a string, you provided 1/,
			'message.template_id',
		],
		[
			'a group id that is not a number',
			{asm: {group_id: 'a'}},
			'asm.group_id',
			/must be an integer/,
			'message.asm.group_id',
		],
		[
			'a copy without a recipient',
			{mail_settings: {bcc: {enable: true}}},
			'mail_settings.bcc.email',
			/must include a recipient object/,
			'message.mail_settings.bcc',
		],
		[
			'a setting that is not a boolean',
			{mail_settings: {sandbox_mode: {enable: 'yes'}}},
			'mail_settings.sandbox_mode.enable',
			/boolean value/,
			'message.mail_settings.sandbox_mode.enable',
		],
	];

	test('rejects invalid mails with the errors of SendGrid', async () => {
		const app = await openApp();
		for (const [title, body, field, message, anchor] of cases) {
			const failure = await failureOf(app.post({...smallest, ...body}));
			expect(failure, title).toMatchObject({name: 'ResponseError', code: 400});
			expect(failure.errors, title).toContainEqual({
				field,
				message: expect.stringMatching(message),
				help: anchor && help(anchor),
			});
		}

		expect(await app.list()).toEqual([]);
	});

	test('reports all errors of a request', async () => {
		const {errors} = await failureOf((await openApp()).post({personalizations: [{to: []}], content: []}));
		expect(errors.map(({field}: {field: string}) => field)).toEqual([
			'personalizations.0.to',
			'subject',
			'from.email',
			'content',
		]);
	});

	test('rejects a wrong and a missing key with different errors', async () => {
		const app = await openApp();
		const refused = (message: string) => ({
			name: 'ResponseError',
			code: 401,
			errors: [{message, field: null, help: null}],
		});
		client.setApiKey(app.sendKey.replace(/.$/, last => (last === 'a' ? 'b' : 'a')));
		client.setDefaultRequest('baseUrl', sendUrl(tinbox, 'sendgrid'));
		expect(await failureOf(app.post(smallest))).toEqual(
			refused('The provided authorization grant is invalid, expired, or revoked'),
		);
		const nameless = await fetch(`${sendUrl(tinbox, 'sendgrid')}/v3/mail/send`, {method: 'POST'});
		expect([nameless.status, await nameless.json()]).toEqual([
			401,
			{errors: [{message: 'Permission denied, wrong credentials', field: null, help: null}]},
		]);
	});

	test('returns the error that corresponds to the reply of a fault', async () => {
		const app = await openApp();
		const mail = {...smallest, personalizations: [{to: [{email: app.address}]}]};
		for (const [reply, code, message] of [
			['451 4.7.1 Later', 429, 'too many requests'],
			['550 5.7.1 Never', 400, 'Never'],
			['452 4.3.1 Full', 503, 'service unavailable'],
			['552 5.3.4 Too large', 413, 'content too large'],
		] as const) {
			await app.client.faults.create(app.id, {stage: 'end', reply, times: 1});
			const failure = await failureOf(app.post(mail));
			expect(failure, reply).toMatchObject({code, errors: [{message: expect.stringContaining(message), field: null}]});
		}

		await app.post(mail);
		expect(await app.list()).toHaveLength(1);
	});

	test('rejects unverified sender domains if verified domains are configured', async () => {
		const strict = await Tinbox.open({settings: {sendVerifiedDomains: ['verified.example']}});
		onTestFinished(() => strict.close());
		client.setApiKey('SG.any');
		client.setDefaultRequest('baseUrl', sendUrl(strict, 'sendgrid'));
		expect(await failureOf(client.request({method: 'POST', url: '/v3/mail/send', body: smallest}))).toEqual({
			name: 'ResponseError',
			code: 403,
			errors: [
				{message: expect.stringContaining('does not match a verified Sender Identity'), field: 'from', help: null},
			],
		});
		const mail = {...smallest, from: {email: 'app@verified.example'}};
		const [{statusCode}] = await client.request({method: 'POST', url: '/v3/mail/send', body: mail});
		expect(statusCode).toBe(202);
	});

	test('rejects another content type, malformed JSON and an unknown route', async () => {
		const app = await openApp();
		const request = async (path: string, type: string, body: string) => {
			const response = await fetch(sendUrl(tinbox, 'sendgrid') + path, {
				method: 'POST',
				headers: {Authorization: `Bearer ${app.sendKey}`, 'Content-Type': type},
				body,
			});
			return [response.status, await response.json()];
		};
		const errors = (message: unknown, help: unknown = null) => ({errors: [{message, field: null, help}]});
		expect(await request('/v3/mail/send', 'text/plain', 'a')).toEqual([
			415,
			errors('Content-Type should be application/json.'),
		]);
		expect(await request('/v3/mail/send', 'application/json', '{')).toEqual([
			400,
			errors('Bad Request', expect.stringContaining('JSON')),
		]);
		expect(await request('/v3/mail/send', 'application/json', '[]')).toEqual([
			400,
			errors('Invalid type. Expected: object, given: array.'),
		]);
		expect(await request('/v3/marketing/contacts', 'application/json', '{}')).toEqual([
			404,
			errors(expect.stringContaining('/v3/mail/send')),
		]);
	});
});
