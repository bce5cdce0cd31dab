import {Readable} from 'node:stream';
import {expect, vi} from 'vitest';
import {apiClient} from '../../src/client/index.js';
import {endpointFormats} from '../../src/contract/constants.js';
import {presetFault} from '../../src/contract/fault-presets.js';
import type {SendWebhook} from '../../src/domain/webhooks/delivery.js';
import {mail, openTinbox} from '../helpers/tinbox.js';
import {RawClient} from '../unit/smtp/test-server.js';
import {normalize} from './transcript.js';

/** Signatures with a random part, and random ids of the provider formats. */
const random = /(Signature: |"sg_event_id": "|"token": ")[\w+/=-]+/g;

type Sent = Parameters<SendWebhook>[0];

/** Webhook requests of each endpoint format: a message, a bounce and complaint or a fault hit, a test delivery. */
export async function recordWebhookBodies(): Promise<string> {
	const sent: Sent[] = [];
	const send: SendWebhook = async request => {
		sent.push(request);
		return {ok: true, status: 200, body: ''};
	};
	const tinbox = await openTinbox({send, now: () => new Date('2026-01-01T12:00:00.000Z')});
	const sections: string[] = [];
	for (const format of endpointFormats) {
		const {key} = await tinbox.user(`ann-${format}`);
		const client = apiClient({url: tinbox.url, apiKey: key});
		const inbox = await client.inboxes.create({email_address: `${format}@tinbox.test`});
		const events = format === 'tinbox' ? (['message.received', 'fault.hit'] as const) : undefined;
		const endpoint = await client.webhooks.create({
			url: `http://app.test/${format}`,
			format,
			events: events && [...events],
		});
		const request = {
			provider: format,
			path: '/',
			id: 'request-id',
			tags: [],
			metadata: {user: '42'},
			template: null,
			warnings: [],
		};
		const session = {tls: null, auth: null, client: {host: '127.0.0.1', helo: null}, request};
		const source = `Message-ID: <1@app.test>\r\nDate: Thu, 1 Jan 2026 12:00:00 +0000\r\n${mail('Hello')}`;
		const next = async (title: string, trigger: () => Promise<unknown>, count = 1) => {
			const before = sent.length;
			await trigger();
			await vi.waitFor(() => {
				if (sent.length < before + count) {
					throw new Error(`${format}: ${title}: ${sent.length - before} requests`);
				}
			});
			sections.push(...sent.slice(before).map(one => `# ${format}: ${title}\n${show(one)}`));
		};
		await next('a message', async () =>
			tinbox.services.receiver.receiveOne({
				envelope: {from: 'app@example.com', to: [inbox.email_address]},
				session,
				source: Readable.from([Buffer.from(source)]),
				inboxId: inbox.id,
			}),
		);
		if (format === 'tinbox') {
			await client.faults.create(inbox.id, presetFault('unknown-user') ?? expect.unreachable());
			await next('a fault hit', async () => sendRejectedRecipient(tinbox.smtp.port, inbox.email_address));
		} else {
			await next('a bounce', async () => client.messages.bounce(inbox.id, 'latest', {status: '5.1.1'}));
			await next('a complaint', async () => client.messages.complain(inbox.id, 'latest'));
		}

		await next('a test delivery', async () => client.webhooks.test(endpoint.id));
	}

	return `${normalize(sections.join('\n\n').replaceAll(random, '$1<random>'))}\n`;
}

/** Sends a recipient that a fault rejects. */
async function sendRejectedRecipient(port: number, address: string): Promise<void> {
	const client = RawClient.connect(port);
	await client.reply();
	for (const line of ['EHLO client.test', 'MAIL FROM:<app@example.com>', `RCPT TO:<${address}>`]) {
		await client.say(line);
	}

	client.socket.destroy();
}

/** Headers in alphabetical order, and the body, indented if it is JSON. */
function show({url, headers, body}: Sent): string {
	const lines = Object.entries(headers)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, value]) => `${name}: ${value}`);
	return [`POST ${url}`, ...lines, '', indented(body)].join('\n');
}

function indented(body: string): string {
	try {
		return JSON.stringify(JSON.parse(body), undefined, '  ');
	} catch {
		return body;
	}
}
