import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import {assertOpenFiles, openMany} from '../load/many-connections.js';
import {mailOf, sendOneShot} from '../load/smtp-load.js';
import {residentMegabytes} from '../process.js';
import {startBareSmtp, startTinbox} from '../servers/start.js';
import {median} from '../statistics.js';

const count = 10_000;
const mail = mailOf(2048);

/**
 * 10,000 idle SMTP sessions after EHLO: their memory compared with a bare smtp-server, and the time of a mail beside them.
 * @type {import('../run.js').Bench}
 */
export async function idleSmtp({runs, progress}) {
	assertOpenFiles(count);
	/** @type {Array<Awaited<ReturnType<typeof hold>>>} */
	const tinbox = [];
	/** @type {typeof tinbox} */
	const bare = [];
	for (let run = 0; run < runs; run++) {
		bare.push(await hold(await startBareSmtp()));
		tinbox.push(await hold(await startTinbox()));
		progress(`tinbox ${show(tinbox.at(-1))}; bare smtp-server ${show(bare.at(-1))}`);
	}

	const memory = (/** @type {typeof tinbox} */ results) => median(results.map(({megabytes}) => megabytes));
	const alone = median(tinbox.map(result => result.alone));
	const among = median(tinbox.map(result => result.among));
	return [
		{
			what: '10,000 idle SMTP sessions: memory for them',
			tinbox: `${memory(tinbox).toFixed(0)} MB`,
			peer: `bare smtp-server ${memory(bare).toFixed(0)} MB`,
			ratio: memory(tinbox) / memory(bare),
			goal: {atMost: 1.3},
		},
		{
			what: '10,000 idle SMTP sessions: one session per mail, p50',
			tinbox: `${among.toFixed(2)} ms`,
			peer: `without them ${alone.toFixed(2)} ms`,
			ratio: among / alone,
			goal: {atMost: 1.2},
		},
	];
}

/** @param {import('../servers/start.js').Server} server */
async function hold(server) {
	const {smtp, recipients, pid} = server;
	const send = () => sendOneShot(smtp, {recipients, mail, mails: 100});
	await send();
	const alone = await send();
	const megabytesBefore = await residentMegabytes(pid);
	const many = await openMany(smtp, count, greet);
	await sleep(2000);
	const megabytes = (await residentMegabytes(pid)) - megabytesBefore;
	const among = median(await send());
	if (many.open() !== count) {
		throw new Error(`${server.name} held ${many.open()} of ${count} sessions.`);
	}

	many.close();
	alone.push(...(await send()));
	await server.stop();
	return {megabytes, alone: median(alone), among};
}

/**
 * Waits for the greeting, and for the last line of the reply to EHLO.
 * @param {import('node:net').Socket} socket
 */
async function greet(socket) {
	await received(socket, /^220 .*\r\n/);
	socket.write('EHLO idle.test\r\n');
	await received(socket, /^250 .*\r\n/m);
}

/**
 * @param {import('node:net').Socket} socket
 * @param {RegExp} pattern
 */
async function received(socket, pattern) {
	for (let text = ''; !pattern.test(text); ) {
		const [chunk] = await once(socket, 'data');
		text += chunk;
	}
}

/** @param {{megabytes: number, alone: number, among: number} | undefined} result */
function show(result) {
	return `${result?.megabytes.toFixed(0)} MB, a mail ${result?.alone.toFixed(2)} alone, ${result?.among.toFixed(2)} ms among them`;
}
