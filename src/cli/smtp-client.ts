import {createTransport, type SendMailOptions} from 'nodemailer';
import type {Login} from '../config/setting.js';

export type Server = {readonly host: string; readonly port: number; readonly login: Login | null};

export type SentMail = {readonly from: string; readonly to: readonly string[]; readonly message_id: string};

/**
 * Sends one mail, without TLS. Rejects when nobody answers, and when the sender or any recipient is refused; the error
 * then has the `responseCode` of the server.
 */
export async function sendMail(server: Server, mail: SendMailOptions): Promise<SentMail> {
	const transport = transportTo(server);
	try {
		const {envelope, messageId, rejectedErrors: [refusal] = []} = await transport.sendMail(mail);
		if (refusal) {
			throw refusal;
		}

		return {from: envelope.from || '', to: envelope.to, message_id: messageId.replace(/^<|>$/g, '')};
	} finally {
		transport.close();
	}
}

/** Says hello and goodbye. Rejects when nobody answers, or when the login is refused. */
export async function greet(server: Server): Promise<void> {
	const transport = transportTo(server);
	try {
		await transport.verify();
	} finally {
		transport.close();
	}
}

function transportTo({host, port, login}: Server) {
	return createTransport({
		host,
		port,
		ignoreTLS: true,
		...(login && {auth: {user: login.user, pass: login.password}}),
	});
}
