import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {expect, onTestFinished, vi} from 'vitest';
import {bin, type Cli, cliTest} from '../helpers/cli.js';

/** Tells on stderr of each long poll that was sent. */
const telltale = `
	const http = require('node:http');
	const {request} = http;
	http.request = options => {
		const outgoing = request(options);
		outgoing.once('finish', () => /[?&]wait=[1-9]/.test(options.path) && process.stderr.write('held\\n'));
		return outgoing;
	};
`;

/** Begins to wait with the built command line. */
async function beginWait(home: string, env: Record<string, string>, ...args: readonly string[]) {
	const file = path.join(home, 'telltale.cjs');
	await writeFile(file, telltale);
	const child = execa(process.execPath, ['--require', file, bin, 'messages', 'wait', ...args], {
		reject: false,
		extendEnv: false,
		env,
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	let polls = 0;
	child.stderr.on('data', chunk => {
		polls += String(chunk).split('held').length - 1;
	});
	return {
		child,
		/** Until so many polls were sent, from the beginning. */
		held: async (count: number) => vi.waitFor(() => expect(polls).toBeGreaterThanOrEqual(count), 30_000),
		polls: () => polls,
	};
}

async function startDaemon(cli: Cli): Promise<number> {
	return JSON.parse((await cli('daemon', 'start', '--json=pid')).stdout).pid;
}

cliTest('a wait outlives the daemon, and neither loses nor repeats a mail', async ({home, env, cli}) => {
	const pid = await startDaemon(cli);
	const address = (await cli('inbox', 'create')).stdout.trim();
	const flags = ['--count', '3', '--timeout', '50s', '--field', 'subject'];
	const {child, held, polls} = await beginWait(home, env, address, ...flags);
	await held(1);
	await cli('send', address, '--subject', 'one');
	await held(2);
	process.kill(pid, 'SIGKILL');
	await startDaemon(cli);
	await cli('send', address, '--subject', 'two');
	await held(3);
	const before = polls();
	await cli('daemon', 'restart');
	await held(before + 1);
	await cli('send', address, '--subject', 'three');
	expect(await child).toMatchObject({exitCode: 0, stdout: 'one\ntwo\nthree'});
});

cliTest('a wait whose daemon stays away ends with 3 when its time is over', async ({home, env, cli}) => {
	const pid = await startDaemon(cli);
	const address = (await cli('inbox', 'create')).stdout.trim();
	const {child, held} = await beginWait(home, env, address, '--timeout', '3s');
	await held(1);
	process.kill(pid, 'SIGKILL');
	const {exitCode, stdout, stderr} = await child;
	expect({exitCode, stdout}).toEqual({exitCode: 3, stdout: ''});
	expect(stderr).toMatch(/^http:\S+ became unavailable and did not come back before the timeout\.$/m);
});
