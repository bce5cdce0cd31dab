import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {expect, onTestFinished, vi} from 'vitest';
import {bin, type Cli, cliTest} from '../helpers/cli.js';

/** Preloaded module that writes "polled" to stderr for each long poll that was sent. */
const pollReporter = `
	const http = require('node:http');
	const {request} = http;
	http.request = options => {
		const outgoing = request(options);
		outgoing.once('finish', () => /[?&]wait=[1-9]/.test(options.path) && process.stderr.write('polled\\n'));
		return outgoing;
	};
`;

/** Starts `messages wait` and counts its long polls. */
async function startWait(home: string, env: Record<string, string>, ...args: readonly string[]) {
	const file = path.join(home, 'poll-reporter.cjs');
	await writeFile(file, pollReporter);
	const child = execa(process.execPath, ['--require', file, bin, 'messages', 'wait', ...args], {
		reject: false,
		extendEnv: false,
		env,
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	let polls = 0;
	child.stderr.on('data', chunk => {
		polls += String(chunk).split('polled').length - 1;
	});
	return {
		child,
		/** Waits until `count` polls were sent since the start. */
		polled: async (count: number) => vi.waitFor(() => expect(polls).toBeGreaterThanOrEqual(count), 30_000),
		polls: () => polls,
	};
}

async function startDaemon(cli: Cli): Promise<number> {
	return JSON.parse((await cli('daemon', 'start', '--json=pid')).stdout).pid;
}

cliTest(
	'a wait continues across daemon restarts, and neither loses nor repeats a message',
	async ({home, env, cli}) => {
		const pid = await startDaemon(cli);
		const address = (await cli('inbox', 'create')).stdout.trim();
		const flags = ['--count', '3', '--timeout', '50s', '--field', 'subject'];
		const {child, polled, polls} = await startWait(home, env, address, ...flags);
		await polled(1);
		await cli('send', address, '--subject', 'one');
		await polled(2);
		process.kill(pid, 'SIGKILL');
		await startDaemon(cli);
		await cli('send', address, '--subject', 'two');
		await polled(3);
		const before = polls();
		await cli('daemon', 'restart');
		await polled(before + 1);
		await cli('send', address, '--subject', 'three');
		expect(await child).toMatchObject({exitCode: 0, stdout: 'one\ntwo\nthree'});
	},
);

cliTest('a wait exits with code 3 at its timeout if the daemon does not come back', async ({home, env, cli}) => {
	const pid = await startDaemon(cli);
	const address = (await cli('inbox', 'create')).stdout.trim();
	const {child, polled} = await startWait(home, env, address, '--timeout', '3s');
	await polled(1);
	process.kill(pid, 'SIGKILL');
	const {exitCode, stdout, stderr} = await child;
	expect({exitCode, stdout}).toEqual({exitCode: 3, stdout: ''});
	expect(stderr).toMatch(/^http:\S+ became unavailable and did not come back before the timeout\.$/m);
});
