import {randomUUID} from 'node:crypto';
import {SESv2Client, SendEmailCommand} from '@aws-sdk/client-sesv2';
import sendgridClient from '@sendgrid/client';
import sendgridMail from '@sendgrid/mail';
import FormData from 'form-data';
import Mailgun from 'mailgun.js';
import {ServerClient} from 'postmark';
import {Resend} from 'resend';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {SendProvider} from '../../../src/contract/constants.js';
import {Tinbox} from '../../helpers/tinbox.js';
import {LoopWatch} from '../../slow/proof/loop-watch.js';
import {openSending, sendUrl} from './send-inbox.js';

let tinbox: Tinbox;
beforeAll(async () => {
	tinbox = await Tinbox.open();
});
afterAll(() => tinbox.close());

type Sending = Awaited<ReturnType<typeof openSending>>;

/** Sends a mail with a template by the SDK of each provider. */
const sendTemplate: Readonly<
	Record<SendProvider, (app: Sending, id: string, data: Readonly<Record<string, string>>) => Promise<unknown>>
> = {
	resend: async ({sendKey, address}, id, variables) => {
		const resend = new Resend(sendKey, {baseUrl: sendUrl(tinbox, 'resend')});
		const {data, error} = await resend.emails.send({
			from: 'App <app@example.com>',
			to: address,
			template: {id, variables},
		});
		if (error) {
			throw Object.assign(new Error(error.message), error);
		}

		return data;
	},
	sendgrid: async ({sendKey, address}, templateId, dynamicTemplateData) => {
		sendgridClient.setApiKey(sendKey);
		sendgridClient.setDefaultRequest('baseUrl', sendUrl(tinbox, 'sendgrid'));
		sendgridMail.setClient(sendgridClient);
		return sendgridMail.send({from: 'app@example.com', to: address, templateId, dynamicTemplateData});
	},
	postmark: async ({sendKey, address}, alias, model) => {
		const {host} = new URL(tinbox.url);
		const client = new ServerClient(sendKey, {requestHost: `${host}/send/postmark`, useHttps: false});
		return client.sendEmailWithTemplate({
			From: 'app@example.com',
			To: address,
			TemplateAlias: alias,
			TemplateModel: model,
		});
	},
	mailgun: async ({sendKey, address}, template, data) => {
		const client = new Mailgun(FormData).client({username: 'api', key: sendKey, url: sendUrl(tinbox, 'mailgun')});
		return client.messages.create('example.com', {
			from: 'app@example.com',
			to: address,
			subject: 'Of the request',
			template,
			'h:X-Mailgun-Variables': JSON.stringify(data),
		});
	},
	ses: async ({sendKey, address}, name, data) => {
		const client = new SESv2Client({
			region: 'us-east-1',
			endpoint: sendUrl(tinbox, 'ses'),
			credentials: {accessKeyId: sendKey, secretAccessKey: 'x'},
		});
		const template = {TemplateName: name, TemplateData: JSON.stringify(data)};
		return client.send(
			new SendEmailCommand({
				FromEmailAddress: 'app@example.com',
				Destination: {ToAddresses: [address]},
				Content: {Template: template},
			}),
		);
	},
	tinbox: async ({sendKey, address}, id, data) => {
		const response = await fetch(`${tinbox.url}/send`, {
			method: 'POST',
			headers: {'Content-Type': 'application/json', Authorization: `Bearer ${sendKey}`},
			body: JSON.stringify({from: 'app@example.com', to: address, template: {id, data}}),
		});
		const body = (await response.json()) as {readonly detail?: string};
		if (!response.ok) {
			throw new Error(body.detail);
		}

		return body;
	},
};

/** The same template in the syntax of each provider. */
const templates: Readonly<Record<SendProvider, {subject: string; text: string; html: string}>> = {
	resend: {subject: 'Hi {{{NAME}}}', text: 'Your code is {{{CODE}}}.', html: '<b>{{{NAME}}}</b>'},
	sendgrid: {subject: 'Hi {{{NAME}}}', text: 'Your code is {{CODE}}.', html: '<b>{{NAME}}</b>'},
	postmark: {subject: 'Hi {{NAME}}', text: 'Your code is {{CODE}}.', html: '<b>{{NAME}}</b>'},
	mailgun: {subject: 'Hi {{{NAME}}}', text: 'Your code is {{CODE}}.', html: '<b>{{NAME}}</b>'},
	ses: {subject: 'Hi {{NAME}}', text: 'Your code is {{CODE}}.', html: '<b>{{NAME}}</b>'},
	tinbox: {subject: 'Hi {{{NAME}}}', text: 'Your code is {{CODE}}.', html: '<b>{{NAME}}</b>'},
};

const providers = Object.keys(sendTemplate) as SendProvider[];

describe.each(providers)('a template of %s', provider => {
	test('is filled with the data of the mail', async () => {
		const app = await openSending(tinbox);
		const template = await app.client.templates.put(provider, 'd-welcome', templates[provider]);
		expect(template).toMatchObject({provider, id: 'd-welcome', ...templates[provider]});
		await sendTemplate[provider](app, 'd-welcome', {NAME: 'Ann & Bob', CODE: '482913'});
		const message = await app.only();
		expect(message.subject).toBe(provider === 'mailgun' ? 'Of the request' : 'Hi Ann & Bob');
		expect(message.text.trim()).toBe('Your code is 482913.');
		const isRaw = provider === 'resend' || provider === 'ses';
		expect(message.html?.trim()).toBe(isRaw ? '<b>Ann & Bob</b>' : '<b>Ann &amp; Bob</b>');
		expect(message.codes).toEqual(['482913']);
		expect(message.session?.request?.template).toEqual({id: 'd-welcome', registered: true});
		const {data} = await app.client.messages.request(app.id, message.id);
		expect(data).toEqual({NAME: 'Ann & Bob', CODE: '482913'});
	});

	test('that is not registered is reported in the mail, whose data is stored', async () => {
		const app = await openSending(tinbox);
		await sendTemplate[provider](app, 'd-4829137', {NAME: 'Ann', CODE: '482913'});
		const message = await app.only();
		expect(message.text).toContain(`The ${provider} template "d-4829137" is not registered`);
		expect(message.text).toContain(`tinbox templates put ${provider} d-4829137 --html <file>`);
		expect(message.text.trim().split('\n')).toHaveLength(1);
		expect(message.codes).toEqual([]);
		expect(message.warnings).toContainEqual(expect.stringContaining(`tinbox templates put ${provider} d-4829137`));
		expect(message.session?.request?.template).toEqual({id: 'd-4829137', registered: false});
		const {data} = await app.client.messages.request(app.id, message.id);
		expect(data).toEqual({NAME: 'Ann', CODE: '482913'});
	});

	test('of another user is not used', async () => {
		const [app, other] = [await openSending(tinbox), await openSending(tinbox)];
		await other.client.templates.put(provider, 'd-welcome', templates[provider]);
		await sendTemplate[provider](app, 'd-welcome', {NAME: 'Ann', CODE: '1'});
		expect((await app.only()).session?.request?.template).toEqual({id: 'd-welcome', registered: false});
	});
});

test('a long id of a template that is not registered is cut in the mail', async () => {
	const app = await openSending(tinbox);
	await sendTemplate.postmark(app, `"${"'".repeat(400_000)}`, {});
	const message = await app.only();
	expect(message.text.length).toBeLessThan(3000);
	expect(message.session?.request?.template?.id).toHaveLength(300);
});

test('a large mail with a template that is not registered does not block the event loop', async () => {
	const app = await openSending(tinbox);
	const content = Buffer.alloc(6_000_000).toString('base64');
	const watch = new LoopWatch();
	onTestFinished(() => watch.stop());
	const response = await fetch(`${sendUrl(tinbox, 'postmark')}/email/withTemplate`, {
		method: 'POST',
		headers: {'content-type': 'application/json', 'x-postmark-server-token': app.sendKey},
		body: JSON.stringify({
			From: 'a@b.test',
			To: app.address,
			TemplateAlias: 'missing',
			TemplateModel: {},
			Attachments: [{Name: 'a.txt', ContentType: 'text/plain', Content: content}],
		}),
	});
	expect(response.status).toBe(200);
	const {size} = await app.only();
	expect(size).toBeGreaterThan(content.length);
	expect(watch.take().longestMs).toBeLessThan(250);
});

test('a small request whose templates fill in more than 64 MiB is rejected, and stores nothing', async () => {
	const app = await openSending(tinbox);
	await app.client.templates.put('postmark', 'big', {
		subject: 'Hi',
		html: `{{#each rows}}${'x'.repeat(400_000)}{{/each}}`,
	});
	const message = {From: 'a@b.test', To: app.address, TemplateAlias: 'big', TemplateModel: {rows: [1, 2, 3, 4, 5]}};
	const batch = async (count: number) => {
		const body = JSON.stringify({Messages: Array.from({length: count}, () => message)});
		return fetch(`${sendUrl(tinbox, 'postmark')}/email/batchWithTemplates`, {
			method: 'POST',
			headers: {'content-type': 'application/json', 'x-postmark-server-token': app.sendKey},
			body,
		});
	};
	expect((await batch(100)).status).toBe(413);
	expect(await app.list()).toEqual([]);
	expect((await batch(10)).status).toBe(200);
	const messages = await app.list();
	expect(messages).toHaveLength(10);
	const {html} = await app.client.messages.get(app.id, messages[0]?.id ?? '');
	expect(html?.trim()).toHaveLength(2_000_000);
});

test('templates are filled in the turn of the sender, so that the owner of the template does not wait for strangers', async () => {
	const app = await openSending(tinbox);
	await app.client.templates.put('postmark', 'slow', {
		html: '{{#each a}}{{#each ../../a}}{{#each ../../../../a}}{{/each}}{{/each}}{{/each}}',
	});
	await app.client.templates.put('postmark', 'fast', {subject: 'Hi', text: 'Hello'});
	const send = async (token: string, alias: string, model: object) =>
		fetch(`${sendUrl(tinbox, 'postmark')}/email/withTemplate`, {
			method: 'POST',
			headers: {'content-type': 'application/json', 'x-postmark-server-token': token},
			body: JSON.stringify({From: 'a@b.test', To: app.address, TemplateAlias: alias, TemplateModel: model}),
		});
	let isAnswered = false;
	const slow = Array.from({length: 4}, async () => {
		await send('any', 'slow', {a: Array.from({length: 1000}, () => 1)});
		isAnswered = true;
	});
	let count = 0;
	while (!isAnswered) {
		expect((await send(app.sendKey, 'fast', {})).status).toBe(200);
		count += 1;
	}

	expect(count).toBeGreaterThan(5);
	await Promise.all(slow);
});

describe('a missing template value', () => {
	test.each(['sendgrid', 'postmark', 'mailgun', 'tinbox'] as const)('is empty for %s', async provider => {
		const app = await openSending(tinbox);
		await app.client.templates.put(provider, 'd-welcome', templates[provider]);
		await sendTemplate[provider](app, 'd-welcome', {NAME: 'Ann'});
		expect((await app.only()).text.trim()).toBe('Your code is .');
	});

	test('is an error for Resend unless it has a fallback value', async () => {
		const app = await openSending(tinbox);
		await app.client.templates.put('resend', 'd-welcome', {...templates.resend, fallback_values: {NAME: 'there'}});
		await expect(sendTemplate.resend(app, 'd-welcome', {})).rejects.toMatchObject({
			statusCode: 422,
			name: 'validation_error',
			message: expect.stringContaining('"CODE" has no value'),
		});
		expect(await app.list()).toEqual([]);
		await sendTemplate.resend(app, 'd-welcome', {CODE: '12'});
		expect((await app.only()).subject).toBe('Hi there');
	});

	test('is a reported refusal for SES after a successful response', async () => {
		const app = await openSending(tinbox);
		await app.client.templates.put('ses', 'd-welcome', templates.ses);
		expect(await sendTemplate.ses(app, 'd-welcome', {NAME: 'Ann'})).toMatchObject({MessageId: expect.any(String)});
		expect(await app.list()).toEqual([]);
		expect(tinbox.services.refusals.latest(1)).toMatchObject([
			{
				stage: 'data',
				address: app.address,
				reason: expect.stringContaining("Attribute 'CODE' is not present in the rendering data."),
			},
		]);
	});
});

test('line breaks in template data do not break the subject', async () => {
	const app = await openSending(tinbox);
	await app.client.templates.put('sendgrid', 'd-welcome', templates.sendgrid);
	await sendTemplate.sendgrid(app, 'd-welcome', {NAME: 'Ann\r\nBcc: eve@example.com', CODE: '1'});
	const message = await app.only();
	expect(message.subject).toBe('Hi Ann Bcc: eve@example.com');
	expect(message.headers.some(({name}) => name.toLowerCase() === 'bcc')).toBe(false);
});

test('each mail of a template batch has its own data', async () => {
	const app = await openSending(tinbox);
	await app.client.templates.put('postmark', 'd-welcome', templates.postmark);
	const {host} = new URL(tinbox.url);
	const client = new ServerClient(app.sendKey, {requestHost: `${host}/send/postmark`, useHttps: false});
	await app.client.templates.put('postmark', 'list', {text: '{{#each NAME}}{{.}}{{/each}}'});
	const mail = {From: 'app@example.com', To: app.address};
	const answers = await client.sendEmailBatchWithTemplates([
		{...mail, TemplateAlias: 'd-welcome', TemplateModel: {NAME: 'Ann'}},
		{...mail, TemplateAlias: 'list', TemplateModel: {NAME: 'no list'}},
		{...mail, TemplateAlias: 'd-welcome', TemplateModel: {NAME: 'Bob'}},
	]);
	expect(answers.map(({ErrorCode}) => ErrorCode === 0)).toEqual([true, false, true]);
	expect(answers[1]?.Message).toContain('"NAME" is used as a list, but is not a list.');
	expect((await app.list()).map(({subject}) => subject).sort()).toEqual(['Hi Ann', 'Hi Bob']);
});

describe('the templates API', () => {
	test('registers, replaces, lists and deletes templates', async () => {
		const {client} = await openSending(tinbox);
		await client.templates.put('ses', 'b', {html: 'one'});
		await client.templates.put('ses', 'b', {subject: 'S', text: 'two'});
		await client.templates.put('resend', 'a/b ?', {html: 'x', fallback_values: {PRICE: 25}});
		const {templates: list} = await client.templates.list();
		expect(list).toMatchObject([
			{provider: 'resend', id: 'a/b ?', subject: null, parts: ['html']},
			{provider: 'ses', id: 'b', subject: 'S', parts: ['subject', 'text']},
		]);
		expect(await client.templates.get('ses', 'b')).toMatchObject({subject: 'S', text: 'two', html: null});
		expect(await client.templates.get('resend', 'a/b ?')).toMatchObject({html: 'x', fallback_values: {PRICE: 25}});
		await client.templates.delete('resend', 'a/b ?');
		await expect(client.templates.get('resend', 'a/b ?')).rejects.toMatchObject({code: 'not_found'});
		await expect(client.templates.delete('resend', 'a/b ?')).rejects.toMatchObject({code: 'not_found'});
	});

	test.each<[string, object, RegExp]>([
		['sendgrid/x', {}, /requires at least one of "subject", "text" and "html"/],
		[
			'sendgrid/x',
			{html: '{{#if a}}'},
			/"html" is not a valid sendgrid template\. It cannot be parsed: Parse error on line 1\./,
		],
		['resend/x', {subject: 'a\n{{b}}'}, /"subject" is not a valid resend template\. At line 2/],
		['ses/x', {html: 'x', fallback_values: {A: 'b'}}, /"fallback_values" are supported only for Resend/],
		['resend/x', {html: 'x', fallback_values: {'a-b': 'b'}}, /"fallback_values/],
		['ses/x', {html: 'x'.repeat(512_001)}, /"html" must be at most 512000 characters long/],
		['nobody/x', {html: 'x'}, /Unknown provider "nobody"/],
		[`ses/${'x'.repeat(301)}`, {html: 'x'}, /"id" must have 1 to 300 characters/],
		['ses/a%0Ab', {html: 'x'}, /"id" must have 1 to 300 characters/],
	])('rejects the template %s %j', async (name, body, detail) => {
		const {key} = await tinbox.user(`ann-${randomUUID()}`);
		const response = await tinbox.request('PUT', `/templates/${name}`, {key, body});
		expect(response.status).toBeGreaterThanOrEqual(400);
		expect(await response.json()).toMatchObject({detail: expect.stringMatching(detail)});
	});
});
