import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';
import {median} from '../statistics.js';

const bin = fileURLToPath(new URL('../../../bin/tinbox.js', import.meta.url));
const tries = 25;

/** @typedef {Record<string, number[]>} Times in milliseconds, by the name of what was run */

/**
 * Whole processes of the CLI beside an empty Node.js, and the first frame of the TUI beside a word on a terminal, taking
 * turns.
 * @type {import('../run.js').Bench}
 */
export async function startUp() {
	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-bench-start-'));
	const env = {TINBOX_HOME: home, TINBOX_SMTP_PORT: '0', TINBOX_HTTP_PORT: '0'};
	await execa(process.execPath, [bin, 'inbox', 'create'], {env});
	const whole = await takeTurns(
		{bare: ['-e', '0'], version: [bin, '--version'], list: [bin, 'inbox', 'list']},
		async args => {
			const startedAt = performance.now();
			await execa(process.execPath, args, {env, stdin: 'ignore'});
			return performance.now() - startedAt;
		},
	);
	const frames = await takeTurns({bare: ['-e', "'console.log(`Inboxes`)'"], watch: [bin, 'watch']}, async args =>
		untilShown(args, 'Inboxes', env),
	).catch(() => undefined);
	await execa(process.execPath, [bin, 'daemon', 'stop'], {env});
	await rm(home, {recursive: true, force: true});
	return [
		rowOf('tinbox --version', whole, {name: 'version', peer: 'node -e 0', atMost: 1.3}),
		rowOf('tinbox inbox list', whole, {name: 'list', peer: 'node -e 0', atMost: 1.5}),
		frames
			? rowOf('first frame of tinbox watch', frames, {name: 'watch', peer: 'a word of node', atMost: 4})
			: {what: 'first frame of tinbox watch', tinbox: 'not measured: there is no script(1)'},
	];
}

/**
 * @param {Record<string, readonly string[]>} commands
 * @param {(args: readonly string[]) => Promise<number>} run its milliseconds
 * @returns {Promise<Times>}
 */
async function takeTurns(commands, run) {
	/** @type {Times} */
	const times = {};
	// The first three rounds fill the caches of the machine.
	for (let count = -3; count < tries; count++) {
		for (const [name, args] of Object.entries(commands)) {
			const ms = await run(args);
			times[name] = [...(times[name] ?? []), ...(count < 0 ? [] : [ms])];
		}
	}

	return times;
}

/**
 * Runs Node.js on a terminal; milliseconds until it shows a text.
 * @param {readonly string[]} args for a shell
 * @param {string} text
 * @param {Record<string, string>} env
 */
async function untilShown(args, text, env) {
	const command = [process.execPath, ...args].join(' ');
	const startedAt = performance.now();
	const child = spawn('script', ['-qfec', command, '/dev/null'], {env: {...process.env, ...env}});
	await once(child, 'spawn');
	const ended = once(child, 'exit');
	for await (const shown of child.stdout.setEncoding('utf8')) {
		if (String(shown).includes(text)) {
			break;
		}
	}

	const ms = performance.now() - startedAt;
	child.kill('SIGKILL');
	await ended;
	return ms;
}

/**
 * @param {string} what
 * @param {Times} times
 * @param {{name: string, peer: string, atMost: number}} of
 */
function rowOf(what, times, {name, peer, atMost}) {
	const [ours, bare] = [median(times[name] ?? []), median(times['bare'] ?? [])];
	const ms = (/** @type {number} */ value) => `${value.toFixed(0)} ms`;
	return {what, tinbox: ms(ours), peer: `${peer} ${ms(bare)}`, ratio: ours / bare, goal: {atMost}};
}
