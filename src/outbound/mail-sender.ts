import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import {AppError, invalidField} from '../domain/errors.js';
import type {SendMail} from '../domain/mail/bounce.js';
import type {TargetPolicy} from '../domain/webhooks/target.js';
import {causeOf} from '../lib/errors.js';
import {withoutBrackets} from '../lib/io/hosts.js';
import type {HostResolver} from '../lib/io/resolver.js';

type MailSenderOptions = {
	readonly allows: TargetPolicy;
	readonly names: HostResolver;
	/** Host name for EHLO. */
	readonly host: string;
	/** Timeout for the whole mail. */
	readonly timeoutMs?: number;
};

const defaultPorts: Readonly<Record<string, number>> = {'smtp:': 25, 'smtps:': 465};

/** Maximum bytes of one reply. */
const maxReplyBytes = 64 * 1024;

/**
 * Creates a sender that opens one connection per mail. Like mail servers, it uses TLS if offered and accepts any
 * certificate.
 */
export function createMailSender({allows, names, host, timeoutMs = 15_000}: MailSenderOptions): SendMail {
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
		const connection = new Connection({
			// Connects to the address that was checked.
			host: found[0]?.address ?? '',
			port: Number(port) || (defaultPorts[protocol] ?? 0),
			secure: protocol === 'smtps:',
			name: host,
			tls: {rejectUnauthorized: false, ...(name !== found[0]?.address && {servername: name})},
			socketCloseTimeout: 0,
			maxResponseSize: maxReplyBytes,
		});
		signal.addEventListener('abort', () => connection.close(), {once: true});
		try {
			await within(signal, send(connection, recipient, source));
			connection.quit();
		} catch (error) {
			connection.close();
			throw new AppError('undelivered', `${to} did not accept the mail: ${whyNot(error)}.`);
		}
	};
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
