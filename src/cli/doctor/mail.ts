import {randomUUID} from 'node:crypto';
import {ApiError} from '../../client/errors.js';
import type {Client} from '../../client/index.js';
import type {CreatedInboxBody} from '../../contract/inboxes.js';
import type {MessageBody} from '../../contract/messages.js';
import {hostPort} from '../../lib/io/hosts.js';
import type {Server} from '../connect/smtp-client.js';
import {findServer, loggedIn} from '../connect/smtp-server.js';
import type {Context} from '../context.js';
import {Exit, exitCodes} from '../output/exit.js';
import type {DoctorCheck} from './check.js';
import {reachable} from './daemon.js';

/** How long an accepted mail may take to be listed. */
const listTimeoutMs = 10_000;

/** Sends a real mail through the daemon, stage by stage: each needs the one before it. `cleanUp` removes what is left of it. */
export function mailStages(context: Context): {readonly stages: readonly DoctorCheck[]; cleanUp(): Promise<void>} {
	const subject = `tinbox doctor ${randomUUID()}`;
	let client: Client;
	let inbox: CreatedInboxBody | undefined;
	let server: Server;
	let source: string;
	let message: MessageBody;
	const existing = () => inbox ?? unhealthy('The inbox was not created.');
	const cleanUp = async () => {
		if (inbox) {
			await client.inboxes.delete(inbox.id).catch(() => {});
		}
	};
	const runs: Readonly<Record<string, DoctorCheck['run']>> = {
		async inbox() {
			client = await context.api();
			inbox = await client.inboxes.create({name: subject, ttl: 60});
			return `created ${inbox.email_address}`;
		},
		async 'smtp connect'() {
			const {greet} = await import('../connect/smtp-client.js');
			const found = await findServer({}, context);
			const {smtp} = existing();
			server = found.isForInboxes && smtp ? loggedIn(found, smtp) : found;
			await greet(server);
			return `connected to ${hostPort(server)}`;
		},
		async 'smtp accept'() {
			const {sendMail} = await import('../connect/smtp-client.js');
			const to = existing().email_address;
			source = mailTo(to, subject);
			await sendMail(server, {raw: source, envelope: {from: sender, to}});
			return `${Buffer.byteLength(source)} bytes accepted`;
		},
		async listed() {
			const found = await client.messages.wait(existing().id, {q: subject}, {timeoutMs: listTimeoutMs});
			message = found ?? unhealthy(`The mail was not listed within ${listTimeoutMs / 1000} s.`);
			return `message ${message.id}`;
		},
		async 'read back'() {
			const raw = await client.messages.raw(existing().id, message.id);
			// Receiving it adds header fields at the top.
			return raw.toString().endsWith(source)
				? 'identical to the mail that was sent'
				: unhealthy('The stored source differs from the mail that was sent.');
		},
		async deleted() {
			const {id} = existing();
			await client.inboxes.delete(id);
			return client.messages
				.get(id, message.id)
				.then(() => unhealthy('The mail can still be read after its inbox was deleted.'), ifGone);
		},
	};
	const names = Object.keys(runs);
	const stages = Object.entries(runs).map(([name, run], index) => ({name, run, needs: names[index - 1] ?? reachable}));
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
		'A line with non-ASCII characters: grüße, 你好.',
		'.a line that starts with a dot',
		'',
	].join('\r\n');
}

function ifGone(error: unknown): string {
	if (error instanceof ApiError && error.status === 404) {
		return 'inbox and mail deleted';
	}

	throw error;
}

function unhealthy(problem: string): never {
	throw new Exit(exitCodes.failed, 'unhealthy', problem, {
		hint: 'See the log of the daemon: tinbox daemon logs',
	});
}
