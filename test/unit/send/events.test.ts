import {createHmac} from 'node:crypto';
import {Readable} from 'node:stream';
import {EventWebhook} from '@sendgrid/eventwebhook';
import {Resend} from 'resend';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import type {EndpointFormat, WebhookEvent} from '../../../src/contract/constants.js';
import {createWebhookSender} from '../../../src/outbound/webhook-sender.js';
import {Tinbox} from '../../helpers/tinbox.js';
import {type ReceivedRequest, startReceiver} from '../../helpers/webhook-receiver.js';
import {openSending, sendUrl} from './send-inbox.js';

const sender = createWebhookSender({allows: () => true});
let tinbox: Tinbox;
beforeAll(async () => {
	tinbox = await Tinbox.open({send: sender.send});
});
afterAll(async () => {
	await tinbox.close();
	await sender.close();
});

type MailFormat = Exclude<EndpointFormat, 'tinbox'>;

/** Opens an inbox that receives mail through the API of a provider, with an endpoint for its events. */
async function openApp(
	format: MailFormat,
	options: {events?: WebhookEvent[]; login?: string; hasEndpoint?: boolean} = {},
) {
	const receiver = await startReceiver(200);
	const app = await openSending(tinbox);
	const url = receiver.url.replace('://', `://${options.login ?? ''}`);
	const endpoint =
		options.hasEndpoint === false ? undefined : await app.client.webhooks.create({url, format, events: options.events});
	return {
		...app,
		receiver,
		endpoint,
		/** Stores a mail as if sent through the API. Resolves to the id of its message. */
		async send(provider: MailFormat | 'tinbox' = format, to: readonly string[] = [app.address]) {
			const request = {
				provider,
				path: '/',
				id: 'id-of-the-answer',
				tags: [{name: 'kind', value: 'welcome'}],
				metadata: {user: '42'},
				template: null,
				warnings: [],
			};
			const session = {tls: null, auth: null, client: {host: '127.0.0.1', helo: null}, request};
			const source = `From: App <app@example.com>\r\nTo: ${to.join(', ')}\r\nSubject: Hello\r\nMessage-ID: <1@example.com>\r\n\r\nHi`;
			await tinbox.services.receiver.receiveOne({
				envelope: {from: 'app@example.com', to: [...to]},
				session,
				source: Readable.from([Buffer.from(source)]),
				inboxId: app.id,
			});
			const [message] = await app.list();
			return message?.id ?? '';
		},
		/** Waits for exactly `count` requests, and resolves to the last one. */
		async nthRequest(count: number): Promise<ReceivedRequest> {
			await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(count), 10_000);
			expect(receiver.requests).toHaveLength(count);
			return receiver.requests[count - 1] as ReceivedRequest;
		},
	};
}

function header({headers}: ReceivedRequest, name: string): string {
	return String(headers[name] ?? '');
}

test('the SDK of Resend verifies each of its events', async () => {
	const app = await openApp('resend');
	const secret = (await app.client.webhooks.create({url: app.receiver.url, format: 'resend', events: ['email.opened']}))
		.secret;
	expect(secret).toMatch(/^whsec_/);
	const resend = new Resend(app.sendKey, {baseUrl: sendUrl(tinbox, 'resend')});
	const {data} = await resend.emails.send({
		from: 'App <app@example.com>',
		to: app.address,
		subject: 'Hello',
		text: 'Hi',
		tags: [{name: 'kind', value: 'welcome'}],
	});
	await app.nthRequest(2);
	const {id} = await app.only();
	await app.client.messages.bounce(app.id, id, {status: '5.1.1'});
	await app.nthRequest(3);
	await app.client.messages.complain(app.id, id);
	await app.nthRequest(4);
	const bodies = app.receiver.requests.map(({body}) => JSON.parse(body));
	expect(bodies.map(({type}) => type).sort()).toEqual([
		'email.bounced',
		'email.complained',
		'email.delivered',
		'email.opened',
	]);
	for (const body of bodies) {
		expect(body.data).toMatchObject({
			email_id: data?.id,
			from: 'App <app@example.com>',
			to: [app.address],
			subject: 'Hello',
			tags: {kind: 'welcome'},
		});
	}

	const bounced = bodies.find(({type}) => type === 'email.bounced');
	expect(bounced.data.bounce).toEqual({type: 'Permanent', subType: 'General', message: '550 5.1.1 User unknown'});
	const opened = app.receiver.requests.find(({body}) => JSON.parse(body).type === 'email.opened') as ReceivedRequest;
	const signed = (payload: string) => ({
		payload,
		headers: {
			id: header(opened, 'svix-id'),
			timestamp: header(opened, 'svix-timestamp'),
			signature: header(opened, 'svix-signature'),
		},
		webhookSecret: secret,
	});
	expect(resend.webhooks.verify(signed(opened.body))).toMatchObject({type: 'email.opened'});
	expect(() => resend.webhooks.verify(signed(`${opened.body} `))).toThrow();
});

test('the library of SendGrid verifies its events with the displayed verification key', async () => {
	const app = await openApp('sendgrid');
	const id = await app.send();
	await app.nthRequest(1);
	await app.client.messages.bounce(app.id, id);
	const bounced = await app.nthRequest(2);
	await app.client.messages.bounce(app.id, id, {status: '4.2.2'});
	const deferred = await app.nthRequest(3);
	const events = app.receiver.requests.map(({body}) => JSON.parse(body)[0]);
	expect(events[0]).toMatchObject({
		event: 'delivered',
		email: app.address,
		user: '42',
		category: ['welcome'],
		'smtp-id': '<1@example.com>',
		response: '250 OK',
	});
	expect(events[0].sg_message_id).toMatch(/^id-of-the-answer\./);
	expect(events[1]).toMatchObject({event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 5.1.1 User unknown'});
	expect(events[2]).toMatchObject({event: 'deferred'});
	expect(new Set(events.map(event => event.sg_event_id)).size).toBe(3);
	const verifier = new EventWebhook();
	const key = verifier.convertPublicKeyToECDSA(app.endpoint?.verification_key ?? '');
	for (const request of [bounced, deferred]) {
		const signature = header(request, 'x-twilio-email-event-webhook-signature');
		const timestamp = header(request, 'x-twilio-email-event-webhook-timestamp');
		expect(verifier.verifySignature(key, request.body, signature, timestamp)).toBe(true);
		expect(verifier.verifySignature(key, `${request.body} `, signature, timestamp)).toBe(false);
	}
});

test('events of Mailgun contain a valid signature in the body', async () => {
	const app = await openApp('mailgun');
	const id = await app.send();
	const delivered = JSON.parse((await app.nthRequest(1)).body);
	await app.client.messages.bounce(app.id, id, {status: '4.2.2'});
	const failed = JSON.parse((await app.nthRequest(2)).body);
	await app.client.messages.complain(app.id, id);
	const complained = JSON.parse((await app.nthRequest(3)).body);
	expect(delivered['event-data']).toMatchObject({
		event: 'delivered',
		recipient: app.address,
		tags: ['welcome'],
		'user-variables': {user: '42'},
		message: {headers: {'message-id': '1@example.com', subject: 'Hello', from: 'App <app@example.com>'}},
		'delivery-status': {code: 250},
	});
	expect(failed['event-data']).toMatchObject({
		event: 'failed',
		severity: 'temporary',
		'delivery-status': {code: 450, message: '450 4.2.2 Mailbox full'},
	});
	expect(complained['event-data']).toMatchObject({event: 'complained'});
	for (const {signature} of [delivered, failed, complained]) {
		// The SDK of Mailgun has no verifier. This is the documented calculation.
		const hmac = createHmac('sha256', app.endpoint?.secret ?? '').update(signature.timestamp + signature.token);
		expect(signature.signature).toBe(hmac.digest('hex'));
	}
});

test('events of Postmark are sent with the user name and password of the URL', async () => {
	const app = await openApp('postmark', {login: 'hook:pass@'});
	const id = await app.send('postmark', [app.address, 'bob@example.com']);
	await app.nthRequest(2);
	await app.client.messages.bounce(app.id, id);
	const bounce = await app.nthRequest(3);
	await app.client.messages.complain(app.id, id);
	const complaint = await app.nthRequest(4);
	const delivered = app.receiver.requests.slice(0, 2).map(({body}) => JSON.parse(body));
	expect(delivered.map(({Recipient}) => Recipient).sort()).toEqual([app.address, 'bob@example.com'].sort());
	expect(delivered[0]).toMatchObject({
		RecordType: 'Delivery',
		MessageID: 'id-of-the-answer',
		Tag: 'welcome',
		Metadata: {user: '42'},
	});
	expect(JSON.parse(bounce.body)).toMatchObject({
		RecordType: 'Bounce',
		Type: 'HardBounce',
		TypeCode: 1,
		Email: app.address,
		Details: '550 5.1.1 User unknown',
		Inactive: true,
	});
	expect(JSON.parse(complaint.body)).toMatchObject({RecordType: 'SpamComplaint', TypeCode: 100_001});
	for (const request of app.receiver.requests) {
		expect(header(request, 'authorization')).toBe(`Basic ${Buffer.from('hook:pass').toString('base64')}`);
	}
});

test('events of SES are sent as unsigned SNS notifications', async () => {
	const app = await openApp('ses');
	const id = await app.send();
	const request = await app.nthRequest(1);
	await app.client.messages.bounce(app.id, id);
	await app.nthRequest(2);
	await app.client.messages.complain(app.id, id);
	await app.nthRequest(3);
	expect(header(request, 'x-amz-sns-message-type')).toBe('Notification');
	expect(header(request, 'content-type')).toBe('text/plain; charset=UTF-8');
	const notifications = app.receiver.requests.map(({body}) => JSON.parse(body));
	expect(notifications.map(({Type, Signature}) => [Type, Signature])).toEqual(
		Array(3).fill(['Notification', undefined]),
	);
	const [delivery, bounce, complaint] = notifications.map(({Message}) => JSON.parse(Message));
	expect(delivery).toMatchObject({
		eventType: 'Delivery',
		delivery: {recipients: [app.address]},
		mail: {messageId: 'id-of-the-answer', tags: {kind: ['welcome']}, commonHeaders: {subject: 'Hello'}},
	});
	expect(bounce).toMatchObject({
		eventType: 'Bounce',
		bounce: {
			bounceType: 'Permanent',
			bouncedRecipients: [{emailAddress: app.address, status: '5.1.1', action: 'failed'}],
		},
	});
	expect(complaint).toMatchObject({
		eventType: 'Complaint',
		complaint: {complainedRecipients: [{emailAddress: app.address}], complaintFeedbackType: 'abuse'},
	});
});

describe('an endpoint in the format of a provider', () => {
	test('gets no events of mail from other APIs or SMTP', async () => {
		const app = await openApp('resend');
		await app.send('sendgrid');
		await app.send('tinbox');
		await tinbox.deliver(app.address, 'Subject: By SMTP\r\n\r\nHi');
		await app.send('resend');
		expect(JSON.parse((await app.nthRequest(1)).body)).toMatchObject({type: 'email.delivered'});
	});

	test('is required for a bounce of provider mail, and the error names the command', async () => {
		const app = await openApp('resend', {hasEndpoint: false});
		const id = await app.send();
		await expect(app.client.messages.bounce(app.id, id)).rejects.toMatchObject({
			code: 'no_bounce',
			message: expect.stringContaining('tinbox webhooks create <url> --format resend'),
		});
	});

	test('gets events requested by a recipient address', async () => {
		const app = await openApp('resend', {events: ['email.bounced', 'email.complained']});
		await app.send('resend', [app.address.replace('@', '+bounce@')]);
		expect(JSON.parse((await app.nthRequest(1)).body)).toMatchObject({type: 'email.bounced'});
	});

	test('has a delivery log, and a test sends a sample event in its format', async () => {
		const app = await openApp('sendgrid');
		const {delivery} = await app.client.webhooks.test(app.endpoint?.id ?? '');
		expect(delivery).toMatchObject({event: 'email.delivered', status: 'delivered'});
		expect(JSON.parse((await app.nthRequest(1)).body)).toMatchObject([{event: 'delivered'}]);
		await app.send();
		await app.nthRequest(2);
		const {deliveries} = await app.client.webhooks.deliveries(app.endpoint?.id ?? '', {event: 'email.delivered'});
		expect(deliveries).toHaveLength(2);
	});
});

test.each<[EndpointFormat, object, string]>([
	['resend', {events: ['message.received']}, 'events'],
	['tinbox', {events: ['email.bounced']}, 'events'],
	['resend', {secret: 'a secret'}, 'secret'],
	['resend', {url: 'http://user:pass@127.0.0.1:9/'}, 'url'],
])('an endpoint in the format of %s rejects %j', async (format, fields, invalidField) => {
	const {client} = await openSending(tinbox);
	await expect(client.webhooks.create({url: 'http://127.0.0.1:9/', format, ...fields})).rejects.toMatchObject({
		code: 'invalid_input',
		message: expect.stringContaining(`"${invalidField}"`),
	});
});

test('endpoints with the same custom secret have the same verification key', async () => {
	const {client} = await openSending(tinbox);
	const endpoints = [1, 2].map(async () =>
		client.webhooks.create({url: 'http://127.0.0.1:9/', format: 'sendgrid', secret: 'the same'}),
	);
	const [one, other] = await Promise.all(endpoints);
	expect(one?.verification_key).toBe(other?.verification_key);
	expect(one?.verification_key).toMatch(/^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/);
});
