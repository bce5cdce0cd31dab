/**
 * Demonstrates the main use case: starts a daemon in a temporary folder, creates an inbox, waits for a mail sent by SMTP, and
 * prints its code. Everything is stopped and removed at the end, also after a failure.
 */
import {randomInt} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';
import {createTransport} from 'nodemailer';

const bin = fileURLToPath(new URL('tinbox.js', import.meta.url));
const home = await mkdtemp(path.join(tmpdir(), 'tinbox-demo-'));
const env = {TINBOX_HOME: home, TINBOX_SMTP_PORT: '0', TINBOX_HTTP_PORT: '0'};

/** @param {string[]} args arguments of the printed command line */
function tinbox(...args) {
	console.log(`\n$ tinbox ${args.join(' ')}`);
	return execa(process.execPath, [bin, ...args], {env, stderr: 'inherit'});
}

try {
	const {stdout: started} = await tinbox('daemon', 'start', '--json');
	console.log(started);
	const {smtp} = JSON.parse(started);

	const {stdout: address} = await tinbox('inbox', 'create');
	console.log(address);

	const waiting = tinbox('messages', 'wait', address, '--timeout', '30s', '--field', 'code');
	const code = String(randomInt(100_000, 1_000_000));
	console.log(`… sending a mail to ${smtp.host}:${smtp.port}`);
	await send(smtp, address, code);
	const {stdout: found} = await waiting;
	console.log(found);

	const {stdout: mail} = await tinbox('messages', 'show', address, 'latest');
	console.log(mail);
	if (found !== code) {
		throw new Error(`The mail contained ${code}, but the wait printed ${found}.`);
	}
} finally {
	await tinbox('daemon', 'stop');
	await rm(home, {recursive: true, force: true});
}

/**
 * @param {{host: string, port: number}} smtp
 * @param {string} to
 * @param {string} code
 */
async function send(smtp, to, code) {
	// Usually enough for the wait to be open when the mail arrives; it also finds earlier mail.
	await new Promise(resolve => setTimeout(resolve, 500));
	const transport = createTransport({host: smtp.host, port: smtp.port, ignoreTLS: true});
	await transport.sendMail({
		from: 'Acme <hello@acme.example>',
		to,
		subject: 'Confirm your sign-up',
		text: `Welcome to Acme.\n\nYour verification code is ${code}. It is valid for 10 minutes.\n`,
		html: `<p>Welcome to Acme.</p><p>Your verification code is <b>${code}</b>. It is valid for 10 minutes.</p>`,
	});
	transport.close();
}
