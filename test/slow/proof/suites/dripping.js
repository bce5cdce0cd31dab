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

/** Maximum additional memory while clients send endlessly. */
const maxMegabytes = 60;

/**
 * Slow clients send single bytes of commands and mails while others send mail normally. Before that, clients send endless
 * data as fast as possible.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {{drippers?: number, endless?: number, megabytes?: number, mails?: number, progress?: (text: string) => void}} options
 */
export async function runDrippingClients(
	daemon,
	{drippers = 20, endless = 1, megabytes = 50, mails = 20, progress = () => {}} = {},
) {
	const client = await Client.of(daemon);
	const inbox = await client.createInbox();
	const flood = await pourAll(daemon, inbox.address, endless, megabytes);
	progress(JSON.stringify(flood));
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

	const stored = (await client.messages(inbox)).length;
	client.close();
	const {stalls, errors} = await daemon.report();
	return {...counts, ...flood, stored, stalls: flood.stalls + stalls, errors: flood.errors + errors.length};
}

/**
 * Runs clients that send endless commands and mails, and measures the memory of buffers.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {string} to
 * @param {number} endless number of clients of each kind
 * @param {number} megabytes maximum sent by each
 */
async function pourAll(daemon, to, endless, megabytes) {
	const {bufferMegabytes: before} = await daemon.report();
	const flood = {endless: 2 * endless, heldMegabytes: 0, tooManyMegabytes: 0, stalls: 0, errors: 0};
	let isOver = false;
	const pouring = Promise.all(
		['', beginnings.at(-1) ?? ''].flatMap(beginning =>
			Array.from({length: endless}, () => pour(daemon.smtp, beginning.replace('{to}', to), megabytes)),
		),
	).then(() => {
		isOver = true;
	});
	while (!isOver) {
		const {bufferMegabytes, stalls, errors} = await daemon.report();
		flood.heldMegabytes = Math.max(flood.heldMegabytes, Math.round(bufferMegabytes - before));
		flood.stalls += stalls;
		flood.errors += errors.length;
	}

	await pouring;
	return {...flood, tooManyMegabytes: Math.max(0, flood.heldMegabytes - maxMegabytes)};
}

/**
 * Sends endless data until the server closes the connection or `megabytes` were sent.
 * @param {import('../start.js').Address} address
 * @param {string} beginning
 * @param {number} megabytes
 */
async function pour(address, beginning, megabytes) {
	const {socket} = new RawSmtp(address);
	const piece = 'x'.repeat(1_000_000);
	socket.write(beginning);
	const closed = new Promise(resolve => socket.once('close', resolve));
	for (let sent = 0; sent < megabytes && socket.writable; sent++) {
		if (!socket.write(piece)) {
			await Promise.race([closed, new Promise(resolve => socket.once('drain', resolve))]);
		}
	}

	socket.destroy();
	await closed;
}
