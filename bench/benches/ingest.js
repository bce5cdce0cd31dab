import {mailOf, sendOneShot, sendReused} from '../load/smtp-load.js';
import {atRest, cpuMs} from '../process.js';
import {findPeers} from '../servers/peers.js';
import {assertHolds, startBareSmtp, startTinbox, thisBuild} from '../servers/start.js';
import {median, spread} from '../statistics.js';
import {rotated} from '../turns.js';

const turns = 5;
/** Node.js compiles the code during the first 10,000 mails. The time is limited for slow servers. */
const warmUp = {mails: 12_000, piece: 2000, maxMs: 4000};
const oneShots = 10;

/** Loads of a turn over ten reused connections. The goals refer to mails of 2 KB. */
const loads = [
	{what: '2 KB', mail: mailOf(2048), mails: 2500},
	{what: '50 KB', mail: mailOf(50_000), mails: 400},
	{what: '5 MB', mail: mailOf(5_000_000), mails: 10},
];
const smallMail = loads[0]?.mail ?? '';
const mailsPerTurn = oneShots + loads.reduce((sum, {mails}) => sum + mails, 0);

/**
 * Goals of tinbox relative to each peer: mails of 2 KB per second, CPU time per mail, and time of a session with one mail (10
 * means ten times as fast). Between two builds, differences of less than 3 % and 10 % are noise on a busy machine.
 * @type {Record<string, {rate?: number, cpu?: number, oneShot?: number}>}
 */
const goals = {
	'the other build': {rate: 0.97, cpu: 1.03, oneShot: 0.91},
	'bare smtp-server': {rate: 0.5, cpu: 3},
	'MailDev 3': {rate: 3, oneShot: 10},
	Mailpit: {rate: 3},
	Inbucket: {rate: 10},
};

/**
 * @typedef {import('../servers/start.js').Server} Server
 *
 * @typedef {object} Turn of one server
 * @property {number[]} rates mails a second of each load
 * @property {number} cpu milliseconds of CPU time a mail of 2 KB
 * @property {number} oneShot milliseconds of a session of one mail, p50
 */

/**
 * Receiving mail over ten reused connections, and in sessions with one mail each. The servers run at the same time and are
 * measured in turns, each in another order, so that other load on the machine affects all of them.
 * @type {import('../run.js').Bench}
 */
export async function ingest({runs, progress, other}) {
	const peers = await findPeers();
	const starts = [
		() => startTinbox(),
		...(other ? [() => startTinbox({build: other})] : []),
		startBareSmtp,
		...[...peers.values()].flatMap(start => start ?? []),
	];
	/** @type {Map<string, Turn[]>} */
	const results = new Map();
	for (let run = 0; run < runs; run++) {
		await takeTurns(starts, run, (name, turn) => {
			results.set(name, [...(results.get(name) ?? []), turn]);
			progress(`${name}: ${rate(turn.rates[0])}, CPU ${ms(turn.cpu)} a mail, one session per mail ${ms(turn.oneShot)}`);
		});
	}

	const others = [...(other ? [other.name] : []), 'bare smtp-server', ...peers.keys()];
	return others.flatMap(name => rowsBeside(name, results.get(thisBuild.name), results.get(name)));
}

/**
 * @param {ReadonlyArray<() => Promise<Server>>} starts
 * @param {number} run
 * @param {(name: string, turn: Turn) => void} add
 */
async function takeTurns(starts, run, add) {
	/** @type {Server[]} */
	const servers = [];
	try {
		for (const start of starts) {
			servers.push(await start());
		}

		/** @type {Map<Server, number>} */
		const warmUpMails = new Map();
		for (const server of servers) {
			warmUpMails.set(server, await warm(server));
		}

		for (let turn = 0; turn < turns; turn++) {
			for (const server of rotated(servers, run + turn)) {
				add(server.name, await measure(server));
			}
		}

		for (const server of servers) {
			await assertHolds(server, (warmUpMails.get(server) ?? 0) + turns * mailsPerTurn);
		}
	} finally {
		await Promise.all(servers.map(server => server.stop()));
	}
}

/**
 * Sends mails for the warm-up.
 * @param {Server} server
 * @returns {Promise<number>} number of sent mails
 */
async function warm({smtp, recipients, pid}) {
	const startedAt = performance.now();
	let sent = 0;
	while (sent < warmUp.mails && performance.now() - startedAt < warmUp.maxMs) {
		await sendReused(smtp, {recipients, mail: smallMail, mails: warmUp.piece, sessions: 10});
		sent += warmUp.piece;
	}

	await atRest(pid);
	return sent;
}

/**
 * @param {Server} server
 * @returns {Promise<Turn>}
 */
async function measure({smtp, recipients, pid}) {
	const rates = [];
	const cpu = [];
	for (const {mail, mails} of loads) {
		const before = await cpuMs(pid);
		rates.push(await sendReused(smtp, {recipients, mail, mails, sessions: 10}));
		await atRest(pid);
		cpu.push(((await cpuMs(pid)) - before) / mails);
	}

	const oneShot = median(await sendOneShot(smtp, {recipients, mail: smallMail, mails: oneShots}));
	await atRest(pid);
	return {rates, cpu: cpu[0] ?? Number.NaN, oneShot};
}

/**
 * Ratios are medians of the ratios per turn.
 * @param {string} name
 * @param {readonly Turn[]} [ours]
 * @param {readonly Turn[]} [theirs] measured in the same turns
 * @returns {import('../run.js').Figure[]}
 */
function rowsBeside(name, ours, theirs) {
	if (!ours || !theirs) {
		return [{what: 'mail in', tinbox: '', peer: `${name} not found`}];
	}

	const goal = goals[name] ?? {};
	const compare = (/** @type {(turn: Turn) => number} */ of, /** @type {(value?: number) => string} */ show) => {
		const ratios = ours.map((turn, index) => of(turn) / of(theirs[index] ?? turn));
		return {
			tinbox: show(median(ours.map(of))) + spread(ours.map(of)),
			peer: `${name} ${show(median(theirs.map(of)))}${spread(theirs.map(of))}`,
			ratio: median(ratios),
		};
	};
	const oneShot = compare(
		({oneShot}) => 1 / oneShot,
		inverse => ms(1 / (inverse ?? Number.NaN)),
	);
	const cpu = compare(({cpu}) => cpu, ms);
	return [
		...loads.map(({what}, index) => ({
			what: `${what} mails, 10 reused connections`,
			...compare(({rates}) => rates[index] ?? Number.NaN, rate),
			...(index === 0 && goal.rate !== undefined && {goal: {atLeast: goal.rate}}),
		})),
		{
			what: 'one session per mail, p50',
			...oneShot,
			...(goal.oneShot !== undefined && {goal: {atLeast: goal.oneShot}}),
		},
		Number.isNaN(cpu.ratio)
			? {what: 'CPU time of a 2 KB mail, all threads', tinbox: 'not measured: there is no /proc'}
			: {
					what: 'CPU time of a 2 KB mail, all threads',
					...cpu,
					...(goal.cpu !== undefined && {goal: {atMost: goal.cpu}}),
				},
	];
}

function rate(value = Number.NaN) {
	return `${value.toFixed(value < 10 ? 1 : 0)}/s`;
}

function ms(value = Number.NaN) {
	return `${value.toFixed(2)} ms`;
}
