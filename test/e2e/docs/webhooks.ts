import {spawn} from 'node:child_process';
import {randomInt} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {expect, onTestFinished} from 'vitest';
import {startReceiver} from '../../helpers/webhook-receiver.js';
import type {Stories, Story, World} from './world.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Starts a receiver in place of the app and replaces the URL of the app in the code. */
async function withReceiver(code: string) {
	const receiver = await startReceiver(204);
	return {receiver, script: code.replaceAll('http://localhost:3000/hooks/mail', receiver.url)};
}

/** A story whose block is a server on `$PORT` that verifies signatures. */
function verifierStory(program: string, args: readonly string[], packages: readonly string[] = []): Story {
	return {
		needs: [program],
		async run(code, world) {
			await world.packages(...packages);
			await world.files({'hook.mjs': code, 'hook.py': code});
			const url = await startVerifier([program, ...args], world);
			const create = (given: string) => `
				id=$(tinbox webhooks create ${url} --json=id --secret-file <(printf ${given}) | cut -d '"' -f 4)
				tinbox webhooks test "$id"`;
			await world.sh(create(secret));
			expect(await world.sh(`(${create(secret.replace('Mf', 'Nf'))}) || echo $?`)).toMatch(/^6$/m);
		},
	};
}

/** A free port below 32,768, where the system assigns no ports for port 0. */
async function freePort(): Promise<number> {
	const port = randomInt(20_000, 32_000);
	const server = createServer().listen(port, '127.0.0.1');
	const isFree = await once(server, 'listening').then(
		() => true,
		() => false,
	);
	await new Promise(resolve => server.close(resolve));
	return isFree ? port : freePort();
}

/** Starts a server, waits until it listens and returns its URL. */
async function startVerifier([program = '', ...args]: readonly string[], {folder, env, sh}: World): Promise<string> {
	const port = await freePort();
	const child = spawn(program, args, {
		cwd: folder,
		env: {...env, PORT: String(port), TINBOX_WEBHOOK_SECRET: secret},
		stdio: 'ignore',
	});
	const ended = once(child, 'exit');
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await ended;
	});
	await sh(`until : < /dev/tcp/127.0.0.1/${port}; do sleep 0.1; kill -0 ${child.pid}; done 2>/dev/null`);
	return `http://127.0.0.1:${port}/`;
}

/** Shell function that ends each `webhooks listen` after one event. */
const listenOnce = `
tinbox() {
	if [ "$2" != listen ]; then command tinbox "$@"; return; fi
	rm -f out log
	command tinbox "$@" > out 2> log &
	until id=$(sed -n 's/.*as webhook endpoint \\(.*\\)\\.$/\\1/p' log 2> /dev/null) && [ -n "$id" ]; do sleep 0.1; done
	command tinbox webhooks test "$id" > answer || true
	until [ -s out ]; do sleep 0.1; done
	kill $!
	wait $! || true
	cat out
}`;

const quickStart: Story = {
	async run(code, {sh}) {
		const {receiver, script} = await withReceiver(code);
		await sh(script);
		const bodies = receiver.requests.map(({body}) => body);
		expect(bodies).toHaveLength(2);
		expect(new Set(bodies).size).toBe(1);
	},
};

const messageEvent: Story = {
	async run(code, {sh}) {
		const {receiver, script} = await withReceiver('http://localhost:3000/hooks/mail');
		await sh(`tinbox webhooks create ${script}
			tinbox send "$(tinbox inbox create)" --from 'Shop <shop@example.com>' --subject Welcome`);
		await expect.poll(() => receiver.requests.length, {timeout: 30_000}).toBe(1);
		const [{body = '{}'} = {}] = receiver.requests;
		const expected = JSON.parse(code);
		const {message, ...event} = JSON.parse(body);
		const {id, received_at, ...fields} = expected.message;
		expect(message).toEqual({...fields, id: expect.any(String), received_at: expect.any(String)});
		expect(event).toEqual({event: expected.event, inbox_id: expect.any(String)});
	},
};

const listening: Story = {
	async run(code, {sh}) {
		const {receiver, script} = await withReceiver(code);
		const [first = '', second = ''] = (await sh(`${listenOnce}\n${script}`)).split('\n');
		expect(first).toContain('500');
		expect(JSON.parse(second)).toMatchObject({error: null, response_status: 204});
		expect(receiver.requests).toHaveLength(1);
	},
};

export const stories: Stories = {
	'Webhooks: sh': quickStart,
	'Without a receiver: sh': listening,
	'Message events: json': messageEvent,
	'Fault events: json': {
		async run(code, {sh}) {
			const {receiver, script} = await withReceiver('http://localhost:3000/hooks/mail');
			await sh(`tinbox webhooks create ${script} --event fault.hit
				addr=$(tinbox inbox create --fault greylist)
				tinbox send "$addr" || [ $? = 1 ]`);
			await expect.poll(() => receiver.requests.length, {timeout: 30_000}).toBe(1);
			const [{body = '{}'} = {}] = receiver.requests;
			expect(shapeOf(JSON.parse(body))).toEqual(shapeOf(JSON.parse(code)));
		},
	},
	'Verify the signature: js': verifierStory('node', ['hook.mjs']),
	'Verify the signature: python': verifierStory('python3', ['hook.py']),
	'Verify the signature: sh': {
		needs: ['openssl'],
		async run(code, {sh, files}) {
			const {receiver, script} = await withReceiver('http://localhost:3000/hooks/mail');
			await files({secret});
			await sh(`tinbox webhooks test "$(tinbox webhooks create ${script} --secret-file secret)"`);
			const [{body = '', headers = {}} = {}] = receiver.requests;
			await files({'body.json': body});
			const signature = String(headers['x-tinbox-signature']);
			const printed = await sh(code, {signature});
			expect(printed.split('\n').at(-1)).toBe(signature);
		},
	},
	'With a library: js': verifierStory('node', ['hook.mjs'], ['standardwebhooks']),
	'Provider formats: sh': {
		async run(code, {sh}) {
			const receiver = await startReceiver(204);
			const here = code.replace('http://localhost:3000/hooks/resend', receiver.url);
			await sh(`tinbox webhooks test "$(${here.trim()})"`);
			expect(receiver.requests).toMatchObject([{headers: {'svix-signature': expect.stringMatching(/^v1,/)}}]);
		},
	},
};

/** Field names at all levels, with null for every value. */
function shapeOf(value: unknown): unknown {
	return value !== null && typeof value === 'object' && !Array.isArray(value)
		? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]))
		: null;
}
