import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import {AppError, invalidField} from '../domain/errors.js';
import type {SendMail} from '../domain/mail/bounce.js';
import type {TargetPolicy} from '../domain/webhooks/target.js';
import {causeOf} from '../lib/errors.js';
import {withoutBrackets} from '../lib/io/hosts.js';
import type {HostResolver} from '../lib/io/resolver.js';
import {TurnBudget} from '../lib/queue/event-loop.js';
import {FairQueue} from '../lib/queue/fair-queue.js';
import {plainLine} from '../lib/text/sanitize.js';
import {LimitedStream} from './limited-stream.js';

type MailSenderOptions = {
	readonly allows: TargetPolicy;
	readonly names: HostResolver;
	/** Host name for EHLO. */
	readonly host: string;
	/** Maximum number of concurrent connections. */
	readonly maxConnections: number;
	/** Timeout for the whole mail, and for waiting for a connection. */
	readonly timeoutMs?: number;
};

const defaultPorts: Readonly<Record<string, number>> = {'smtp:': 25, 'smtps:': 465};

/** Maximum bytes that a server can send in a session, TLS included. */
const maxReceivedBytes = 64 * 1024;

/** Bytes read from all servers in one turn of the event loop. */
const maxBytesPerTurn = 512;

/** Bytes parsed at once. nodemailer reads each line, also an empty one, in a separate turn of the event loop. */
const pieceLength = 128;

/** Timeout for the reply to QUIT. */
const quitMs = 1000;

/** Maximum length of a reply in an error message. */
const maxReplyLength = 200;

/**
 * Creates a sender that opens one connection per mail. Users take turns for connections. Like mail servers, it uses TLS if offered
 * and accepts any certificate.
 */
export function createMailSender({maxConnections, timeoutMs = 15_000, ...options}: MailSenderOptions): SendMail {
	const queue = new FairQueue(maxConnections);
	const send = createSingleSender({...options, timeoutMs});
	return async mail => {
		const patience = AbortSignal.timeout(timeoutMs);
		let hasStarted = false;
		const sent = new Promise<void>((resolve, reject) => {
			void queue.run(mail.userId, async () => {
				hasStarted = true;
				const connection = patience.aborted ? undefined : await send(mail).catch(error => void reject(error));
				resolve();
				await connection?.closed;
			});
		});
		const tooLate = async () => {
			await once(patience, 'abort');
			return hasStarted ? sent : Promise.reject(noConnection(maxConnections, timeoutMs));
		};
		await Promise.race([sent, tooLate()]);
	};
}

function noConnection(max: number, ms: number): AppError {
	return new AppError(
		'limit_reached',
		`All users together can have at most ${max} connections to other mail servers, and a user at most half of the free ones. None became free within ${ms / 1000} s. Send fewer of these mails at a time.`,
	);
}

/** Sends a mail. The connection can stay open for a moment after it. */
type SendSingleMail = (mail: Parameters<SendMail>[0]) => Promise<{readonly closed: Promise<void>}>;

function createSingleSender({
	allows,
	names,
	host,
	timeoutMs,
}: Omit<MailSenderOptions, 'maxConnections'> & {readonly timeoutMs: number}): SendSingleMail {
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
		const stream = new LimitedStream(connect(address), {pace, pieceLength});
		stream.limit(maxReceivedBytes, () => new Error(`the server sent more than ${maxReceivedBytes / 1024} KiB`));
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
			return {closed: closed(stream)};
		} catch (error) {
			connection.close();
			stream.destroy();
			throw new AppError('undelivered', `${to} did not accept the mail: ${whyNot(stream.errored ?? error)}.`);
		}
	};
}

/** Resolves when the server has closed the connection. Closes it after `quitMs`. */
async function closed(stream: LimitedStream): Promise<void> {
	const timer = setTimeout(() => stream.destroy(), quitMs);
	if (!stream.closed) {
		await new Promise<void>(resolve => stream.once('close', resolve));
	}

	clearTimeout(timer);
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

/**
 * Error for people, with the reply of the server if it has greeted like a mail server. Whatever else answers at a port may be
 * confidential, so of that only a reply code is shown.
 */
function whyNot(error: unknown): string {
	const {response, command} = error as {readonly response?: unknown; readonly command?: unknown};
	if (typeof response !== 'string') {
		return causeOf(error).slice(0, maxReplyLength).replace(/\.$/, '');
	}

	const code = /^[2-5]\d\d(?=[ -]|$)/.exec(response)?.[0];
	if (code === undefined) {
		return 'the server does not speak SMTP';
	}

	if (command === 'CONN') {
		return `the server did not greet but replied ${code}`;
	}

	const text = response.replace(/^\d{3}(?:[ -]|$)/gm, '');
	return plainLine(`${code} ${text}`).slice(0, maxReplyLength).replace(/\.$/, '');
}
