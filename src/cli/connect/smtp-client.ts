import {createTransport, type SendMailOptions} from 'nodemailer';
import type {Login} from '../../config/kinds.js';
import {causeOf} from '../../lib/errors.js';
import {type HostPort, hostPort} from '../../lib/io/hosts.js';
import {Exit, exitCodes} from '../output/exit.js';

export type Server = HostPort & {
	readonly login: Login | null;
	/** True if clients must log in as an inbox. */
	readonly isForInboxes?: boolean;
	/** CA certificate in PEM, if the server requires TLS for mail or logins. */
	readonly authority?: string | null;
};

export type SentBySmtp = {readonly from: string; readonly to: readonly string[]; readonly message_id: string};

/**
 * Sends one mail, with TLS only if the server requires it. Throws `Exit` if the server does not respond, or with its reply
 * if it rejects the sender or any recipient.
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

/** Connects and logs in, without sending mail. Throws `Exit` if the server does not respond or rejects the login. */
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

/** SMTP reply code for an unavailable mailbox, usually an unknown inbox (RFC 5321, section 4.2.3). */
const unavailable = 550;

/** Converts an SMTP error to an `Exit` with the reply of the server, or a connection error. */
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
