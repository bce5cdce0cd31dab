import {expect} from 'vitest';
import {mailText, type Stories} from './world.js';

const mail = `Subject: Code\\n\\n${mailText}\\n`;
const project = {'package.json': JSON.stringify({name: 'shop', scripts: {test: 'node send.mjs implicit'}})};

/** Delivers with nothing but host and port, by STARTTLS or implicitly, and fails without TLS. */
const send = `
import nodemailer from 'nodemailer';
const {SMTP_HOST: host, SMTP_TLS_PORT: port, TINBOX_ADDRESS: to} = process.env;
await nodemailer.createTransport({host, port, secure: true}).sendMail({from: 'shop@example.com', to, text: 'Hello.'});`;

/** What an app has that sends mail as it is told. */
const app = `
import assert from 'node:assert';
import nodemailer from 'nodemailer';
const sendMail = async options =>
	nodemailer.createTransport({...options, ...strictness}).sendMail({from: 'shop@example.com', to: process.env.TINBOX_ADDRESS});`;

const port = `eval "$(tinbox daemon start --format env)"; echo "$SMTP_PORT"`;

export const tlsStories: Stories = {
	'Like in production: sh': {
		needs: ['curl'],
		async run(code, {sh, files, packages}) {
			await packages('nodemailer');
			await files({...project, 'send.mjs': send});
			await sh(`printf '${mail}' > mail.eml`);
			const here = code.replace('1025', await sh(port));
			const script = `addr=$(tinbox inbox create)\n${here}\ntinbox messages wait "$addr" --tls --field code`;
			expect(await sh(script)).toMatch(/^493028$/m);
		},
	},
	'Like in production: js': {
		async run(code, {sh, files, packages}) {
			await packages('nodemailer');
			const here = code.replace('1025', 'process.env.SMTP_PORT');
			const test = (strictness: string) => `${app.replace('...strictness', strictness)}\n${here}`;
			await files({
				'right.mjs': test('secure: false'),
				'careless.mjs': test('tls: {...options.tls, rejectUnauthorized: false}'),
			});
			await sh('tinbox run --tls -- node right.mjs');
			expect(await sh('tinbox run --tls -- node careless.mjs 2>&1 || true')).toContain('Missing expected rejection');
		},
	},
};
