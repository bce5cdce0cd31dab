import {SmtpSession} from '../../../helpers/smtp-session.js';
import {Client} from '../client.js';
import {sender} from '../send-mails.js';

/** Of one session. */
const mailsPerSession = 4;

/** Lists at once. */
const listsAtOnce = 16;

/**
 * Sessions that log in as inboxes, many at once, in the clear and under TLS, and send to the addresses of others: each mail
 * must be in the inbox of its login, once, and nowhere else.
 * @param {import('../start.js').Proven} daemon
 * @param {{inboxes?: number, connections?: number, mails?: number, progress?: (text: string) => void}} options
 */
export async function logIn(daemon, {inboxes = 50, connections = 20, mails = 600, progress = () => {}} = {}) {
	const client = await Client.of(daemon);
	/** @type {Array<import('../../../../src/contract/inboxes.js').CreatedInboxBody>} */
	const all = [];
	await inParallel(connections, inboxes, async () => {
		all.push(await client.json('POST', '/inboxes', {}));
	});
	progress(`${all.length} inboxes`);
	const ways = [daemon.smtp, {...daemon.smtp, secure: /** @type {const} */ ('starttls')}, daemon.smtps];
	/** Subjects of mails that were answered with 250, and the ids of the inboxes where they belong. @type {Map<string, string>} */
	const sent = new Map();
	let refused = 0;
	await daemon.report();
	await inParallel(connections, mails / mailsPerSession, async index => {
		const {id, smtp} = pick(all, index * 7);
		try {
			const session = await SmtpSession.open(pick(ways, index));
			const token = Buffer.from(`\0${smtp?.username}\0${smtp?.password}`).toString('base64');
			await session.command(`AUTH PLAIN ${token}`, '235');
			for (let mail = 0; mail < mailsPerSession; mail++) {
				const subject = `${index}-${mail}`;
				const recipients = [0, 1, 2].slice(mail % 3).map(next => pick(all, index + mail + next).email_address);
				await send(session, recipients, `Subject: ${subject}\r\n\r\nHello.\r\n`);
				sent.set(subject, id);
			}

			await session.quit();
		} catch {
			refused++;
		}
	});
	progress(`${sent.size} mails`);
	const {errors, stalls, longestMs} = await daemon.report();
	/** @type {Map<string, number>} */
	const seen = new Map();
	let crossed = 0;
	await inParallel(listsAtOnce, all.length, async index => {
		const {id, email_address: address} = pick(all, index);
		for (const {subject} of await client.messages({id, address})) {
			seen.set(subject, (seen.get(subject) ?? 0) + 1);
			crossed += sent.get(subject) === id ? 0 : 1;
		}
	});
	client.close();
	return {
		inboxes: all.length,
		connections,
		mails: sent.size,
		refused,
		lost: [...sent.keys()].filter(subject => !seen.has(subject)).length,
		doubled: [...seen.values()].filter(count => count > 1).length,
		crossed,
		errors: errors.length,
		stalls,
		longestMs: Math.round(longestMs),
	};
}

/**
 * @param {SmtpSession} session
 * @param {readonly string[]} recipients
 * @param {string} mail
 */
async function send(session, recipients, mail) {
	await session.command(`MAIL FROM:<${sender}>`, '250');
	for (const to of recipients) {
		await session.command(`RCPT TO:<${to}>`, '250');
	}

	await session.command('DATA', '354');
	await session.command(`${mail}.`, '250');
}

/**
 * Does the work so many times, so many of them at once.
 * @param {number} atOnce
 * @param {number} times
 * @param {(index: number) => Promise<void>} work
 */
async function inParallel(atOnce, times, work) {
	let next = 0;
	await Promise.all(
		Array.from({length: atOnce}, async () => {
			while (next < times) {
				await work(next++);
			}
		}),
	);
}

/**
 * One after the other, again and again.
 * @template T
 * @param {readonly T[]} list
 * @param {number} index
 */
function pick(list, index) {
	const found = list[index % list.length];
	if (found === undefined) {
		throw new Error('There is nothing to choose from.');
	}

	return found;
}
