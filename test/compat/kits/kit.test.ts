import {createTransport} from 'nodemailer';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {findDaemon} from '../../../src/kits/daemon.js';
import {openKit} from '../../../src/kits/kit.js';
import {ownEnv, runCli} from '../../helpers/cli.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {openTinbox} from '../../helpers/tinbox.js';

/** Sets the variables that select the daemon of a kit, and clears the others. */
function stubEnv(variables: Record<string, string>): void {
	const none = {TINBOX_URL: '', TINBOX_API_KEY: '', TINBOX_NO_START: '', SMTP_HOST: '', SMTP_PORT: ''};
	for (const [name, value] of Object.entries({...none, ...variables})) {
		vi.stubEnv(name, value);
	}

	onTestFinished(() => void vi.unstubAllEnvs());
}

async function openWorld() {
	const server = await openTinbox();
	const {key} = await server.user('Ann');
	stubEnv({TINBOX_URL: server.url, TINBOX_API_KEY: key});
	return {server, ...(await openKit('shared'))};
}

describe('the inbox of a kit', () => {
	test('returns codes, links and messages of mail sent with its login', async () => {
		const {tinbox} = await openWorld();
		const inbox = await tinbox.createInbox();
		const app = createTransport(inbox.smtp.url);
		const links = 'https://shop.example/confirm?t=1 https://shop.example/reset?t=2';
		await app.sendMail({from: 'shop@shop.example', to: 'ann@elsewhere.example', subject: 'Hi', text: 'Hello'});
		await app.sendMail({from: 'shop@shop.example', to: inbox.address, text: `Your code is 482913. ${links}`});
		expect(await inbox.code()).toBe('482913');
		expect(await inbox.link({link: /reset/})).toBe('https://shop.example/reset?t=2');
		expect(await inbox.link()).toBe('https://shop.example/confirm?t=1');
		expect(await inbox.wait({subject: 'Hi'})).toMatchObject({to: 'ann@elsewhere.example', text: 'Hello\n'});
		expect(await inbox.messages({has: ['code']})).toHaveLength(1);
		await inbox.clear();
		expect(await inbox.messages()).toEqual([]);
		await expect(inbox.code({}, {timeoutMs: 1})).rejects.toThrow(
			`No message that has a code arrived at ${inbox.address} within 1ms.`,
		);
	});

	test('has the variables that apps and the command line read', async () => {
		const {server, tinbox} = await openWorld();
		const {id, address, smtp, env} = await tinbox.createInbox();
		expect(env).toMatchObject({
			TINBOX_URL: server.url,
			TINBOX_INBOX_ID: id,
			TINBOX_ADDRESS: address,
			SMTP_HOST: server.smtp.host,
			SMTP_PORT: String(server.smtp.port),
			SMTP_URL: smtp.url,
			RESEND_API_KEY: smtp.send_key,
		});
	});

	test('has a valid name for any test title, expires, and is deleted with the kit', async () => {
		const {tinbox, close} = await openWorld();
		const list = async () => (await tinbox.inboxes.list()).inboxes;
		const names = ['sign-up > confirms', `a${'😀'.repeat(99)}`, ' \u001b[31m\n', undefined];
		const inboxes = await Promise.all(names.map(async name => tinbox.createInbox(name)));
		const created = await list();
		expect(created.map(({name}) => name).sort()).toEqual(
			['sign-up > confirms', `a${'😀'.repeat(49)}`, null, null].sort(),
		);
		expect(created.every(({expires_at}) => expires_at !== null)).toBe(true);
		await inboxes[0]?.delete();
		expect(await list()).toHaveLength(3);
		await close();
		expect(await list()).toEqual([]);
	});

	test('summarizes its messages without control sequences', async () => {
		const {server, tinbox} = await openWorld();
		const inbox = await tinbox.createInbox();
		expect(await inbox.summary()).toBe(`Messages in ${inbox.address}:\n  no messages`);
		for (const subject of ['First', '=?utf-8?q?=1B[2JSecond?=']) {
			await server.deliver(inbox.address, `From: shop@shop.example\r\nSubject: ${subject}\r\n\r\nHello\r\n`);
		}

		const lines = (await inbox.summary()).split('\n').slice(1);
		expect(lines.map(line => line.slice(11))).toEqual([
			`"First" from shop@shop.example to ${inbox.address}`,
			`"Second" from shop@shop.example to ${inbox.address}`,
		]);
	});
});

describe('the daemon of a kit', () => {
	test('is reached through SMTP_HOST and SMTP_PORT', async () => {
		const server = await openTinbox();
		const {key} = await server.user('Ann');
		stubEnv({TINBOX_URL: server.url, TINBOX_API_KEY: key, SMTP_HOST: '::1', SMTP_PORT: '32768'});
		const {smtp} = await (await openKit('worker')).tinbox.createInbox();
		expect(smtp).toMatchObject({host: '::1', port: 32_768, url: expect.stringMatching(/^smtp:.+@\[::1\]:32768$/)});
	});

	test('is the running daemon, even if no command has used it yet', async () => {
		const env = ownEnv(await tempDir());
		onTestFinished(async () => void (await runCli(env, ['daemon', 'stop'])));
		const {url} = JSON.parse((await runCli(env, ['daemon', 'start', '--json'])).stdout);
		stubEnv({TINBOX_HOME: env['TINBOX_HOME'] ?? ''});
		expect(await findDaemon('shared')).toEqual({url, apiKey: expect.stringMatching(/^tbx_live_/)});
	});

	test('is not started for a worker whose test run was killed', async () => {
		stubEnv({TINBOX_HOME: await tempDir()});
		const original = Object.entries(Object.getOwnPropertyDescriptors(process)).filter(([name]) =>
			['send', 'connected', 'ppid'].includes(name),
		);
		onTestFinished(() => void Object.defineProperties(process, Object.fromEntries(original)));
		const orphan = {send: () => true, connected: false, ppid: 1};
		for (const [name, value] of Object.entries(orphan)) {
			Object.defineProperty(process, name, {configurable: true, writable: true, value});
		}

		await expect(findDaemon('shared')).rejects.toThrow('Cannot use tinbox in these tests: the test run has ended.');
	});

	test('is not used if the API key is missing, starting is forbidden, or the scope is invalid', async () => {
		stubEnv({TINBOX_URL: 'http://127.0.0.1:1/v1'});
		await expect(findDaemon('shared')).rejects.toThrow(
			'TINBOX_URL is set, but TINBOX_API_KEY is not. Set it to an API key of that daemon.',
		);
		stubEnv({TINBOX_HOME: await tempDir(), TINBOX_NO_START: '1'});
		await expect(findDaemon('shared')).rejects.toThrow('No tinbox daemon is running, and TINBOX_NO_START prevents');
		await expect(findDaemon('each' as 'shared')).rejects.toThrow(
			'The daemon scope must be "shared" or "worker", got "each".',
		);
	});
});
