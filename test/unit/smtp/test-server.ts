import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import net from 'node:net';
import {text} from 'node:stream/consumers';
import tls from 'node:tls';
import {onTestFinished} from 'vitest';
import type {FaultEffect} from '../../../src/domain/faults/fault.js';
import type {Envelope, Session} from '../../../src/domain/mail/message.js';
import {SlotPool} from '../../../src/lib/queue/slots.js';
import type {NewRefusal} from '../../../src/services/refusals.js';
import type {SmtpServices} from '../../../src/smtp/protocol.js';
import {SmtpServer, type SmtpServerOptions} from '../../../src/smtp/server.js';
import type {SmtpTls} from '../../../src/smtp/tls.js';

type Mail = {readonly envelope: Envelope; readonly source: string};

type LogLine = {readonly level: string; readonly message: string; readonly fields: Readonly<Record<string, unknown>>};

export type TestServer = {
	readonly server: SmtpServer;
	readonly port: number;
	/** Port for implicit TLS; 0 without TLS. */
	readonly securePort: number;
	/** Delivered mails. Each byte of a source is one character. */
	readonly mails: Mail[];
	/** Sessions of the delivered mails. */
	readonly sessions: Session[];
	readonly refused: NewRefusal[];
	readonly logged: LogLine[];
};

/** Services that accept mail for all recipients except `nobody@…` and record it. */
function recordingServices(mails: Mail[], sessions: Session[], refusals: NewRefusal[]): SmtpServices {
	return {
		refused: refused => void refusals.push(refused),
		logins: {named: async () => undefined, inboxOf: async () => undefined},
		faults: {mayAct: () => false, evaluate: () => null, inboxesOf: () => []},
		acceptRecipient: async address => !address.startsWith('nobody@'),
		async deliver(envelope, session, source) {
			sessions.push(session);
			mails.push({envelope, source: await text(source.setEncoding('latin1'))});
			return null;
		},
	};
}

type TestOptions = Partial<Omit<SmtpServerOptions, 'auth'>> & {
	readonly auth?: Partial<SmtpServerOptions['auth']>;
	readonly maxConnections?: number;
	readonly evictAfterMs?: number;
};

type TestIntake = Partial<Omit<SmtpServices, 'deliver'>> & {
	// biome-ignore lint/suspicious/noConfusingVoidType: most deliveries have no fault effect.
	readonly deliver?: (...mail: Parameters<SmtpServices['deliver']>) => Promise<FaultEffect | null | void>;
};

/** Starts a server on a free port. It is stopped after the test. */
export async function startServer(
	{maxConnections = 100, evictAfterMs = 60_000, auth: given, ...options}: TestOptions = {},
	{deliver, ...intake}: TestIntake = {},
): Promise<TestServer> {
	const mails: Mail[] = [];
	const sessions: Session[] = [];
	const refused: NewRefusal[] = [];
	const logged: LogLine[] = [];
	const write = (level: string) => (fields: LogLine['fields'], message: string) => {
		logged.push({level, message, fields});
	};
	const log = {info: write('info'), warn: write('warn'), error: write('error')};
	const defaults = {
		host: '127.0.0.1',
		port: 0,
		name: 'tinbox.test',
		maxMessageSize: 100_000,
		maxRecipients: 100,
		limits: {
			connections: {max: maxConnections, raiseAdvice: 'a larger --max-connections'},
			slots: new SlotPool(maxConnections).share(maxConnections, 0),
			evictAfterMs,
		},
		idleTimeoutMs: 60_000,
		sessionDeadlineMs: 60_000,
		handshakeDeadlineMs: 60_000,
		stopDeadlineMs: 500,
		tls: null,
	};
	const auth = {loginPolicy: 'any', oauth: 'accept', needsTls: false, now: () => new Date(), ...given} as const;
	const server = new SmtpServer(
		{...defaults, auth, ...options},
		{
			...recordingServices(mails, sessions, refused),
			...intake,
			...(deliver && {deliver: async (...mail) => (await deliver(...mail)) ?? null}),
		},
		log,
	);
	await server.start();
	onTestFinished(() => server.stop());
	const [port = 0, securePort = 0] = [server.address?.port, server.secureAddress?.port];
	return {server, port, securePort, mails, sessions, refused, logged};
}

/** A client that sends exactly the given bytes. */
export class RawClient {
	readonly socket: net.Socket;
	/** All output of the server. */
	output = '';
	#read = 0;
	#wake = () => {};

	private constructor(socket: net.Socket) {
		this.socket = socket;
		socket.setNoDelay(true);
		socket.setEncoding('latin1');
		socket.on('error', () => {});
		socket.on('data', data => {
			this.output += data;
			this.#wake();
		});
		socket.on('end', () => this.#wake());
		socket.on('close', () => this.#wake());
		onTestFinished(() => {
			socket.destroy();
		});
	}

	/** Connects without waiting for the greeting. */
	static connect(port: number, localAddress = '127.0.0.1'): RawClient {
		return new RawClient(net.connect({port, host: '127.0.0.1', localAddress}));
	}

	/** Connects with implicit TLS. */
	static async connectTls(port: number, options = trusting): Promise<RawClient> {
		const socket = tls.connect({port, host: '127.0.0.1', ...options});
		const client = new RawClient(socket);
		await once(socket, 'secureConnect');
		return client;
	}

	/** Starts TLS on this connection. Use the returned client from then on. */
	async startTls(options = trusting): Promise<RawClient> {
		this.socket.removeAllListeners('data').pause();
		const socket = tls.connect({socket: this.socket, ...options});
		const client = new RawClient(socket);
		await once(socket, 'secureConnect');
		return client;
	}

	/** Connects, starts TLS and sends EHLO. */
	static async openTls(
		{port, securePort}: TestServer,
		mode: 'STARTTLS' | 'implicit',
		options = trusting,
	): Promise<RawClient> {
		if (mode === 'STARTTLS') {
			const plain = await RawClient.open(port);
			await plain.say('STARTTLS');
			const client = await plain.startTls(options);
			await client.say('EHLO client.test');
			return client;
		}

		const client = await RawClient.connectTls(securePort, options);
		await client.reply();
		await client.say('EHLO client.test');
		return client;
	}

	/** Connects, reads the greeting and sends EHLO. */
	static async open(port: number, localAddress?: string): Promise<RawClient> {
		const client = RawClient.connect(port, localAddress);
		await client.reply();
		await client.say('EHLO client.test');
		return client;
	}

	send(bytes: string | Buffer): void {
		this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
	}

	/** Flushes all sent bytes to the network as a separate TCP segment. */
	async flush(): Promise<void> {
		await new Promise(resolve => this.socket.write('', resolve));
		await new Promise(setImmediate);
	}

	/** Reads the next reply, which may have several lines. */
	async reply(): Promise<string> {
		for (;;) {
			const [reply] = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.output.slice(this.#read)) ?? [];
			if (reply !== undefined) {
				this.#read += reply.length;
				return reply.trimEnd();
			}

			if (this.#isOver()) {
				throw new Error(`The server closed the connection, after: ${this.output}`);
			}

			await this.#change();
		}
	}

	/** Sends a line and reads the reply. */
	async say(line: string): Promise<string> {
		this.send(`${line}\r\n`);
		return this.reply();
	}

	/** Sends the commands of a mail up to DATA. */
	async beginMail(to = 'joe@tinbox.test'): Promise<void> {
		await this.say('MAIL FROM:<app@example.test>');
		await this.say(`RCPT TO:<${to}>`);
		await this.say('DATA');
	}

	/** Waits until the server has closed the connection. */
	async closed(): Promise<void> {
		while (!this.#isOver()) {
			await this.#change();
		}
	}

	#isOver(): boolean {
		return this.socket.readableEnded || this.socket.destroyed;
	}

	async #change(): Promise<void> {
		await new Promise<void>(resolve => {
			this.#wake = resolve;
		});
	}
}

/** Reads a test certificate or key, valid for a hundred years. */
export function pem(name: string): string {
	return readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
}

/** TLS with a certificate for `localhost`, `mail.test` and `*.mail.test`; `old-tls.mail.test` supports at most TLS 1.1. */
export function testTls(mode: SmtpTls['mode'] = 'offer', clientAuthority?: string): SmtpTls {
	const pair = {cert: pem('server'), key: pem('server-key'), sessionIdContext: 'tinbox', ca: clientAuthority};
	const usual = tls.createSecureContext(pair);
	const old = {...pair, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0'} as const;
	const contextFor = async (servername: string | null) =>
		servername?.startsWith('old-tls.') ? tls.createSecureContext(old) : usual;
	return {mode, port: 0, certificates: {contextFor, clientAuthority}};
}

/** Options of a client that trusts the test authority. */
export const trusting: tls.ConnectionOptions = {ca: pem('ca'), servername: 'mail.test'};
