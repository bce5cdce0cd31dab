import {createTransport, type SendMailOptions} from 'nodemailer';
import type {Login} from '../../config/kinds.js';
import {causeOf} from '../../lib/errors.js';
import {type HostPort, hostPort} from '../../lib/io/hosts.js';
import {Exit, exitCodes} from '../output/exit.js';

export type Server = HostPort & {
	readonly login: Login | null;
	/** Takes mail only of who logs in as an inbox. */
	readonly isForInboxes?: boolean;
	/** The certificate of the authority that vouches for it, PEM, where it takes no mail, or no logins, in the clear. */
	readonly authority?: string | null;
};

export type SentBySmtp = {readonly from: string; readonly to: readonly string[]; readonly message_id: string};

/**
 * Sends one mail, with TLS only where that is required. Rejects when nobody answers, and, in the server's words, when the sender or any recipient
 * is refused.
 */
export async function sendMail(server: Server, mail: SendMailOptions): Promise<SentBySmtp> {
	return withTransport(server, async transport => {
		const {envelope, messageId, rejectedErrors: [refusal] = []} = await transport.sendMail(mail);
		if (refusal) {
			throw refusal;
		}

		return {from: envelope.from || '', to: envelope.to, message_id: messageId.replace(/^<|>$/g, '')};
	});
}

/** Connects, logs in and leaves. Rejects when nobody answers, or when the login is refused. */
export async function greet(server: Server): Promise<void> {
	await withTransport(server, async transport => transport.verify());
}

async function withTransport<T>(
	server: Server,
	work: (transport: ReturnType<typeof transportTo>) => Promise<T>,
): Promise<T> {
	const transport = transportTo(server);
	try {
		return await work(transport);
	} catch (error) {
		throw explain(error, server);
	} finally {
		transport.close();
	}
}

function transportTo({host, port, login, authority}: Server) {
	const auth = login && {user: login.user, pass: login.password};
	const terms = authority ? {requireTLS: true, tls: {ca: authority}} : {ignoreTLS: true};
	return createTransport({host, port, ...terms, ...(auth && {auth})});
}

/** The SMTP reply for an unavailable mailbox, most often because no inbox has the address (RFC 5321, section 4.2.3). */
const unavailable = 550;

/** The error to show when a mail was refused, in the server's words, or when nobody answered. */
function explain(error: unknown, server: Server): unknown {
	if (!(error instanceof Error)) {
		return error;
	}

	if (!('responseCode' in error) || error.responseCode === undefined) {
		return new Exit(exitCodes.noDaemon, 'no_daemon', `No SMTP reply from ${hostPort(server)}: ${causeOf(error)}.`, {
			hint: 'Check the SMTP address with "tinbox daemon status", or set another one with --server host:port. A fault can also close the connection.',
		});
	}

	const message = `The SMTP server at ${hostPort(server)} replied: ${'response' in error ? error.response : error.message}`;
	const details = {reply: error.responseCode};
	return error.responseCode === unavailable
		? new Exit(exitCodes.notFound, 'refused', message, {
				hint: 'List all inboxes: tinbox inbox list --all',
				details,
			})
		: new Exit(exitCodes.failed, 'refused', message, {details});
}
