import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {rm} from 'node:fs/promises';
import {execa} from 'execa';
import {figureBeside, inUnit} from '../figures.js';
import {childrenCpuMs} from '../process.js';
import {temporary, thisBuild} from '../servers/start.js';
import {median} from '../statistics.js';
import {rotated} from '../turns.js';

/** Measured starts per run, after some that fill the caches of the machine. */
const tries = 25;
const warmUp = 3;
const ms = inUnit('ms', 1);

/**
 * @typedef {object} Command
 * @property {string} name
 * @property {readonly string[]} args of Node.js
 * @property {Record<string, string>} env
 *
 * @typedef {object} Cost of a process
 * @property {number} ms
 * @property {number} cpuMs user and system time; only if the process exited by itself
 *
 * @typedef {Map<string, Cost[]>} Costs by the name of the command
 *
 * @typedef {object} Build a build with its own home and daemon
 * @property {string} name
 * @property {string} bin
 * @property {Record<string, string>} env
 */

/**
 * Processes of the CLI compared with an empty Node.js process, and the first frame of the TUI compared with printing a word, in
 * turns. On a busy machine, CPU time is more reliable than elapsed time.
 * @type {import('../run.js').Bench}
 */
export async function startUp({runs, other}) {
	const builds = [];
	for (const build of [thisBuild, ...(other ? [other] : [])]) {
		builds.push(await startDaemon(build));
	}

	try {
		const empty = {name: 'node -e 0', args: ['-e', '0'], env: {}};
		const word = {name: 'a word of node', args: ['-e', "'console.log(`Inboxes`)'"], env: {}};
		const whole = await takeTurns(
			runs * tries,
			[empty, ...commandsOf(builds, '--version'), ...commandsOf(builds, 'inbox', 'list')],
			({args, env}) => timeOf(execa(process.execPath, args, {env, stdin: 'ignore'})),
		);
		const frames = await takeTurns(runs * tries, [word, ...commandsOf(builds, 'watch')], command =>
			untilShown(command, 'Inboxes'),
		).catch(() => undefined);
		return [
			...rowsOf('--version', {costs: whole, bare: empty.name, atMost: 1.3, other}),
			...rowsOf('inbox list', {costs: whole, bare: empty.name, atMost: 1.5, other}),
			...(frames
				? rowsOf('watch', {costs: frames, bare: word.name, atMost: 4, other})
				: [{what: 'tinbox watch, first frame', tinbox: 'not measured: there is no script(1)'}]),
		];
	} finally {
		for (const {bin, env} of builds) {
			await execa(process.execPath, [bin, 'daemon', 'stop'], {env});
			await rm(env.TINBOX_HOME, {recursive: true, force: true});
		}
	}
}

/** @param {import('../servers/start.js').Build} build */
async function startDaemon({name, bin}) {
	const env = {TINBOX_HOME: await temporary('start'), TINBOX_SMTP_PORT: '0', TINBOX_HTTP_PORT: '0'};
	await execa(process.execPath, [bin, 'inbox', 'create'], {env});
	return {name, bin, env};
}

/**
 * @param {readonly Build[]} builds
 * @param {readonly string[]} args
 * @returns {Command[]}
 */
function commandsOf(builds, ...args) {
	return builds.map(({name, bin, env}) => ({name: `${name} ${args.join(' ')}`, args: [bin, ...args], env}));
}

/**
 * @param {number} count
 * @param {readonly Command[]} commands
 * @param {(command: Command) => Promise<number>} run returns milliseconds
 * @returns {Promise<Costs>}
 */
async function takeTurns(count, commands, run) {
	/** @type {Costs} */
	const costs = new Map(commands.map(({name}) => [name, []]));
	for (let turn = 0; turn < warmUp + count; turn++) {
		for (const command of rotated(commands, turn)) {
			const before = await childrenCpuMs();
			const cost = {ms: await run(command), cpuMs: (await childrenCpuMs()) - before};
			costs.get(command.name)?.push(...(turn < warmUp ? [] : [cost]));
		}
	}

	return costs;
}

/** @param {Promise<unknown>} running */
async function timeOf(running) {
	const startedAt = performance.now();
	await running;
	return performance.now() - startedAt;
}

/**
 * Runs Node.js in a terminal and returns the milliseconds until a text appears.
 * @param {Command} command its arguments are quoted for a shell
 * @param {string} text
 */
async function untilShown({args, env}, text) {
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
 * @param {string} command
 * @param {{costs: Costs, bare: string, atMost: number, other: import('../servers/start.js').Build | undefined}} options
 */
function rowsOf(command, {costs, bare, atMost, other}) {
	const what = command === 'watch' ? 'tinbox watch, first frame' : `tinbox ${command}`;
	const ours = costs.get(`${thisBuild.name} ${command}`) ?? [];
	const peers = [
		{peer: bare, theirs: costs.get(bare) ?? [], goal: {atMost}},
		...(other ? [{peer: other.name, theirs: costs.get(`${other.name} ${command}`) ?? [], goal: {atMost: 1.1}}] : []),
	];
	return peers.flatMap(({peer, theirs, goal}) => {
		const time = {ours: median(ours.map(({ms}) => ms)), theirs: median(theirs.map(({ms}) => ms))};
		const cpu = {ours: mean(ours.map(({cpuMs}) => cpuMs)), theirs: mean(theirs.map(({cpuMs}) => cpuMs))};
		return [
			figureBeside(what, {...time, peer, show: ms, goal}),
			// CPU time below script(1) is not counted.
			...(cpu.ours > 0 && command !== 'watch'
				? [figureBeside(`${what}, CPU time`, {...cpu, peer, show: ms, ...(peer === other?.name && {goal})})]
				: []),
		];
	});
}

/**
 * The mean, since the system counts CPU time in steps of 10 ms, which makes medians coarse.
 * @param {readonly number[]} values
 */
function mean(values) {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}
