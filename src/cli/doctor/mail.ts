import {randomUUID} from 'node:crypto';
import {ApiError} from '../../client/errors.js';
import type {Client} from '../../client/index.js';
import type {InboxBody} from '../../contract/inboxes.js';
import type {MessageBody} from '../../contract/messages.js';
import type {Context} from '../context.js';
import {Exit, exitCodes} from '../exit.js';
import {explainSmtpError} from '../explain-smtp-error.js';
import {findServer} from '../find-server.js';
import type {Server} from '../smtp-client.js';
import type {Check} from './check.js';

/** How long an accepted mail may take to be listed. */
const patienceMs = 10_000;

/** A real mail on its way through the daemon, stage by stage; nothing of it stays. */
export function mailStages(context: Context): {readonly stages: readonly Check[]; cleanUp(): Promise<void>} {
	const subject = `tinbox doctor ${randomUUID()}`;
	let client: Client;
	let inbox: InboxBody | undefined;
	let server: Server;
	let source: string;
	let message: MessageBody;
	const existing = () => inbox ?? missing('inbox');
	const cleanUp = async () => {
		if (inbox) {
			await client.inboxes.delete(inbox.id).catch(() => {});
		}
	};
	const stages: readonly Check[] = [
		{
			name: 'inbox',
			async run() {
				client = await context.api();
				inbox = await client.inboxes.create({name: subject, ttl: 60});
				return `made ${inbox.email_address}`;
			},
		},
		{
			name: 'smtp connect',
			async run() {
				const {greet} = await import('../smtp-client.js');
				server = await findServer(undefined, context);
				await greet(server).catch(error => {
					throw explainSmtpError(error, server);
				});
				return `${server.host}:${server.port} says hello`;
			},
		},
		{
			name: 'smtp accept',
			async run() {
				const {sendMail} = await import('../smtp-client.js');
				const to = existing().email_address;
				source = mailTo(to, subject);
				await sendMail(server, {raw: source, envelope: {from: sender, to}}).catch(error => {
					throw explainSmtpError(error, server);
				});
				return `${Buffer.byteLength(source)} bytes taken`;
			},
		},
		{
			name: 'listed',
			async run() {
				const found = await client.messages.wait(existing().id, {q: subject}, {timeoutMs: patienceMs});
				message = found ?? missing('mail');
				return `as message ${message.id}`;
			},
		},
		{
			name: 'read back',
			async run() {
				const raw = await client.messages.raw(existing().id, message.id);
				// Above it stands what the way here added.
				return raw.toString().endsWith(source) ? 'byte for byte' : missing('source of the mail as it was sent');
			},
		},
		{
			name: 'deleted',
			async run() {
				const {id} = existing();
				await client.inboxes.delete(id);
				return client.messages.get(id, message.id).then(() => missing('end of the mail'), ifGone);
			},
		},
	];
	return {stages, cleanUp};
}

const sender = 'doctor@tinbox.test';

function mailTo(to: string, subject: string): string {
	return [
		`From: tinbox doctor <${sender}>`,
		`To: ${to}`,
		`Subject: ${subject}`,
		`Message-ID: <${randomUUID()}@tinbox.test>`,
		`Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
		'MIME-Version: 1.0',
		'Content-Type: text/plain; charset=utf-8',
		'Content-Transfer-Encoding: 8bit',
		'',
		'A line with more than ASCII: grüße, 你好.',
		'.a line that begins with a dot',
		'',
	].join('\r\n');
}

function ifGone(error: unknown): string {
	if (error instanceof ApiError && error.status === 404) {
		return 'and gone';
	}

	throw error;
}

function missing(what: string): never {
	throw new Exit(exitCodes.failed, 'unhealthy', `The daemon does not show the ${what}.`, {
		hint: 'See what it logged: tinbox daemon logs',
	});
}
