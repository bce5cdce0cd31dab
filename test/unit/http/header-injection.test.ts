import {Readable} from 'node:stream';
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {MessageSummaryBody} from '../../../src/contract/messages.js';
import type {Envelope, Session} from '../../../src/domain/mail/message.js';
import {injections, wrongHeaderLines} from '../../helpers/header-lines.js';
import {type Person, plainTextSession, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
let address: string;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann', 'localhost');
	const fields = {name: null, teamId: null, ttlSeconds: null};
	await tinbox.services.inboxes.create(ann.user, {...fields, address: 'app@shop.test'});
	await tinbox.services.inboxes.create(ann.user, {...fields, address: '*@box.test'});
	({address} = (await tinbox.services.inboxes.create(ann.user, {...fields, address: null})).inbox);
});
afterAll(async () => tinbox.close());

/** Sources of all messages in an inbox, which are deleted. One character per byte. */
async function takeSources(inbox: string): Promise<readonly string[]> {
	const path = `/inboxes/${encodeURIComponent(inbox)}/messages`;
	const list = await tinbox.request('GET', `${path}?limit=100&fields=summary`, {key: ann.key});
	const sources = await Promise.all(
		((await list.json()) as readonly MessageSummaryBody[]).map(async ({id}) => {
			const raw = await tinbox.request('GET', `${path}/${id}/raw`, {key: ann.key});
			return Buffer.from(await raw.arrayBuffer()).toString('latin1');
		}),
	);
	await tinbox.request('DELETE', path, {key: ann.key});
	return sources;
}

type Mail = {
	readonly envelope: Partial<Envelope>;
	readonly header: string;
	readonly client?: Partial<Session['client']>;
};

const fold = (text: string) => text.replaceAll(/\r?\n|\r/g, '\r\n ');

/** Texts of a mail that a bounce, complaint or automatic reply repeats. */
const repeated: Readonly<Record<string, (text: string) => Mail>> = {
	'the envelope recipient': text => ({envelope: {to: [`"a${text}"@box.test`]}, header: ''}),
	'the envelope id': text => ({envelope: {dsn: {envid: `a${text}`, recipients: {}}}, header: ''}),
	'the original recipient': text => ({
		envelope: {dsn: {recipients: {'you@box.test': {orcpt: `rfc822;a${text}`}}}},
		header: '',
	}),
	'the name of the client': text => ({envelope: {}, header: '', client: {helo: `a${text}`}}),
	'the address of the client': text => ({envelope: {}, header: '', client: {host: `a${text}`}}),
	'the subject': text => ({envelope: {}, header: `Subject: a${fold(text)}\r\n`}),
	'the message id': text => ({envelope: {}, header: `Message-ID: <a${fold(text)}@b>\r\n`}),
	references: text => ({envelope: {}, header: `References: <a@b>${fold(text)} <c@d>\r\n`}),
	'the sender': text => ({envelope: {}, header: `From: "a${fold(text)}" <a@b.test>\r\n`}),
	'the recipient': text => ({envelope: {}, header: `To: "a${fold(text)}" <a@b.test>\r\n`}),
	'the date': text => ({envelope: {}, header: `Date: a${fold(text)}\r\n`}),
};

test.each(Object.keys(repeated))('%s of a mail adds no line to bounces, complaints and replies', async name => {
	for (const injection of injections) {
		const {envelope, header, client} = repeated[name]?.(injection) ?? {envelope: {}, header: ''};
		await tinbox.services.receiver.receiveOne({
			envelope: {from: 'app@shop.test', to: ['you@box.test'], ...envelope},
			session: {...plainTextSession, client: {host: '127.0.0.1', helo: 'app', ...client}},
			source: Readable.from([Buffer.from(`${header}X-Other: a\r\n\r\nx\r\n`)]),
		});
		for (const kind of ['bounce', 'complain', 'autoreply']) {
			const path = `/inboxes/*@box.test/messages/latest/${kind}`;
			const {status} = await tinbox.request('POST', path, {key: ann.key, body: {}});
			expect([kind, injection, status]).toEqual([kind, injection, 201]);
		}
	}

	const sources = await takeSources('app@shop.test');
	expect(sources).toHaveLength(injections.length * 3);
	expect(sources.flatMap(wrongHeaderLines)).toEqual([]);
	await takeSources('*@box.test');
});

/** Requests of providers with a template `welcome`, whose variable `a` has a text. */
const templateRequests: Readonly<Record<string, (to: string, a: string) => [path: string, body: object]>> = {
	resend: (to, a) => ['resend/emails', {from: 'a@b.test', to, template: {id: 'welcome', variables: {a}}}],
	postmark: (to, a) => [
		'postmark/email/withTemplate',
		{From: 'a@b.test', To: to, TemplateAlias: 'welcome', TemplateModel: {a}},
	],
	sendgrid: (to, a) => [
		'sendgrid/v3/mail/send',
		{
			personalizations: [{to: [{email: to}], dynamic_template_data: {a}}],
			from: {email: 'a@b.test'},
			template_id: 'welcome',
		},
	],
	ses: (to, a) => [
		'ses/v2/email/outbound-emails',
		{
			FromEmailAddress: 'a@b.test',
			Destination: {ToAddresses: [to]},
			Content: {Template: {TemplateName: 'welcome', TemplateData: JSON.stringify({a})}},
		},
	],
};

const authorization = {
	Authorization: `AWS4-HMAC-SHA256 Credential=any/20260101/eu-west-1/ses/aws4_request, SignedHeaders=host, Signature=00`,
};

async function send(provider: string, [path, body]: [path: string, body: object]): Promise<number> {
	const key = provider === 'ses' ? authorization : {Authorization: 'Bearer any', 'X-Postmark-Server-Token': 'any'};
	const response = await fetch(new URL(`/send/${path}`, tinbox.url), {
		method: 'POST',
		headers: {'Content-Type': 'application/json', ...key},
		body: JSON.stringify(body),
	});
	await response.arrayBuffer();
	return response.status;
}

test.each(Object.keys(templateRequests))(
	'no subject of a template of %s, nor a value in it, adds a line',
	async provider => {
		const path = `/templates/${provider}/welcome`;
		const put = async (subject: string) =>
			(await tinbox.request('PUT', path, {key: ann.key, body: {subject, html: '<p>Hi</p>'}})).status;
		const request = templateRequests[provider];
		// Variables of Resend and of the others.
		expect(await put(provider === 'resend' ? 'Hi {{{a}}}' : 'Hi {{a}}')).toBe(200);
		let sent = 0;
		for (const injection of injections) {
			const status = request && (await send(provider, request(address, `b${injection}`)));
			sent += status !== undefined && status < 300 ? 1 : 0;
		}

		expect(sent).toBeGreaterThan(0);
		for (const injection of injections) {
			if ((await put(`Hi${injection}`)) === 200 && request) {
				await send(provider, request(address, 'b'));
			}
		}

		const sources = await takeSources(address);
		expect(sources.length).toBeGreaterThanOrEqual(sent);
		expect(sources.flatMap(wrongHeaderLines)).toEqual([]);
	},
);

test('no text of an import adds a line to the stored mail, and its envelope has no line end', async () => {
	const source = 'Subject: x\r\n\r\nx\r\n';
	for (const injection of injections) {
		for (const query of ['from', 'to'].map(name => new URLSearchParams([[name, `a${injection}@b.test`]]))) {
			const response = await fetch(`${tinbox.url}/inboxes/${encodeURIComponent(address)}/messages?${query}`, {
				method: 'POST',
				headers: {'X-API-Key': ann.key, 'Content-Type': 'message/rfc822'},
				body: source,
			});
			await response.arrayBuffer();
			expect(response.status).toBeLessThan(500);
		}
	}

	expect((await takeSources(address)).every(stored => stored === source)).toBe(true);
});
