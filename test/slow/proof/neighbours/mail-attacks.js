import {bombs} from '../../../helpers/bombs.js';

/** @typedef {import('./attacks.js').AttackFunction} AttackFunction */

const html = 'Content-Type: text/html\r\n\r\n';

/**
 * A mail with HTML and an inline image.
 * @param {string} contentId
 * @param {string} page
 * @param {number} bytes size of the image
 */
const withPicture = (contentId, page, bytes) =>
	`Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\n${html}${page}\r\n--b\r\nContent-Type: image/png\r\n` +
	`Content-ID: <${contentId}>\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines('A', (bytes / 3) * 4)}\r\n--b--`;

/**
 * @param {string} character
 * @param {number} count
 */
const lines = (character, count) => `${character.repeat(76)}\r\n`.repeat(Math.ceil(count / 76));

/** U+0090, which begins a control string, in UTF-8. */
const control = '\xc2\x90';

/**
 * Attacks by mails when they are received or shown.
 * @type {Record<string, AttackFunction>}
 */
export const mailAttacks = {
	async 'an inline image used 8,000 times'(attacker) {
		const inbox = await attacker.inboxWith(withPicture('a@b', '<img src="cid:a@b">'.repeat(8000), 700_000));
		await preview(attacker, inbox, 4, '/html');
	},
	async 'a content id that almost matches'(attacker) {
		const id = `qx${'q'.repeat(900)}`;
		const inbox = await attacker.inboxWith(withPicture(id, `<img src="cid:${'q'.repeat(1_500_000)}"><b>${id}`, 100));
		await preview(attacker, inbox, 4, '/html');
	},
	async 'concurrent preview pages'(attacker) {
		const inbox = await attacker.inboxWith(
			bombs['a million entities']?.() ?? '',
			bombs['2 MB of nested tables']?.() ?? '',
		);
		await preview(attacker, inbox, 16, '');
	},
	async 'concurrent attachment downloads'(attacker) {
		const {path, ids} = await attacker.inboxWith(
			`Content-Type: application/zip; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines('A', 5_000_000)}`,
		);
		attacker.repeat(16, () => attacker.ask('GET', `${path}/${ids[0]}/attachments/1`));
	},
	async 'unterminated control strings'(attacker) {
		const name = control.repeat(60_000);
		const {path, ids} = await attacker.inboxWith(
			`Subject: ${name}\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${name}`,
		);
		attacker.repeat(8, turn =>
			attacker.ask('GET', [path, `${path}/${ids[0]}`, `${path}/${ids[0]}/attachments/1`][turn % 3] ?? ''),
		);
	},
	async 'endless nested groups in From'(attacker) {
		const inbox = await attacker.inbox();
		const mails = Array(20).fill(`From: ${'a:'.repeat(31_000)}\r\n\r\nx`);
		attacker.repeat(20, () => attacker.mail(inbox, ...mails));
	},
	async 'deeply nested mail'(attacker) {
		const inbox = await attacker.inboxWith();
		const mails = ['900 nested multiparts', '10,000 nested messages', 'a million empty parts', '2 MB of nested quotes'];
		attacker.repeat(4, async turn => {
			await attacker.mail(inbox, bombs[mails[turn % mails.length] ?? '']?.() ?? '');
			await attacker.ask('GET', `${inbox.path}?limit=5`);
		});
	},
	async 'a million links'(attacker) {
		const {path, ids} = await attacker.inboxWith(
			...['a million links', 'links in plain text', 'codes without an end', 'digits without an end'].map(
				name => bombs[name]?.() ?? '',
			),
		);
		attacker.repeat(8, turn => attacker.ask('GET', `${path}/${ids[turn % ids.length]}?link=/(.*a){9}z/`));
	},
	async 'links with control strings'(attacker) {
		const {path, ids} = await attacker.inboxWith(
			`${html}${`<a href="http://a.test/\x1b]52;c;${control.repeat(20)}">${control}</a>`.repeat(20_000)}`,
		);
		attacker.repeat(8, turn => attacker.ask('GET', `${path}/${ids[0]}${turn % 2 === 0 ? '' : '?link=52'}`));
	},
	async 'a mail to a thousand inboxes'(attacker) {
		const inboxes = await Promise.all(Array.from({length: 1000}, () => attacker.inbox().catch(() => undefined)));
		const [first] = inboxes;
		const recipients = inboxes.map(inbox => `RCPT TO:<${inbox?.address ?? first?.address}>\r\n`);
		const mail = `MAIL FROM:<a@b.test>\r\n${recipients.join('')}DATA\r\n${lines('x', 50_000)}.\r\n`;
		attacker.repeat(8, async () => {
			const socket = attacker.connectSmtp();
			socket.resume().end(`EHLO worst.test\r\n${mail.repeat(10)}QUIT\r\n`);
			await new Promise(resolve => socket.once('close', resolve));
		});
	},
	async '10,000 tiny mails at once'(attacker) {
		const inbox = await attacker.inbox();
		const mails = Array(100).fill('Subject: tiny\r\n\r\nx');
		attacker.repeat(100, () => attacker.mail(inbox, ...mails));
	},
};

/**
 * Opens previews of the messages of an inbox in parallel.
 * @param {import('./attacker.js').Attacker} attacker
 * @param {{path: string, ids: readonly string[]}} inbox
 * @param {number} atOnce
 * @param {string} page
 */
async function preview(attacker, {path, ids}, atOnce, page) {
	const links = await Promise.all(ids.map(id => attacker.client.json('POST', `${path}/${id}/preview`, {})));
	const pages = links.map(({url}) => new URL(url).pathname.replace('/v1', '') + page);
	attacker.repeat(atOnce, turn => attacker.ask('GET', pages[turn % pages.length] ?? ''));
}
