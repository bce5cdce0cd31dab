import {expect} from 'vitest';
import {mailText, type Stories, type Story} from './world.js';

/** A story whose program contains a line of the table in place of `LINE` and sends a mail to `$addr`. */
function sendStory(needs: readonly string[], command: string, program: string): Story {
	return {
		needs,
		async run(line, {sh, packages, files}) {
			await packages('nodemailer');
			const port = await sh(`eval "$(tinbox daemon start --format env)"; echo "$SMTP_PORT"`);
			await files({program: program.replace('LINE', () => line.replace('1025', port))});
			const script = `export addr=$(tinbox inbox create)\n${command}\ntinbox messages wait "$addr" --field code`;
			expect(await sh(script)).toBe('493028');
		},
	};
}

/** Stories of the libraries in the table that need no installation. */
export const mailLibraries: Stories = {
	'Python smtplib': sendStory(
		['python3'],
		'python3 program',
		`
import os, smtplib
from email.message import EmailMessage
message = EmailMessage()
message["From"], message["To"], message["Subject"] = "shop@example.com", os.environ["addr"], "Code"
message.set_content("${mailText}")
LINE`,
	),
	nodemailer: sendStory(
		[],
		'node --input-type=module - < program',
		`
import nodemailer from 'nodemailer';
const mailer = LINE;
await mailer.sendMail({from: 'shop@example.com', to: process.env.addr, text: '${mailText}'});`,
	),
	curl: sendStory(['curl'], 'bash program', `printf 'Subject: Code\\n\\n${mailText}\\n' > mail.eml\nLINE`),
};

const project = (test: string) => ({'package.json': JSON.stringify({name: 'shop', scripts: {test}})});

/** A substitute for Django, which is not installed. It records the settings that a test overrides. */
const django = `
overridden = {}

def override_settings(**settings):
    def decorate(test):
        overridden.update(settings)
        return test
    return decorate

`;

/** Stories of `docs/mail-libraries.md`. */
export const stories: Stories = {
	'Mail libraries: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const port = await sh(`eval "$(tinbox daemon start --format env)"; echo "$SMTP_PORT"`);
			expect(await sh(code.replace('1025', port))).toMatch(/\tshop@example\.com\tHello\t/);
		},
	},
	'Unknown recipients: sh': {
		async run(code, {sh, files}) {
			await files(project('tinbox send anyone@anywhere.example --subject Welcome'));
			expect(await sh(code)).toMatch(/\tWelcome\t/);
			const name = `tinbox run --catch-all -- tinbox inbox show catch-all --json=email_address`;
			expect(JSON.parse(await sh(name))).toEqual({email_address: '*'});
		},
	},
	'Validators that reject `.test`: sh': {
		async run(code, {sh, files}) {
			await files(project('echo "$TINBOX_ADDRESS"'));
			expect(await sh(code)).toMatch(/@inbox\.example\.com$/m);
		},
	},
	'Django tests: python': {
		needs: ['python3'],
		async run(code, {sh, files}) {
			await files({'test.py': `${django}${code}def test(): pass\n\nprint(overridden["EMAIL_BACKEND"])\n`});
			expect(await sh('python3 test.py')).toBe('django.core.mail.backends.smtp.EmailBackend');
		},
	},
};
