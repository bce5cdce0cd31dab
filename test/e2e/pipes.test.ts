import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {text} from 'node:stream/consumers';
import {expect, onTestFinished, test} from 'vitest';
import {inboxBody, messageBody} from '../helpers/bodies.js';
import {bin, ownEnv, runScript} from '../helpers/cli.js';
import {httpStub, type StubReply, type StubRequest} from '../helpers/http-stub.js';
import {tempDir} from '../helpers/temp-dir.js';

/** The environment of a command line whose daemon is a stub. */
async function stubEnv(answer: (seen: StubRequest) => StubReply | null) {
	const {url} = await httpStub(answer);
	return {...ownEnv(await tempDir()), TINBOX_URL: url, TINBOX_API_KEY: 'tbx_live_x'};
}

const manyInboxes = ({url}: StubRequest): StubReply => {
	const page = Number(/page=(\d+)/.exec(url)?.[1]);
	const inboxes = Array.from({length: page > 30 ? 0 : 100}, (_, index) => inboxBody({id: `${page}-${index}`}));
	return {body: {inboxes, total: 3000, page, limit: 100}};
};

test('a command exits with code 0 and no error if the reader of its output closes the pipe', async () => {
	const env = await stubEnv(manyInboxes);
	const {stdout, stderr} = await runScript(env, 'tinbox inbox list --all | head -1; echo $PIPESTATUS');
	expect(stdout.split('\n')).toEqual([expect.stringMatching(/^signup@tinbox\.test\t/), '0']);
	expect(stderr).toBe('');
});

test('a megabyte of JSON is written to a pipe completely', async () => {
	const message = messageBody({text: 'x'.repeat(1024 * 1024)});
	const env = await stubEnv(({url}) => ({body: url.includes('messages') ? message : inboxBody()}));
	const {stdout} = await runScript(env, 'tinbox messages show signup m --json | cat');
	expect(JSON.parse(stdout)).toEqual(message);
});

test('Ctrl-C during a wait ends the shell loop around it', async () => {
	let polls = 0;
	let onPoll = () => {};
	const firstPoll = new Promise<void>(resolve => {
		onPoll = resolve;
	});
	const env = await stubEnv(({url}) => {
		if (url.includes('wait=')) {
			polls++;
			onPoll();
			return null;
		}

		return {body: inboxBody()};
	});
	const script = 'for i in 1 2 3; do "$NODE" "$BIN" messages wait signup --timeout 30s; done; echo not stopped';
	const shell = spawn('bash', ['-c', script], {
		env: {...env, NODE: process.execPath, BIN: bin},
		// A new process group, which is interrupted as a whole, as by a terminal.
		detached: true,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const ended = once(shell, 'exit');
	await firstPoll;
	process.kill(-(shell.pid ?? 0), 'SIGINT');
	expect(await ended).toEqual([null, 'SIGINT']);
	expect(polls).toBe(1);
	expect(shell.stdout.read()).toBeNull();
});

test('Ctrl-C ends an import that reads from stdin', async () => {
	let onRequest = () => {};
	const firstRequest = new Promise<void>(resolve => {
		onRequest = resolve;
	});
	const env = await stubEnv(() => {
		onRequest();
		return {body: inboxBody()};
	});
	const child = spawn(process.execPath, [bin, 'messages', 'import', 'signup', '-'], {
		env,
		stdio: ['pipe', 'ignore', 'pipe'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	const [ended, stderr] = [once(child, 'exit'), text(child.stderr)];
	await firstRequest;
	child.kill('SIGINT');
	expect(await ended).toEqual([null, 'SIGINT']);
	expect(await stderr).toContain('Interrupted. 0 mails were imported into');
});

test.runIf(existsSync('/dev/full'))('a failed write of the output is reported with exit code 1', async () => {
	const env = await stubEnv(manyInboxes);
	const {stdout, stderr} = await runScript(env, 'tinbox inbox list > /dev/full; echo $?');
	expect(stdout).toBe('1');
	expect(stderr).toBe('The output could not be written: ENOSPC: no space left on device, write.');
});
