import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {describe, expect, onTestFinished} from 'vitest';
import {bin, type Cli, cliTest, runCli, runScript} from '../helpers/cli.js';
import {startReceiver} from '../helpers/webhook-receiver.js';

type Line = {
	readonly received_at: string;
	readonly delivery_id: string;
	readonly error: string | null;
	readonly response_status: number;
	readonly payload: unknown;
};

/** Starts `webhooks listen --json` and resolves when its endpoint is registered. */
async function listen(env: Record<string, string>, ...flags: readonly string[]) {
	const child: ChildProcess = spawn(process.execPath, [bin, 'webhooks', 'listen', '--json', ...flags], {
		env,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const ended = once(child, 'exit');
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await ended;
	});
	const events: Line[] = [];
	if (child.stdout === null || child.stderr === null) {
		throw new Error('The command has no output pipes.');
	}

	createInterface(child.stdout).on('line', line => events.push(JSON.parse(line)));
	let stderr = '';
	child.stderr.setEncoding('utf8').on('data', text => {
		stderr += text;
	});
	await expect.poll(() => stderr).toContain('webhooks test');
	const endpointId = /as webhook endpoint (\S+)\./.exec(stderr)?.[1] ?? '';
	const secret = /signing secret: (\S+)/.exec(stderr)?.[1];
	return {child, ended, events, endpointId, secret};
}

async function endpoints(cli: Cli): Promise<readonly {readonly id: string}[]> {
	return JSON.parse((await cli('webhooks', 'list', '--json')).stdout).endpoints;
}

async function createInbox(cli: Cli): Promise<string> {
	return (await cli('inbox', 'create')).stdout.trim();
}

describe('webhook retries', () => {
	cliTest('a receiver that answers 500, 500, 200 sees three attempts of one delivery', async ({env, cli}) => {
		await cli('daemon', 'start', '--webhook-retry-delay', '1s');
		const address = await createInbox(cli);
		const {events, endpointId} = await listen(env, '--respond', '500,500,200');
		await cli('send', address, '--subject', 'Retried');
		await expect.poll(() => events.map(({response_status}) => response_status)).toEqual([500, 500, 200]);
		const [first, second, third] = events;
		expect(events.map(({error}) => error)).toEqual([null, null, null]);
		expect(new Set(events.map(({delivery_id}) => delivery_id)).size).toBe(1);
		expect(second?.payload).toEqual(first?.payload);
		expect(third?.payload).toEqual(first?.payload);
		expect(first?.payload).toMatchObject({event: 'message.received', message: {subject: 'Retried'}});
		const gap = (from?: Line, to?: Line) => Date.parse(to?.received_at ?? '') - Date.parse(from?.received_at ?? '');
		// The delay begins when the failure is stored, so a gap is never shorter than one or two seconds.
		expect(gap(first, second)).toBeGreaterThanOrEqual(990);
		expect(gap(second, third)).toBeGreaterThanOrEqual(1990);
		const log = async () => JSON.parse((await cli('webhooks', 'deliveries', endpointId, '--json')).stdout).deliveries;
		await expect
			.poll(log)
			.toMatchObject([{id: first?.delivery_id, status: 'delivered', attempts: 3, response_status: 200}]);
	});

	cliTest('a delivery that never gets 2xx is dead after three attempts', async ({env, cli}) => {
		await cli('daemon', 'start', '--webhook-retry-delay', '50ms');
		const address = await createInbox(cli);
		const {events, endpointId} = await listen(env, '--respond', '500');
		await cli('send', address);
		const dead = async () =>
			(await cli('webhooks', 'deliveries', endpointId, '--status', 'dead', '--json=attempts')).stdout;
		await expect.poll(dead).toBe('[{"attempts":3}]\n');
		await expect.poll(() => events.length).toBe(3);
		expect(await cli('webhooks', 'redeliver', endpointId, 'latest')).toMatchObject({exitCode: 6, stdout: ''});
		await expect.poll(() => events.length).toBe(4);
	});
});

cliTest('an endpoint with the events fault.hit and message.received gets both', async ({env, cli}) => {
	const address = await createInbox(cli);
	const {events} = await listen(env, '--event', 'fault.hit', '--event', 'message.received');
	await cli('faults', 'add', address, 'greylist');
	expect(await cli('send', address, '--subject', 'Again')).toMatchObject({exitCode: 1});
	await expect.poll(() => events.length).toBe(1);
	expect(await cli('send', address, '--subject', 'Again')).toMatchObject({exitCode: 0});
	await expect.poll(() => events).toHaveLength(2);
	expect(events).toMatchObject([
		{
			error: null,
			response_status: 200,
			payload: {
				event: 'fault.hit',
				fault: {name: 'greylist'},
				hit: {stage: 'rcpt', envelope: {to: [address]}, reply: expect.stringMatching(/^451 4\.7\.1 /)},
			},
		},
		{error: null, response_status: 200, payload: {event: 'message.received', message: {subject: 'Again'}}},
	]);
});

describe('webhooks listen and webhooks test', () => {
	cliTest('a test delivery is received and verified, and test prints the response', async ({env, cli}) => {
		const {events, endpointId} = await listen(env, '--respond', '200,503');
		const delivered = await cli('webhooks', 'test', endpointId, '--json');
		expect(delivered).toMatchObject({exitCode: 0, stderr: ''});
		expect(JSON.parse(delivered.stdout)).toMatchObject({status: 'delivered', response_status: 200});
		expect(await cli('webhooks', 'test', endpointId)).toMatchObject({
			exitCode: 6,
			stdout: '',
			stderr: 'The endpoint responded with status 503.\n',
		});
		await expect
			.poll(() => events)
			.toMatchObject([
				{delivery_id: JSON.parse(delivered.stdout).id, error: null, response_status: 200, payload: {test: true}},
				{error: null, response_status: 503},
			]);
	});

	cliTest('a new secret signs the next attempt, so the old secret fails to verify it', async ({env, cli}) => {
		const {events, endpointId} = await listen(env);
		await cli('webhooks', 'update', endpointId, '--secret', 'another');
		expect(await cli('webhooks', 'test', endpointId)).toMatchObject({
			exitCode: 6,
			stderr: expect.stringContaining('The endpoint responded with status 401: The signature does not match'),
		});
		await expect
			.poll(() => events)
			.toMatchObject([{error: expect.stringContaining('does not match'), response_status: 401}]);
	});

	cliTest('a forwarded delivery is verified with TINBOX_WEBHOOK_SECRET', async ({env, cli}) => {
		const app = await startReceiver(202);
		const {endpointId} = await listen({...env, TINBOX_WEBHOOK_SECRET: 'known to the app'}, '--forward-to', app.url);
		const {stdout} = await cli('webhooks', 'test', endpointId, '--json=response_status,response_body');
		expect(JSON.parse(stdout)).toEqual({response_status: 202, response_body: 'status 202'});
		const [request] = app.requests;
		const verified = await runCli(
			{...env, TINBOX_WEBHOOK_SECRET: 'known to the app'},
			['webhooks', 'verify', '--signature', String(request?.headers['x-tinbox-signature'])],
			{input: request?.body ?? ''},
		);
		expect(verified).toMatchObject({exitCode: 0, stdout: '', stderr: ''});
	});
});

describe('webhooks listen', () => {
	cliTest.for(['SIGINT', 'SIGTERM'] as const)(
		'deletes its endpoint on %s and then ends by that signal',
		async (signal, {env, cli}) => {
			const {child, ended, endpointId} = await listen(env);
			expect(await endpoints(cli)).toMatchObject([{id: endpointId}]);
			child.kill(signal);
			expect(await ended).toEqual([null, signal]);
			expect(await endpoints(cli)).toEqual([]);
		},
	);

	cliTest('deletes its endpoint and ends if the reader of its output closes the pipe', async ({env, cli}) => {
		await cli('daemon', 'start');
		const {exitCode, stdout} = await runScript(
			env,
			`tinbox webhooks listen --json=payload 2>"$HOME/log" | head -1 > "$HOME/first" &
			until id=$(sed -n 's/.*as webhook endpoint \\(.*\\)\\.$/\\1/p' "$HOME/log" 2>/dev/null) && [ -n "$id" ]; do sleep 0.05; done
			tinbox webhooks test "$id" > /dev/null
			until [ -s "$HOME/first" ]; do sleep 0.05; done
			tinbox webhooks test "$id" > /dev/null
			wait
			cat "$HOME/first"`,
		);
		expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: expect.stringMatching(/^{"payload":{"test":true,.*}}$/)});
		expect(await endpoints(cli)).toEqual([]);
	});

	cliTest('leaves its endpoint after SIGKILL, which the next listen deletes', async ({env, cli}) => {
		const own = (await cli('webhooks', 'create', 'http://127.0.0.1:9/')).stdout.trim();
		const [killed, other] = await Promise.all([listen(env), listen(env)]);
		killed.child.kill('SIGKILL');
		await killed.ended;
		const next = await listen(env);
		const ids = (await endpoints(cli)).map(({id}) => id);
		expect(ids.sort()).toEqual([own, other.endpointId, next.endpointId].sort());
	});

	cliTest('ends without an error if the daemon stopped before', async ({env, cli}) => {
		const {child, ended} = await listen(env);
		await cli('daemon', 'stop');
		child.kill('SIGTERM');
		expect(await ended).toEqual([null, 'SIGTERM']);
	});
});

cliTest(
	'the signature of a delivery equals the output of openssl and is accepted by webhooks verify',
	async ({env, cli}) => {
		const receiver = await startReceiver(200);
		const {id, secret} = JSON.parse((await cli('webhooks', 'create', receiver.url, '--json=id,secret')).stdout);
		expect(await cli('webhooks', 'test', id)).toMatchObject({exitCode: 0});
		const [request] = receiver.requests;
		const {body: input = '', headers = {}} = request ?? {};
		const header = (name: string) => String(headers[name]);
		const signature = header('x-tinbox-signature');
		const openssl = spawnSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-hex'], {input, encoding: 'utf8'});
		expect(openssl.error ? signature : openssl.stdout.trim().split('= ')[1]).toBe(signature);

		const verify = (flags: readonly string[], body = input) =>
			runCli({...env, TINBOX_WEBHOOK_SECRET: secret}, ['webhooks', 'verify', ...flags], {input: body});
		const standard = ['--id', header('webhook-id'), '--timestamp', header('webhook-timestamp')];
		const standardFlags = [...standard, '--signature', header('webhook-signature')];
		expect(await verify(['--signature', signature])).toMatchObject({exitCode: 0});
		expect(await verify(standardFlags)).toMatchObject({exitCode: 0});
		expect(await verify(['--signature', signature], `${input} `)).toMatchObject({exitCode: 6});
		expect(await verify(standardFlags, `${input} `)).toMatchObject({exitCode: 6});
	},
);
