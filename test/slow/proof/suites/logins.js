import {SmtpSession} from '../../../helpers/smtp-session.js';
import {Client} from '../client.js';
import {sender} from '../send-mails.js';

const mailsPerSession = 4;

const listsAtOnce = 16;

/**
 * Concurrent sessions log in as inboxes, without TLS, by STARTTLS and by implicit TLS, and send to addresses of other inboxes.
 * Each mail must be stored once in the inbox of its login, and nowhere else.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {{inboxes?: number, connections?: number, mails?: number, progress?: (text: string) => void}} options
 */
export async function runLogins(daemon, {inboxes = 50, connections = 20, mails = 600, progress = () => {}} = {}) {
	const client = await Client.of(daemon);
	/** @type {Array<import('../../../../src/contract/inboxes.js').CreatedInboxBody>} */
	const all = [];
	await inParallel(connections, inboxes, async () => {
		all.push(await client.json('POST', '/inboxes', {}));
	});
	progress(`${all.length} inboxes`);
	const ways = [daemon.smtp, {...daemon.smtp, secure: /** @type {const} */ ('starttls')}, daemon.smtps];
	/** Subjects of mails answered with 250, and the ids of their inboxes. @type {Map<string, string>} */
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
 * Runs the work `times` times, with `atOnce` in parallel.
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
 * The item at an index, modulo the length.
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
