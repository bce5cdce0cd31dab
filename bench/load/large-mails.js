/** Sends mails of 25 MB concurrently, in a separate process that does not disturb the measurement: `large-mails.js host port to mails`. */
import {SmtpSession} from '../../test/helpers/smtp-session.js';
import {mailOf} from './smtp-load.js';

const [host = '', port, to = '', mails] = process.argv.slice(2);
const mail = Buffer.from(mailOf(25_000_000));
await Promise.all(
	Array.from({length: Number(mails)}, async () => {
		const session = await SmtpSession.open({host, port: Number(port)});
		await session.send('bench@sender.test', to, mail);
		await session.quit();
	}),
);
