import {randomBelow} from './random.js';

/** Pieces that are difficult for parsers. */
const pieces = [
	...['\r\n', '\n', '\r', '\r\n\r\n', '\r\n.\r\n', '\n.\n', '\0', '\x1b[2J', '\xff\xfe', '\xc3', '\t', ' '.repeat(80)],
	...['--', '--b\r\n', '=?utf-8?B?', '=?x?Q?=00?=', '?=', '"', '<', '>', '@', ';', ':', ',', '(', '=\r\n', '=3D', '%'],
	...[
		'Content-Type: multipart/mixed; boundary=""\r\n',
		'Content-Type: message/rfc822\r\n',
		'charset=utf-7',
		'charset=x',
	],
	...['Content-Transfer-Encoding: base64\r\n', 'Content-Transfer-Encoding: quoted-printable\r\n', '__proto__: x\r\n'],
	...[
		'<div>',
		'<!--',
		'<style>',
		'&#x110000;',
		'&nbsp',
		'<a href="javascript:x">',
		'Subject: again\r\n',
		'From: <<<\r\n',
	],
].map(piece => Buffer.from(piece, 'latin1'));

/**
 * Random mutations of mails, deterministic for a seed.
 * @param {readonly Buffer[]} mails
 * @param {number} seed
 * @param {number} count
 */
export function* mutants(mails, seed, count) {
	const random = randomBelow(seed);
	const one = (/** @type {readonly Buffer[]} */ of) => of[random(of.length)] ?? Buffer.alloc(0);
	for (let made = 0; made < count; made++) {
		let mail = one(mails);
		for (let left = 1 + random(4); left > 0; left--) {
			const from = random(mail.length + 1);
			const to = Math.min(mail.length, from + random(random(4) === 0 ? 2000 : 20));
			const [head, span, tail] = [mail.subarray(0, from), mail.subarray(from, to), mail.subarray(to)];
			const other = one(mails);
			const changes = [
				() => [head, tail],
				() => [head, span, span, tail],
				() => [head, Buffer.concat(Array(1 + random(200)).fill(span)), tail],
				() => [head, one(pieces), tail],
				() => [head, Buffer.concat(Array(1 + random(200)).fill(one(pieces))), tail],
				() => [head, span.map(byte => byte ^ (1 << random(8))), tail],
				() => [head, other.subarray(random(other.length))],
				() => [head],
			];
			mail = Buffer.concat(changes[random(changes.length)]?.() ?? []).subarray(0, 200_000);
		}

		yield mail;
	}
}
