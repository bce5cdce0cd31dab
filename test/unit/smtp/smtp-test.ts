import {once} from 'node:events';
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
import {trusting} from './tls-test.js';

type Mail = {readonly envelope: Envelope; readonly source: string};

type LogLine = {readonly level: string; readonly message: string; readonly fields: Readonly<Record<string, unknown>>};

export type Running = {
	readonly server: SmtpServer;
	readonly port: number;
	/** Where connections begin with TLS; 0 where none do. */
	readonly securePort: number;
	/** What was delivered, each byte of a source being one character. */
	readonly mails: Mail[];
	/** How each of them came. */
	readonly sessions: Session[];
	readonly refused: NewRefusal[];
	readonly logged: LogLine[];
};

/** Takes all mail except for `nobody@…`, and keeps it. */
function keepIn(mails: Mail[], sessions: Session[], refusals: NewRefusal[]): SmtpServices {
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
	// biome-ignore lint/suspicious/noConfusingVoidType: most tests have nothing to hand on.
	readonly deliver?: (...mail: Parameters<SmtpServices['deliver']>) => Promise<FaultEffect | null | void>;
};

/** A server on a free port that is stopped with the test. */
export async function startServer(
	{maxConnections = 100, evictAfterMs = 60_000, auth: given, ...options}: TestOptions = {},
	{deliver, ...intake}: TestIntake = {},
): Promise<Running> {
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
			connections: {max: maxConnections, more: 'a larger --max-connections'},
			places: new SlotPool(maxConnections).share(maxConnections, 0),
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
			...keepIn(mails, sessions, refused),
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

/** A client that says exactly what it is told, byte for byte. */
export class RawClient {
	readonly socket: net.Socket;
	/** All that the server said. */
	heard = '';
	#read = 0;
	#wake = () => {};

	private constructor(socket: net.Socket) {
		this.socket = socket;
		socket.setNoDelay(true);
		socket.setEncoding('latin1');
		socket.on('error', () => {});
		socket.on('data', data => {
			this.heard += data;
			this.#wake();
		});
		socket.on('end', () => this.#wake());
		socket.on('close', () => this.#wake());
		onTestFinished(() => {
			socket.destroy();
		});
	}

	/** Connects without waiting for the greeting; from another address of this machine, if one is given. */
	static connect(port: number, localAddress = '127.0.0.1'): RawClient {
		return new RawClient(net.connect({port, host: '127.0.0.1', localAddress}));
	}

	/** Connects with TLS, and shakes hands. */
	static async connectSecurely(port: number, options = trusting): Promise<RawClient> {
		const socket = tls.connect({port, host: '127.0.0.1', ...options});
		const client = new RawClient(socket);
		await once(socket, 'secureConnect');
		return client;
	}

	/** Shakes hands on the same connection: the one that goes on. */
	async shakeHands(options = trusting): Promise<RawClient> {
		this.socket.removeAllListeners('data').pause();
		const socket = tls.connect({socket: this.socket, ...options});
		const client = new RawClient(socket);
		await once(socket, 'secureConnect');
		return client;
	}

	/** Connects, begins TLS in one of both ways, and says EHLO. */
	static async secure(
		{port, securePort}: Running,
		how: 'STARTTLS' | 'implicit',
		options = trusting,
	): Promise<RawClient> {
		if (how === 'STARTTLS') {
			const plain = await RawClient.greeted(port);
			await plain.say('STARTTLS');
			const client = await plain.shakeHands(options);
			await client.say('EHLO client.test');
			return client;
		}

		const client = await RawClient.connectSecurely(securePort, options);
		await client.reply();
		await client.say('EHLO client.test');
		return client;
	}

	/** Connects, reads the greeting and says EHLO. */
	static async greeted(port: number, localAddress?: string): Promise<RawClient> {
		const client = RawClient.connect(port, localAddress);
		await client.reply();
		await client.say('EHLO client.test');
		return client;
	}

	send(bytes: string | Buffer): void {
		this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
	}

	/** When all that was sent has left this process, as a segment of its own. */
	async flushed(): Promise<void> {
		await new Promise(resolve => this.socket.write('', resolve));
		await new Promise(setImmediate);
	}

	/** The next reply, of however many lines. */
	async reply(): Promise<string> {
		for (;;) {
			const [reply] = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.heard.slice(this.#read)) ?? [];
			if (reply !== undefined) {
				this.#read += reply.length;
				return reply.trimEnd();
			}

			if (this.#isOver()) {
				throw new Error(`The server closed the connection, after: ${this.heard}`);
			}

			await this.#change();
		}
	}

	/** Sends a line and reads the reply to it. */
	async say(line: string): Promise<string> {
		this.send(`${line}\r\n`);
		return this.reply();
	}

	/** Begins a mail: what is sent next is its data. */
	async beginMail(to = 'joe@tinbox.test'): Promise<void> {
		await this.say('MAIL FROM:<app@example.test>');
		await this.say(`RCPT TO:<${to}>`);
		await this.say('DATA');
	}

	/** When the server has closed its side. */
	async ended(): Promise<void> {
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
