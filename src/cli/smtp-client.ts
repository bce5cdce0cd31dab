import {createTransport, type SendMailOptions} from 'nodemailer';
import type {Login} from '../config/setting.js';

export type Server = {readonly host: string; readonly port: number; readonly login: Login | null};

export type SentMail = {readonly from: string; readonly to: readonly string[]; readonly message_id: string};

/**
 * Sends one mail, without TLS. Rejects when nobody answers, and when the sender or any recipient is refused; the error
 * then has the `responseCode` of the server.
 */
export async function sendMail({host, port, login}: Server, mail: SendMailOptions): Promise<SentMail> {
	const auth = login && {auth: {user: login.user, pass: login.password}};
	const transport = createTransport({host, port, ignoreTLS: true, ...auth});
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
