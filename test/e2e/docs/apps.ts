import {expect} from 'vitest';
import {parse} from 'yaml';
import {blockNamed} from './blocks.js';
import {type Stories, type Story, serveApp, type World} from './world.js';

/** The first block of the page: it starts the daemon and sets the variables that the settings read. */
const start = blockNamed('Applications: sh', 'docs/apps.md');

const login = {user: '$SMTP_USER', password: '$SMTP_PASSWORD'};

const pythonSend = `
import os, smtplib, ssl
def send(host, port, user, password, sender):
    with smtplib.SMTP(host, port) as smtp:
        smtp.starttls(context=ssl.create_default_context())
        smtp.login(user, password)
        smtp.sendmail(sender, [os.environ["user"]], "Subject: Confirm\\r\\n\\r\\nhttps://shop.example/confirm?t=1\\r\\n")
`;

/** Script that runs a program and waits for its mail, which must use TLS and the login of the inbox "app". */
const runAndWait = (program: string) => `
	${start}
	export user=$(tinbox inbox create)
	${program}
	tinbox messages wait "$user" --tls --smtp-user "$SMTP_USER" --field link`;

/** Runs a program with the settings of an application and asserts that its mail arrives. */
async function expectMail(world: World, program: string, files: Readonly<Record<string, string>>): Promise<void> {
	await world.packages('nodemailer');
	await world.files(files);
	const lines = (await world.sh(runAndWait(program))).split('\n');
	expect(lines.at(-1)).toBe('https://shop.example/confirm?t=1');
}

/** Checks the settings of an application that is not installed here. */
function settings(check: (code: string) => void): Story {
	return {run: async code => check(code)};
}

/** Settings in PHP as pairs of a name and the source of its value. */
function phpSettings(code: string, pattern: RegExp): Readonly<Record<string, string>> {
	return Object.fromEntries([...code.matchAll(pattern)].map(([, name, value]) => [name, value]));
}

/** Stories of `docs/apps.md`. */
export const stories: Stories = {
	'Applications: sh': {
		async run(code, {sh}) {
			const printed = await sh(`${code}\ntinbox inbox show app --json=routing\nenv`);
			expect(printed).toContain('{"routing":"recipients"}');
			for (const name of ['SMTP_HOST', 'SMTP_PORT', 'SMTP_USER', 'SMTP_PASSWORD', 'SMTP_URL', 'JAVA_TOOL_OPTIONS']) {
				expect(printed).toMatch(new RegExp(`^${name}=.+$`, 'm'));
			}
		},
	},
	'Applications: sh 2': {
		needs: ['curl'],
		async run(code, world) {
			await world.sh(start);
			await serveApp(world, async email => {
				const text = 'Confirm: https://shop.example/confirm?t=1';
				const command = `
					eval "$(tinbox inbox credentials app --format env)"
					tinbox send "$email" --user "$SMTP_USER:$SMTP_PASSWORD" --text '${text}'`;
				await world.sh(command, {email});
				return 200;
			});
			expect(await world.sh(`${code}\necho "$user $link"`)).toMatch(
				/^\S+@inbox\.example\.com https:\/\/shop\.example\/confirm\?t=1$/,
			);
		},
	},
	'better-auth: js': {
		async run(code, world) {
			const program = `
				import {auth} from './auth.js';
				const user = {email: process.env.user};
				const url = 'https://shop.example/confirm?t=1';
				await auth.options.emailVerification.sendVerificationEmail({user, url});
				await auth.options.emailAndPassword.sendResetPassword({user, url});`;
			await expectMail(world, 'node program.js', {
				'package.json': '{"type": "module"}',
				'node_modules/better-auth/package.json': '{"type": "module", "exports": "./index.js"}',
				'node_modules/better-auth/index.js': 'export const betterAuth = options => ({options});',
				'auth.js': code,
				'program.js': program,
			});
		},
	},
	'Directus: sh': {
		async run(code, world) {
			const program = `
				const {createTransport} = require('nodemailer');
				const {EMAIL_TRANSPORT, EMAIL_FROM: from, user: to} = process.env;
				const {EMAIL_SMTP_HOST: host, EMAIL_SMTP_PORT: port, EMAIL_SMTP_USER: user, EMAIL_SMTP_PASSWORD: pass} = process.env;
				require('node:assert').equal(EMAIL_TRANSPORT, 'smtp');
				createTransport({host, port, auth: {user, pass}}).sendMail({from, to, text: 'https://shop.example/confirm?t=1'});`;
			await expectMail(world, `${code}\nnode program.js`, {'program.js': program});
		},
	},
	'Django allauth: python': {
		needs: ['python3'],
		async run(code, world) {
			const call = 'send(EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, DEFAULT_FROM_EMAIL)';
			const check = 'assert EMAIL_USE_TLS and EMAIL_BACKEND == "django.core.mail.backends.smtp.EmailBackend"';
			await expectMail(world, 'python3 program.py', {'program.py': `${pythonSend}\n${code}\n${check}\n${call}\n`});
		},
	},
	'Flask-Security: python': {
		needs: ['python3'],
		async run(code, world) {
			const app = 'class app: config = {}\n';
			const call = `
c = app.config
assert c["MAIL_USE_TLS"] and c["SECURITY_EMAIL_VALIDATOR_ARGS"] == {"check_deliverability": False}
send(c["MAIL_SERVER"], c["MAIL_PORT"], c["MAIL_USERNAME"], c["MAIL_PASSWORD"], c["SECURITY_EMAIL_SENDER"])
`;
			await expectMail(world, 'python3 program.py', {'program.py': `${pythonSend}\n${app}\n${code}\n${call}`});
		},
	},
	'Keycloak: json': settings(code => {
		const {smtpServer} = JSON.parse(code);
		expect(smtpServer).toEqual({
			host: 'localhost',
			port: '1025',
			from: 'keycloak@inbox.example.com',
			starttls: 'true',
			auth: 'true',
			// biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of Keycloak
			user: '${SMTP_USER}',
			// biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of Keycloak
			password: '${SMTP_PASSWORD}',
		});
	}),
	'Kratos: sh': {
		async run(code, world) {
			const program = `
				const {createTransport} = require('nodemailer');
				const {COURIER_SMTP_CONNECTION_URI: url, COURIER_SMTP_FROM_ADDRESS: from, user: to} = process.env;
				createTransport(url).sendMail({from, to, text: 'https://shop.example/confirm?t=1'});`;
			await expectMail(world, `${code}\nnode program.js`, {'program.js': program});
		},
	},
	'Mailman: ini': settings(code => {
		const [section, ...lines] = code.trim().split('\n');
		expect(section).toBe('[mta]');
		expect(Object.fromEntries(lines.map(line => line.split(': ')))).toEqual({
			smtp_host: 'localhost',
			smtp_port: '1025',
			smtp_user: login.user,
			smtp_pass: login.password,
			smtp_secure_mode: 'starttls',
			smtp_verify_cert: 'no',
		});
	}),
	'MediaWiki: php': settings(code => {
		expect(phpSettings(code, /^ {4}'(\w+)' => (.+),$/gm)).toEqual({
			host: "getenv('SMTP_HOST')",
			port: "getenv('SMTP_PORT')",
			IDHost: "'inbox.example.com'",
			auth: 'true',
			username: "getenv('SMTP_USER')",
			password: "getenv('SMTP_PASSWORD')",
		});
	}),
	'PocketBase: json': settings(code => {
		const {user: username, password} = login;
		expect(JSON.parse(code).smtp).toEqual({
			enabled: true,
			host: 'localhost',
			port: 1025,
			username,
			password,
			tls: false,
		});
	}),
	'Redmine: yaml': settings(code => {
		const {delivery_method, smtp_settings} = parse(code).default.email_delivery;
		expect(delivery_method).toBe(':smtp');
		expect(smtp_settings).toEqual({
			address: 'localhost',
			port: 1025,
			enable_starttls_auto: true,
			authentication: ':plain',
			user_name: '<%= ENV["SMTP_USER"] %>',
			password: '<%= ENV["SMTP_PASSWORD"] %>',
		});
	}),
	'Strapi: js': {
		async run(code, world) {
			const program = `
				const {createTransport} = require('nodemailer');
				const env = Object.assign(name => process.env[name], {int: name => Number(process.env[name])});
				const {provider, providerOptions, settings} = require('./plugins.js')({env}).email.config;
				require('node:assert').equal(provider, 'nodemailer');
				const mail = {from: settings.defaultFrom, to: process.env.user, text: 'https://shop.example/confirm?t=1'};
				createTransport(providerOptions).sendMail(mail);`;
			await expectMail(world, 'node program.js', {'plugins.js': code, 'program.js': program});
		},
	},
	'Synapse: yaml': settings(code => {
		expect(parse(code).email).toEqual({
			smtp_host: 'localhost',
			smtp_port: 1025,
			smtp_user: login.user,
			smtp_pass: login.password,
			require_transport_security: true,
			notif_from: '%(app)s <synapse@inbox.example.com>',
		});
	}),
	'WordPress: php': settings(code => {
		expect(phpSettings(code, /^ {4}\$mail->(\w+) = (.+);$/gm)).toEqual({
			Host: "getenv('SMTP_HOST')",
			Port: "getenv('SMTP_PORT')",
			SMTPSecure: "'tls'",
			SMTPAuth: 'true',
			Username: "getenv('SMTP_USER')",
			Password: "getenv('SMTP_PASSWORD')",
		});
	}),
};
