import {describe, expect, test} from 'vitest';
import type {CredentialsBody} from '../../../../src/contract/inboxes.js';
import {inboxBody} from '../../../helpers/bodies.js';
import {type FakeCalls, runFake} from '../../../helpers/context.js';

const smtp: CredentialsBody = {
	host: '127.0.0.1',
	port: 1025,
	tls_port: null,
	username: 'inbox-1',
	password: 'tbx_smtp_old',
	url: 'smtp://inbox-1:tbx_smtp_old@127.0.0.1:1025',
	send_key: 'tbx_send_old',
};

const calls: FakeCalls = {
	inboxes: {
		get: async () => inboxBody(),
		create: async () => ({...inboxBody(), smtp}),
		credentials: async () => smtp,
		rotateCredentials: async () => ({...smtp, password: 'tbx_smtp_new'}),
	},
};

const envLines = [
	'export SMTP_HOST=127.0.0.1',
	'export SMTP_PORT=1025',
	'export SMTP_USER=inbox-1',
	'export SMTP_PASSWORD=tbx_smtp_old',
	'export SMTP_URL=smtp://inbox-1:tbx_smtp_old@127.0.0.1:1025',
	'export MAILER_DSN=smtp://inbox-1:tbx_smtp_old@127.0.0.1:1025',
	'export TINBOX_SEND_KEY=tbx_send_old',
	'export RESEND_BASE_URL=http://127.0.0.1:1/send/resend',
	'export RESEND_API_URL=http://127.0.0.1:1/send/resend',
	'export RESEND_API_KEY=tbx_send_old',
	'export AWS_ENDPOINT_URL_SES=http://127.0.0.1:1/send/ses',
	'export AWS_ENDPOINT_URL_SESV2=http://127.0.0.1:1/send/ses',
	'export TINBOX_SENDGRID_URL=http://127.0.0.1:1/send/sendgrid',
	'export TINBOX_POSTMARK_URL=http://127.0.0.1:1/send/postmark',
	'export TINBOX_MAILGUN_URL=http://127.0.0.1:1/send/mailgun',
	'',
].join('\n');

describe('SMTP credentials', () => {
	test.each([['create'], ['credentials', 'signup']])('inbox %s --format env prints shell exports', async (...args) => {
		expect(await runFake(['inbox', ...args, '--format', 'env'], calls)).toMatchObject({exitCode: 0, stdout: envLines});
	});

	test('are printed one property per line, or as the API object with --json', async () => {
		const {stdout} = await runFake(['inbox', 'credentials', 'signup'], calls);
		expect(stdout).toBe(
			[...Object.entries({...smtp, tls_port: ''}).map(([name, value]) => `${name}\t${value}`), ''].join('\n'),
		);
		expect(JSON.parse((await runFake(['inbox', 'credentials', 'signup', '--json'], calls)).stdout)).toEqual(smtp);
		expect((await runFake(['inbox', 'credentials', 'signup', '--json=password'], calls)).stdout).toBe(
			'{"password":"tbx_smtp_old"}\n',
		);
	});

	test('are replaced with --rotate', async () => {
		expect((await runFake(['inbox', 'credentials', 'signup', '--rotate', '--json=password'], calls)).stdout).toBe(
			'{"password":"tbx_smtp_new"}\n',
		);
	});

	test('inbox create --format env fails if the daemon does not accept mail', async () => {
		const withoutSmtp = {inboxes: {create: async () => ({...inboxBody(), smtp: null})}};
		expect(await runFake(['inbox', 'create', '--format', 'env'], withoutSmtp)).toMatchObject({
			exitCode: 1,
			stdout: '',
			stderr: expect.stringContaining('does not accept mail'),
		});
	});
});
