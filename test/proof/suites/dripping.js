import {setTimeout as sleep} from 'node:timers/promises';
import {Client} from '../client.js';
import {RawSmtp} from '../raw-smtp.js';
import {sendAndFind} from '../send-mails.js';

const beginnings = [
	'',
	'EHLO x\r\n',
	'EHLO x\r\nMAIL FROM:<a@sender.test>\r\nRCPT TO:<{to}>\r\n',
	'EHLO x\r\nMAIL FROM:<a@sender.test>\r\nRCPT TO:<{to}>\r\nDATA\r\n',
];

/**
 * Clients that send one byte now and then, in commands and in mails, while others send mail as usual.
 * @param {import('../start.js').Proven} daemon
 * @param {{drippers?: number, mails?: number, progress?: (text: string) => void}} options
 */
export async function drip(daemon, {drippers = 20, mails = 20, progress = () => {}} = {}) {
	const client = await Client.of(daemon);
	const inbox = await client.createInbox();
	const dripping = Array.from({length: drippers}, (_, index) => {
		const smtp = new RawSmtp(daemon.smtp);
		const beginning = beginnings[index % beginnings.length] ?? '';
		smtp.socket.write(beginning.replace('{to}', inbox.address));
		return smtp;
	});
	const drops = setInterval(() => {
		for (const {socket} of dripping) {
			socket.write('x');
		}
	}, 100);
	const stopped = new AbortController();
	const counts = {drippers, mails: 0, late: 0};
	const deadline = sleep(5000 + mails * 100, undefined, {signal: stopped.signal}).then(
		() => mails - counts.mails,
		() => 0,
	);
	const sending = (async () => {
		for (; counts.mails < mails; counts.mails++) {
			const {refused, lost} = await sendAndFind(daemon.smtp, client, [Buffer.from('Subject: x\r\n\r\nx\r\n')]);
			counts.late += refused + lost;
			progress(JSON.stringify(counts));
		}

		return 0;
	})().catch(() => mails - counts.mails);
	counts.late += await Promise.race([sending, deadline]);
	stopped.abort();
	clearInterval(drops);
	for (const {socket} of dripping) {
		socket.destroy();
	}

	client.close();
	const {stalls, errors} = await daemon.report();
	return {...counts, stalls, errors: errors.length};
}
