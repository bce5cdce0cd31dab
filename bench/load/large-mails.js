/** Sends mails of 25 MB at once, from a process of its own so that whoever measures is not held up: `large-mails.js host port to mails`. */
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
