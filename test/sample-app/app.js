/**
 * Sample app with a sign-up and a password reset. It mails a confirmation code or a reset link through SMTP_HOST and
 * SMTP_PORT and prints its URL when it listens. With BROKEN_MAIL the sign-up mail contains unfilled placeholders.
 */
import {randomBytes, randomInt} from 'node:crypto';
import {createServer} from 'node:http';
import {text} from 'node:stream/consumers';
import nodemailer from 'nodemailer';

const {SMTP_HOST, SMTP_PORT, BROKEN_MAIL} = process.env;
const mailer = nodemailer.createTransport({host: SMTP_HOST, port: Number(SMTP_PORT), secure: false, ignoreTLS: true});

/** @type {Map<string, string>} */
const codes = new Map();
/** @type {Set<string>} */
const resets = new Set();

/** @type {Record<string, (form: URLSearchParams, base: string) => Promise<string | undefined>>} */
const pages = {
	async '/sign-up'(form) {
		const email = form.get('email') ?? '';
		const code = String(randomInt(100_000, 1_000_000));
		codes.set(email, code);
		const [subject, body] = BROKEN_MAIL
			? ['Welcome, {{name}}', 'Thank you for signing up, {{name}}. Since 1999 we ship in 24 hours.']
			: ['Confirm your address', `Thank you for signing up.\n\nYour confirmation code is ${code}.`];
		await mailer.sendMail({from: 'Shop <hello@shop.example>', to: email, subject, text: body});
		return 'We have sent you a code.';
	},
	async '/confirm'(form) {
		return codes.get(form.get('email') ?? '') === form.get('code') ? 'Your address is confirmed.' : undefined;
	},
	async '/forgot'(form, base) {
		const link = `${base}/reset/${randomBytes(16).toString('hex')}?from=mail&lang=en`;
		resets.add(link);
		const html = `<p>Hello,</p><p><a href="${base}/">Shop</a></p><p><a href="${link.replaceAll('&', '&amp;')}">Choose a new password</a></p>`;
		await mailer.sendMail({
			from: 'hello@shop.example',
			to: form.get('email') ?? '',
			subject: 'Reset your password',
			html,
		});
		return 'We have sent you a link.';
	},
};

const server = createServer(async (request, response) => {
	const base = `http://${request.headers.host}`;
	const form = new URLSearchParams(await text(request));
	const page = resets.has(base + request.url) ? 'Choose a new password.' : await pages[request.url ?? '']?.(form, base);
	response.writeHead(page === undefined ? 400 : 200).end(page ?? 'That is not right.');
});
server.listen(0, '127.0.0.1', () => {
	const address = server.address();
	console.log(`http://127.0.0.1:${typeof address === 'object' && address?.port}`);
});
