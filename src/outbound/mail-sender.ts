import {connect, type Socket} from 'node:net';
import {Duplex} from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import {AppError, invalidField} from '../domain/errors.js';
import type {SendMail} from '../domain/mail/bounce.js';
import type {TargetPolicy} from '../domain/webhooks/target.js';
import {causeOf} from '../lib/errors.js';
import {withoutBrackets} from '../lib/io/hosts.js';
import type {HostResolver} from '../lib/io/resolver.js';
import {paceReading} from '../lib/io/sockets.js';
import {TurnBudget} from '../lib/queue/event-loop.js';

type MailSenderOptions = {
	readonly allows: TargetPolicy;
	readonly names: HostResolver;
	/** Host name for EHLO. */
	readonly host: string;
	/** Timeout for the whole mail. */
	readonly timeoutMs?: number;
};

const defaultPorts: Readonly<Record<string, number>> = {'smtp:': 25, 'smtps:': 465};

/** Maximum bytes that a server can send in a session, TLS included. */
const maxReceivedBytes = 128 * 1024;

/** Bytes read from all servers in one turn of the event loop. */
const maxBytesPerTurn = 4096;

/** Bytes parsed at once. nodemailer reads each line, also an empty one, in a separate turn of the event loop. */
const pieceLength = 512;

/**
 * Creates a sender that opens one connection per mail. Like mail servers, it uses TLS if offered and accepts any
 * certificate.
 */
export function createMailSender({allows, names, host, timeoutMs = 15_000}: MailSenderOptions): SendMail {
	const pace = new TurnBudget(maxBytesPerTurn);
	return async ({userId, to, recipient, source}) => {
		const {protocol, hostname, port} = new URL(to);
		const signal = AbortSignal.timeout(timeoutMs);
		const name = withoutBrackets(hostname);
		const find = async () => names.find({userId, hostname: name, signal});
		const found = await within(signal, find()).catch(error => {
			throw new AppError('undelivered', `The host of ${to} cannot be resolved: ${causeOf(error)}.`);
		});
		const forbidden = found.find(({address}) => !allows(address));
		if (forbidden) {
			throw invalidField(
				'to',
				`points to ${forbidden.address}, but bounces are sent only to local addresses (if the API listens on loopback) and to addresses in --webhook-allow`,
			);
		}

		// Loaded on demand, because most daemons never send mail.
		const {default: Connection} = await import('nodemailer/lib/smtp-connection');
		// Connects to the address that was checked.
		const address = {host: found[0]?.address ?? '', port: Number(port) || (defaultPorts[protocol] ?? 0)};
		const stream = new LimitedStream(connect(address), pace);
		const connection = new Connection({
			...address,
			connection: stream as Duplex as Socket,
			secure: protocol === 'smtps:',
			name: host,
			tls: {rejectUnauthorized: false, ...(name !== address.host && {servername: name})},
			socketCloseTimeout: 0,
		});
		signal.addEventListener('abort', () => stream.destroy(), {once: true});
		try {
			await within(signal, send(connection, recipient, source));
			connection.quit();
		} catch (error) {
			connection.close();
			stream.destroy();
			throw new AppError('undelivered', `${to} did not accept the mail: ${whyNot(stream.errored ?? error)}.`);
		}
	};
}

/**
 * Connection that delivers what it receives in turns with other connections, and fails after `maxReceivedBytes`. A TLS stream
 * above it gets its data from here too, which it would not from a `Socket`.
 */
class LimitedStream extends Duplex {
	readonly #socket: Socket;

	constructor(socket: Socket, pace: TurnBudget) {
		super();
		this.#socket = socket;
		paceReading(socket, pace, pieceLength);
		let left = maxReceivedBytes;
		socket.on('data', chunk => {
			left -= chunk.length;
			if (left < 0) {
				this.destroy(new Error(`the server sent more than ${maxReceivedBytes / 1024} KiB`));
			} else if (!this.push(chunk)) {
				socket.pause();
			}
		});
		socket.once('end', () => this.push(null));
		socket.once('close', () => this.destroy());
		socket.once('error', error => this.destroy(error));
	}

	/** Required by nodemailer. The deadline of the whole mail is shorter than any of its timeouts. */
	setTimeout(): this {
		return this;
	}

	override _read(): void {
		this.#socket.resume();
	}

	override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
		this.#socket.write(chunk, done);
	}

	override _final(done: () => void): void {
		this.#socket.end(done);
	}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		this.#socket.destroy();
		done(error);
	}
}

async function send(connection: SMTPConnection, recipient: string, source: Buffer): Promise<void> {
	return new Promise((resolve, reject) => {
		// Permanent: later errors of the connection are ignored.
		connection.on('error', reject);
		connection.connect(() => {
			const envelope = {from: '', to: [recipient]};
			connection.send(envelope, source, error => (error ? reject(error) : resolve()));
		});
	});
}

/** Rejects if the signal aborts first. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
	const late = new Promise<never>((_resolve, reject) => {
		signal.addEventListener('abort', () => reject(new Error('timeout')), {once: true});
	});
	return Promise.race([work, late]);
}

/** Error for people, in the words of the server if it sent any. */
function whyNot(error: unknown): string {
	const response = error instanceof Error && 'response' in error && error.response;
	return String(response || causeOf(error))
		.slice(0, 500)
		.replace(/\.$/, '');
}
