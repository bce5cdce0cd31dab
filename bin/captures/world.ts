import assert from 'node:assert/strict';
import {once} from 'node:events';
import {mkdtemp, rename, rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {text} from 'node:stream/consumers';
import {execa} from 'execa';
import {createTransport} from 'nodemailer';
import {inboxes, samples} from './mails.js';

const receiverPort = 3000;

/** The time at which the pictures are taken. */
const endsAt = '2026-03-04T09:43:37Z';

/** A daemon with sample mail and a fixed clock. */
export type World = {
	readonly home: string;
	readonly env: Record<string, string>;
	/** Path of the `tinbox` program. */
	readonly bin: string;
	/** Runs a command and returns its standard output. */
	tinbox(...args: readonly string[]): Promise<string>;
	/** Patterns of the ports in use, each with the default port that the pictures show. */
	readonly ports: ReadonlyArray<readonly [port: RegExp, usual: string]>;
	/** The time that the clock of the daemon shows. */
	readonly now: Date;
	stop(): Promise<void>;
};

/** Starts the daemon and fills it. Port 3000 must be free for the webhook receiver. */
export async function createWorld(bin: string, clockModule: string): Promise<World> {
	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-captures-'));
	const clock = path.join(home, 'clock');
	const env = {
		PATH: process.env['PATH'] ?? '',
		HOME: home,
		TINBOX_HOME: home,
		TZ: 'UTC',
		// No retries: the clock jumps from mail to mail.
		TINBOX_WEBHOOK_RETRY_DELAY: '7d',
		CAPTURES_CLOCK: clock,
		NODE_OPTIONS: `--import=${clockModule}`,
	};
	const tinbox = async (...args: readonly string[]) =>
		(await execa(process.execPath, [bin, ...args], {extendEnv: false, env})).stdout;
	const receiver = await startReceiver();
	const stop = async () => {
		await tinbox('daemon', 'stop');
		receiver.close().closeAllConnections();
		await rm(home, {recursive: true});
	};
	try {
		await setClock(clock, '2026-03-04T08:50:00Z');
		const {smtp, url} = JSON.parse(await tinbox('daemon', 'start', '--smtp-port', '0', '--http-port', '0', '--json'));
		for (const [index, name] of inboxes.entries()) {
			await setClock(clock, `2026-03-04T08:5${index}:00Z`);
			await tinbox('inbox', 'create', '--name', name, '--address', addressOf(name));
		}

		for (const hook of ['staging', 'search', 'crm']) {
			await tinbox('webhooks', 'create', hookUrl(hook));
		}

		await tinbox('webhooks', 'update', hookUrl('staging'), '--no-active');
		const transport = createTransport({...smtp, ignoreTLS: true});
		for (const {at, inbox, ...mail} of samples) {
			await setClock(clock, at);
			await transport.sendMail({...mail, ...fixed(at), to: addressOf(inbox), date: at});
			await untilTried(tinbox, ['search', 'crm']);
		}

		await setClock(clock, endsAt);
		transport.close();
		const ports = [
			[new RegExp(`\\b${smtp.port}\\b`), '1025'],
			[new RegExp(`\\b${new URL(url).port}\\b`), '8025'],
		] as const;
		return {home, env, bin, tinbox, ports, now: new Date(endsAt), stop};
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Fixed values for fields that a mailer generates randomly. */
function fixed(at: string) {
	const time = Date.parse(at).toString(36);
	return {messageId: `<${time}@acme.example>`, baseBoundary: `=_${time}`};
}

function hookUrl(hook: string): string {
	return `http://localhost:${receiverPort}/hooks/${hook}`;
}

/** Resolves when all deliveries were attempted; the clock must not change before. */
async function untilTried(tinbox: World['tinbox'], hooks: readonly string[]): Promise<void> {
	for (const hook of hooks) {
		const pending = ['webhooks', 'deliveries', hookUrl(hook), '--status', 'pending', '--json'];
		const deadline = performance.now() + 10_000;
		while (JSON.parse(await tinbox(...pending)).deliveries.length > 0) {
			assert(performance.now() < deadline, `${hookUrl(hook)} was not tried.`);
		}
	}
}

/** Replaces the file atomically, since programs may read it at any time. */
async function setClock(file: string, time: string): Promise<void> {
	await writeFile(`${file}.new`, time);
	await rename(`${file}.new`, file);
}

function addressOf(inbox: string): string {
	return `${inbox === 'ご登録' ? 'touroku' : inbox.replace(' ', '-')}@tinbox.test`;
}

/** Starts a receiver that accepts every webhook except one. */
async function startReceiver() {
	const server = createServer(async (request, response) => {
		const isRefused = request.url === '/hooks/crm' && (await text(request)).includes('invoice');
		response.writeHead(isRefused ? 503 : 200, {'Content-Type': 'application/json'});
		response.end(JSON.stringify(isRefused ? {error: 'The CRM is down for maintenance.'} : {queued: true}));
	});
	server.listen(receiverPort, '127.0.0.1');
	await once(server, 'listening');
	return server;
}
