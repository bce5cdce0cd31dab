import {setTimeout as sleep} from 'node:timers/promises';
import nodemailer from 'nodemailer';

const {SMTP_HOST: host, SMTP_PORT: port, MAIL_FROM: from, MAIL_TO: to, MAILS, RETRY_MS} = process.env;

const transport = nodemailer.createTransport({host, port: Number(port), ignoreTLS: true});
for (let number = 1; number <= Number(MAILS); number++) {
	const mail = {from, to, subject: `Mail ${number}`, messageId: `<${number}@nodemailer.test>`, text: 'Hello.'};
	for (let isSent = false; !isSent; ) {
		try {
			await transport.sendMail(mail);
			isSent = true;
		} catch (error) {
			// Permanent errors are not retried.
			if (codeOf(error) >= 500) {
				throw error;
			}

			await sleep(Number(RETRY_MS));
		}
	}
}

/** @param {unknown} error */
function codeOf(error) {
	return error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0;
}
