import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {text} from 'node:stream/consumers';
import {expect, onTestFinished, test} from 'vitest';
import {inboxBody, messageBody} from '../helpers/bodies.js';
import {bin, ownEnv, runScript} from '../helpers/cli.js';
import {httpStub, type Reply, type Seen} from '../helpers/http-stub.js';
import {tempDir} from '../helpers/temp-dir.js';

/** A command line whose daemon is a stub. */
async function stubbed(answer: (seen: Seen) => Reply | null) {
	const {url} = await httpStub(answer);
	return {...ownEnv(await tempDir()), TINBOX_URL: url, TINBOX_API_KEY: 'tbx_live_x'};
}

const manyInboxes = ({url}: Seen): Reply => {
	const page = Number(/page=(\d+)/.exec(url)?.[1]);
	const inboxes = Array.from({length: page > 30 ? 0 : 100}, (_, index) => inboxBody({id: `${page}-${index}`}));
	return {body: {inboxes, total: 3000, page, limit: 100}};
};

test('a reader that has seen enough ends the command quietly', async () => {
	const env = await stubbed(manyInboxes);
	const {stdout, stderr} = await runScript(env, 'tinbox inbox list --all | head -1; echo $PIPESTATUS');
	expect(stdout.split('\n')).toEqual([expect.stringMatching(/^signup@tinbox\.test\t/), '0']);
	expect(stderr).toBe('');
});

test('a megabyte of JSON goes through a pipe whole', async () => {
	const message = messageBody({text: 'x'.repeat(1024 * 1024)});
	const env = await stubbed(({url}) => ({body: url.includes('messages') ? message : inboxBody()}));
	const {stdout} = await runScript(env, 'tinbox messages show signup m --json | cat');
	expect(JSON.parse(stdout)).toEqual(message);
});

test('Ctrl-C in a loop of waits ends the loop', async () => {
	let polls = 0;
	let polled = () => {};
	const waits = new Promise<void>(resolve => {
		polled = resolve;
	});
	const env = await stubbed(({url}) => {
		if (url.includes('wait=')) {
			polls++;
			polled();
			return null;
		}

		return {body: inboxBody()};
	});
	const script = 'for i in 1 2 3; do "$NODE" "$BIN" messages wait signup --timeout 30s; done; echo not stopped';
	const shell = spawn('bash', ['-c', script], {
		env: {...env, NODE: process.execPath, BIN: bin},
		// A process group of its own, which a terminal would interrupt as a whole.
		detached: true,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const ended = once(shell, 'exit');
	await waits;
	process.kill(-(shell.pid ?? 0), 'SIGINT');
	expect(await ended).toEqual([null, 'SIGINT']);
	expect(polls).toBe(1);
	expect(shell.stdout.read()).toBeNull();
});

test('Ctrl-C ends an import that waits for stdin', async () => {
	let found = () => {};
	const isReading = new Promise<void>(resolve => {
		found = resolve;
	});
	const env = await stubbed(() => {
		found();
		return {body: inboxBody()};
	});
	const child = spawn(process.execPath, [bin, 'messages', 'import', 'signup', '-'], {
		env,
		stdio: ['pipe', 'ignore', 'pipe'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	const [ended, said] = [once(child, 'exit'), text(child.stderr)];
	await isReading;
	child.kill('SIGINT');
	expect(await ended).toEqual([null, 'SIGINT']);
	expect(await said).toContain('Interrupted. 0 mails were imported into');
});

test.runIf(existsSync('/dev/full'))('output that cannot be written is a failure, and said in a sentence', async () => {
	const env = await stubbed(manyInboxes);
	const {stdout, stderr} = await runScript(env, 'tinbox inbox list > /dev/full; echo $?');
	expect(stdout).toBe('1');
	expect(stderr).toBe('The output could not be written: ENOSPC: no space left on device, write.');
});
