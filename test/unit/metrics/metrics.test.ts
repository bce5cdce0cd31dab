import {spawnSync} from 'node:child_process';
import {createTransport} from 'nodemailer';
import {expect, onTestFinished, test, vi} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {isInstalled} from '../../e2e/docs/world.js';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {openTinbox, type TinboxOptions} from '../../helpers/tinbox.js';
import {DaemonMetrics} from './daemon-metrics.js';
import {readExposition, violationsOf} from './exposition.js';

async function openMeasured(options: TinboxOptions = {}) {
	const tinbox = await openTinbox(options);
	const ann = await tinbox.user('ann');
	const api = apiClient({url: tinbox.url, apiKey: ann.key});
	const inbox = await api.inboxes.create();
	const transport = createTransport({...tinbox.smtp, ignoreTLS: true});
	onTestFinished(() => transport.close());
	return {
		tinbox,
		ann,
		api,
		inbox,
		send: async (to = inbox.email_address) => transport.sendMail({from: 'app@example.com', to, text: 'Hello'}),
		read: async () => DaemonMetrics.scrape(tinbox),
	};
}

test('mails are counted by way and outcome, with their size and commit time', async () => {
	const {tinbox, api, inbox, send, read} = await openMeasured();
	await send();
	await send();
	await api.faults.create(inbox.id, {stage: 'end', reply: '451 4.7.1 Later', times: 1});
	await expect(send()).rejects.toThrow('451');
	const {send_key: key} = await api.inboxes.credentials(inbox.id);
	const body = {from: 'app@example.com', to: 'you@example.com', subject: 'Hi', text: 'Hello'};
	expect((await tinbox.request('POST', '/send', {key, body})).status).toBe(201);
	const metrics = await read();
	expect(metrics.sum('tinbox_mails_total', {way: 'smtp', outcome: 'kept'})).toBe(2);
	expect(metrics.sum('tinbox_mails_total', {way: 'smtp', outcome: 'faulted'})).toBe(1);
	expect(metrics.sum('tinbox_mails_total', {way: 'tinbox', outcome: 'kept'})).toBe(1);
	expect(metrics.sum('tinbox_mails_total')).toBe(4);
	expect(metrics.sum('tinbox_mail_commit_seconds_count')).toBe(3);
	expect(metrics.sum('tinbox_mail_bytes_total', {way: 'smtp'})).toBeGreaterThan(100);
	expect(metrics.sum('tinbox_fault_hits_total', {stage: 'end'})).toBe(1);
	expect(metrics.sum('tinbox_store_messages')).toBe(3);
	expect(metrics.sum('tinbox_store_inboxes')).toBe(1);
	expect(metrics.sum('tinbox_store_size_bytes')).toBeGreaterThan(metrics.sum('tinbox_store_mail_bytes') ?? 0);
});

test('SMTP rejections are counted by stage and reply code', async () => {
	const {send, read} = await openMeasured();
	await expect(send('nobody@example.com')).rejects.toThrow('550');
	expect((await read()).sum('tinbox_refusals_total', {stage: 'rcpt', code: '550'})).toBe(1);
});

test('SMTP sessions are counted while they are open and after they close', async () => {
	const {tinbox, send, read} = await openMeasured();
	await send();
	await vi.waitFor(async () => expect((await read()).sum('tinbox_smtp_sessions_total', {tls: 'none'})).toBe(1));
	const {host, port} = tinbox.smtp;
	const session = await SmtpSession.open({host, port});
	expect((await read()).sum('tinbox_smtp_sessions_open', {tls: 'none'})).toBe(1);
	session.destroy();
	await vi.waitFor(async () => {
		const metrics = await read();
		expect(metrics.sum('tinbox_smtp_sessions_open')).toBe(0);
		expect(metrics.sum('tinbox_smtp_sessions_total')).toBe(2);
	});
});

test('a wait is counted while it is open, and its wake-up only if new mail ended it', async () => {
	const {tinbox, ann, inbox, send, read} = await openMeasured();
	const wait = async (seconds: number) =>
		tinbox.request('GET', `/inboxes/${inbox.id}/messages?wait=${seconds}&subject=`, {key: ann.key});
	expect(await (await wait(1)).json()).toEqual([]);
	expect((await read()).sum('tinbox_wait_wake_up_seconds_count')).toBe(0);
	const waiting = wait(30);
	await vi.waitFor(async () => expect((await read()).sum('tinbox_waits_open')).toBe(1));
	await send();
	expect(await (await waiting).json()).toHaveLength(1);
	await wait(30);
	const metrics = await read();
	expect(metrics.sum('tinbox_wait_wake_up_seconds_count')).toBe(1);
	expect(metrics.sum('tinbox_waits_open')).toBe(0);
});

test('webhook attempts are counted by outcome, and a delivery once, even if it is redelivered', async () => {
	const statuses = [503, 200, 200];
	const {api, send, read} = await openMeasured({
		settings: {webhookRetryDelayMs: 1},
		send: async () => {
			const status = statuses.shift() ?? null;
			return {ok: status === 200, status, body: ''};
		},
	});
	const endpoint = await api.webhooks.create({url: 'http://127.0.0.1:1/', events: ['message.received']});
	await send();
	const attempts = async (outcome: string) => (await read()).sum('tinbox_webhook_attempt_seconds_count', {outcome});
	await vi.waitFor(async () => expect([await attempts('5xx'), await attempts('delivered')]).toEqual([1, 1]), 10_000);
	const delivery = async () => (await api.webhooks.deliveries(endpoint.id)).deliveries[0];
	// The attempt is counted before its result is stored.
	await vi.waitFor(async () => expect(await delivery()).toMatchObject({status: 'delivered'}), 10_000);
	await api.webhooks.redeliver(endpoint.id, (await delivery())?.id ?? '');
	expect(await attempts('delivered')).toBe(2);
	expect((await read()).sum('tinbox_webhook_delivery_seconds_count')).toBe(1);
});

test('all metrics follow the Prometheus rules and name no user, inbox or address', async () => {
	const {ann, inbox, send, read} = await openMeasured();
	await send();
	await expect(send('nobody@example.com')).rejects.toThrow('550');
	const {text, families} = await read();
	expect(families.size).toBeGreaterThan(20);
	expect(
		[...families.values()].flatMap(family => violationsOf(family).map(fault => `${family.name}: ${fault}`)),
	).toEqual([]);
	for (const name of [ann.user.id, 'ann', inbox.id, '@', 'nobody']) {
		expect(
			text
				.split('\n')
				.filter(line => !line.startsWith('#'))
				.join('\n'),
		).not.toContain(name);
	}
});

test.skipIf(!isInstalled('promtool'))('promtool accepts all metrics', async () => {
	const {send, read} = await openMeasured();
	await send();
	const {text} = await read();
	const {status, stdout, stderr} = spawnSync('promtool', ['check', 'metrics'], {input: text, encoding: 'utf8'});
	expect({status, stdout, stderr}).toEqual({status: 0, stdout: '', stderr: ''});
});

test('the checks of metrics detect violations', () => {
	const text = `# HELP a_ms \n# TYPE a_ms counter\na_ms 1\na_ms 1\n# HELP b_seconds B\n# TYPE b_seconds histogram\nb_seconds_bucket{le="1"} 3\nb_seconds_bucket{le="+Inf"} 2\nb_seconds_sum 1\nb_seconds_count 2\n`;
	const [a, b] = [...readExposition(text).values()];
	expect(a && violationsOf(a)).toEqual(['no help', 'a counter without _total', 'no base unit', 'a duplicate sample']);
	expect(b && violationsOf(b)).toEqual(['inconsistent buckets']);
	expect(() => readExposition('a{b="c} 1\n')).toThrow('Invalid sample');
});
