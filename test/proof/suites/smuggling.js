import {setTimeout as sleep} from 'node:timers/promises';
import {Client} from '../client.js';
import {RawSmtp} from '../raw-smtp.js';

/** What some server somewhere took for the end of a mail, or might. Here only CRLF.CRLF is. */
const falseEndings = [
	...['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r.\r\n', '\r\n.\r', '\n.\r', '\r.\n', '\n\n.\n\n', '\r\r.\r\r'],
	...['\r\r\n.\r\r\n', '\r\n.\r\r\n', '\r\r\n.\n', '\n\r.\n\r', '\r\n\r.\r', '\n\n.\r\n', '\r\n.\n\r', '\n.\r\r\n'],
	...[
		'\r\n\0.\r\n',
		'\r\n.\0\r\n',
		'\0\r\n.\0\r\n',
		'\r\0\n.\r\n',
		'\r\n.\r\0\n',
		'\r\n.\t\r\n',
		'\r\n. \r\n',
		'\r\n .\r\n',
	],
	...[
		'\r\n\t.\r\n',
		'\r\n..\r\n',
		'\r\n...\r\n',
		'\n..\n',
		'\r\n..\n',
		'\n..\r\n',
		'\x85.\x85',
		'\r\n.\x85',
		'\v.\v',
		'\f.\f',
	],
	...['\r\n\xff.\r\n', '\r\n.\xff\r\n', '\r\n\x1a\r\n', '\r\n\x04\r\n', '\r\n\xe3\x80\x82\r\n'],
];

const atOnce = 24;

/**
 * Mails with a false ending and a second mail behind it, the data cut in two at every byte: one mail must come of each,
 * whole, and nothing for the victim.
 * @param {import('../start.js').Proven} daemon
 * @param {{forms?: number, everyCut?: number, progress?: (text: string) => void}} options
 */
export async function smuggle(daemon, {forms = falseEndings.length, everyCut = 1, progress = () => {}} = {}) {
	const client = await Client.of(daemon);
	const victim = await client.createInbox();
	const counts = {forms, cases: 0, smuggled: 0, changed: 0, misanswered: 0, lost: 0};
	for (const ending of falseEndings.slice(0, forms)) {
		const data = `Subject: x\r\n\r\nhello${ending}${hiddenMail(victim.address)}\r\n`;
		await sendInTwo({daemon, client, data, everyCut}, counts);
		progress(`${JSON.stringify(ending)}: ${JSON.stringify(counts)}`);
	}

	counts.smuggled = (await client.messages(victim)).length;
	client.close();
	const {errors, stalls} = await daemon.report();
	return {...counts, errors: errors.length, stalls};
}

/** @param {string} to */
function hiddenMail(to) {
	return `MAIL FROM:<evil@sender.test>\r\nRCPT TO:<${to}>\r\nDATA\r\nSubject: evil\r\n\r\nevil`;
}

/**
 * @param {{daemon: import('../start.js').Proven, client: Client, data: string, everyCut: number}} form
 * @param {{cases: number, changed: number, misanswered: number, lost: number}} counts
 */
async function sendInTwo({daemon, client, data, everyCut}, counts) {
	const inbox = await client.createInbox();
	const sent = `${data}.\r\n`;
	const cuts = Array.from({length: Math.ceil(sent.length / everyCut)}, (_, index) => index * everyCut);
	counts.cases += cuts.length;
	const expected = cuts.length;
	await Promise.all(
		Array.from({length: atOnce}, async () => {
			for (let cut = cuts.pop(); cut !== undefined; cut = cuts.pop()) {
				const isAnswered = await isAnsweredOnce(daemon.smtp, inbox.address, sent, cut);
				counts.misanswered += isAnswered ? 0 : 1;
			}
		}),
	);
	const found = await client.messages(inbox);
	counts.lost += Math.max(0, expected - found.length);
	const stored = data.replace(/(^|\r\n)\.\./g, '$1.');
	for (const {id} of found) {
		const {bytes} = await client.send('GET', `/inboxes/${inbox.id}/messages/${id}/raw`);
		counts.changed += bytes.toString('latin1') === stored ? 0 : 1;
	}
}

/**
 * Whether the data is answered with one 250, and QUIT is what the server hears next.
 * @param {import('../start.js').Address} address
 * @param {string} to
 * @param {string} sent
 * @param {number} cut
 */
async function isAnsweredOnce(address, to, sent, cut) {
	const smtp = await RawSmtp.atData(address, to);
	const before = smtp.heard.length;
	const replies = smtp.count();
	await smtp.send(sent.slice(0, cut));
	// For the server to read the first part by itself.
	await sleep(2);
	await smtp.send(sent.slice(cut));
	await smtp.replies(replies + 1);
	await smtp.quit();
	return /^250 [^\r]*\r\n221 [^\r]*\r\n$/.test(smtp.heard.slice(before));
}
