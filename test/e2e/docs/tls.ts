import {expect} from 'vitest';
import {mailText, type Stories, type Story, type World} from './world.js';

const mail = `Subject: Code\\n\\n${mailText}\\n`;

/** Programs that send with only host and port, by implicit TLS or STARTTLS, and fail without TLS. */
const send = `
import nodemailer from 'nodemailer';
const {SMTP_HOST: host, SMTP_TLS_PORT: port, TINBOX_ADDRESS: to} = process.env;
await nodemailer.createTransport({host, port, secure: true}).sendMail({from: 'shop@example.com', to, text: 'Hello.'});`;

const sendByStarttls = `
const {SMTP_PORT} = process.env;
await nodemailer.createTransport({host, port: SMTP_PORT, requireTLS: true}).sendMail({from: 'shop@example.com', to, text: 'Hello.'});`;

const countMails = 'tinbox messages wait "$TINBOX_ADDRESS" --count 2 --tls --json=session';

/** An app that sends mail with the given transport options. */
const app = `
import assert from 'node:assert';
import nodemailer from 'nodemailer';
const sendMail = async options =>
	nodemailer.createTransport({...options, ...strictness}).sendMail({from: 'shop@example.com', to: process.env.TINBOX_ADDRESS});`;

const port = `eval "$(tinbox daemon start --format env)"; echo "$SMTP_PORT"`;

const badCertificate: Story = {
	async run(code, {sh, files, packages}) {
		await packages('nodemailer');
		const here = code.replace('1025', 'process.env.SMTP_PORT');
		const test = (strictness: string) => `${app.replace('...strictness', strictness)}\n${here}`;
		await files({
			'strict.mjs': test('secure: false'),
			'careless.mjs': test('tls: {...options.tls, rejectUnauthorized: false}'),
		});
		await sh('tinbox run --tls -- node strict.mjs');
		expect(await sh('tinbox run --tls -- node careless.mjs 2>&1 || true')).toContain('Missing expected rejection');
	},
};

/** Script that starts a daemon, sends a mail with a client certificate and then runs `read`. */
const withClientCertificate = (start: string, read: string) => `
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj '/CN=Our CA' -keyout ca.key -out client-ca.pem
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj '/CN=the shop' -keyout client.key -out client.csr
openssl x509 -req -in client.csr -CA client-ca.pem -CAkey ca.key -CAcreateserial -out client.pem
${start}
eval "$(tinbox daemon status --format env)"
addr=$(tinbox inbox create)
printf '${mail}' | curl -sk --ssl-reqd --cert client.pem --key client.key "smtp://localhost:$SMTP_PORT" \\
	--mail-from shop@example.com --mail-rcpt "$addr" --upload-file -
${read}`;

/** Asserts that the script prints a session with the client certificate. */
async function expectClientCertificate(script: string, {sh}: World): Promise<void> {
	const printed = await sh(script);
	expect(JSON.parse(printed.slice(printed.indexOf('{"session"'))).session.tls.client).toBe('CN=the shop');
}

export const stories: Stories = {
	'TLS: sh': {
		async run(code, {sh, files, packages}) {
			await packages('nodemailer');
			await files({
				'package.json': JSON.stringify({name: 'shop', scripts: {test: `node send.mjs && ${countMails}`}}),
				'send.mjs': `${send}\n${sendByStarttls}`,
			});
			expect((await sh(code)).match(/"version":"TLSv1\.3"/g)).toHaveLength(2);
		},
	},
	'With a running daemon: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			expect(await sh(code.replace('1025', await sh(port)))).toMatch(/\tHello(?:\t|$)/m);
		},
	},
	'Trust the certificate: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const listening = await sh(port);
			const printed = await sh(`${code}
				addr=$(tinbox inbox create)
				printf '${mail}' | curl -s --ssl-reqd --cacert ca.pem smtp://localhost:${listening} \\
					--mail-from shop@example.com --mail-rcpt "$addr" --upload-file -
				tinbox messages wait "$addr" --tls --field code`);
			expect(printed).toMatch(/^493028$/m);
		},
	},
	'Test that your app verifies certificates: js': badCertificate,
	'Use your own certificate: sh': {
		needs: ['curl', 'openssl'],
		async run(code, {sh}) {
			const printed = await sh(`
				openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=mail.example.com \\
					-addext subjectAltName=DNS:mail.example.com -keyout key.pem -out cert.pem
				${code}
				eval "$(tinbox daemon status --format env)"
				addr=$(tinbox inbox create)
				printf '${mail}' | curl -s --ssl-reqd --cacert cert.pem --resolve "mail.example.com:$SMTP_PORT:127.0.0.1" \\
					"smtp://mail.example.com:$SMTP_PORT" --mail-from shop@example.com --mail-rcpt "$addr" --upload-file -
				tinbox messages wait "$addr" --tls --field code`);
			expect(printed).toMatch(/^493028$/m);
		},
	},
	'Client certificates: sh': {
		needs: ['curl', 'openssl'],
		async run(code, world) {
			await expectClientCertificate(withClientCertificate(code, 'tinbox messages wait "$addr" --json=session'), world);
		},
	},
	'Client certificates: sh 2': {
		needs: ['curl', 'openssl'],
		async run(code, world) {
			await expectClientCertificate(
				withClientCertificate('tinbox daemon start --tls-client-ca client-ca.pem', code),
				world,
			);
		},
	},
};
