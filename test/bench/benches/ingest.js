import {mailOf, sendOneShot, sendReused} from '../load/smtp-load.js';
import {findPeers} from '../servers/peers.js';
import {startBareSmtp, startTinbox} from '../servers/start.js';
import {median, percentile} from '../statistics.js';

const mail = mailOf(2048);

/** Beside the 2 KB of the goals. */
const largerMails = [
	{what: '50 KB', mail: mailOf(50_000), mails: 2000},
	{what: '5 MB', mail: mailOf(5_000_000), mails: 40},
];

/** What is to be reached; the other peers are only told. */
const goals = {reused: {'bare smtp-server': 0.5, 'MailDev 3': 3}, oneShot: {'MailDev 3': 10}};

/**
 * Mails per second, and milliseconds of a session.
 * @typedef {{reused: number[], oneShot: number[], larger: number[][]}} Results
 */

/**
 * Mail in: ten reused connections, and sessions of one mail each. The servers take turns, so that whatever else the
 * machine does meets all of them.
 * @type {import('../run.js').Bench}
 */
export async function ingest({runs, progress}) {
	const peers = await findPeers();
	const starts = [startTinbox, startBareSmtp, ...[...peers.values()].flatMap(start => start ?? [])];
	/** @type {Map<string, Results>} */
	const results = new Map();
	for (let run = 0; run < runs; run++) {
		for (const start of starts) {
			const server = await start();
			const of = results.get(server.name) ?? {reused: [], oneShot: [], larger: largerMails.map(() => [])};
			results.set(server.name, of);
			await measure(server, of);
			await server.stop();
			progress(`${server.name}: ${rate(of.reused.at(-1) ?? 0)}, one session per mail ${ms(of.oneShot.at(-1) ?? 0)}`);
		}
	}

	return ['bare smtp-server', ...peers.keys()].flatMap(peer => rowsBeside(peer, results));
}

/**
 * @param {import('../servers/start.js').Server} server
 * @param {Results} results
 */
async function measure({smtp, to}, {reused, oneShot, larger}) {
	await sendReused(smtp, {to, mail, mails: 3000, sessions: 10});
	reused.push(await sendReused(smtp, {to, mail, mails: 10_000, sessions: 10}));
	oneShot.push(percentile(await sendOneShot(smtp, {to, mail, mails: 50}), 0.5));
	for (const [index, {mail, mails}] of largerMails.entries()) {
		larger[index]?.push(await sendReused(smtp, {to, mail, mails, sessions: 10}));
	}
}

/**
 * @param {string} peer
 * @param {ReadonlyMap<string, Results>} results
 * @returns {import('../run.js').Figure[]}
 */
function rowsBeside(peer, results) {
	const [ours, theirs] = [results.get('tinbox'), results.get(peer)];
	if (!ours || !theirs) {
		return [{what: 'mail in', tinbox: '', peer: `${peer} not found`}];
	}

	const rates = [
		{what: '2 KB', of: (/** @type {Results} */ {reused}) => median(reused), goals: goals.reused},
		...largerMails.map(({what}, index) => ({
			what,
			of: (/** @type {Results} */ {larger}) => median(larger[index] ?? []),
			goals: {},
		})),
	].map(({what, of, goals}) => ({
		what: `${what} mails, 10 reused connections`,
		tinbox: rate(of(ours)),
		peer: `${peer} ${rate(of(theirs))}`,
		ratio: of(ours) / of(theirs),
		...goalOf(goals, peer),
	}));
	const [our, their] = [median(ours.oneShot), median(theirs.oneShot)];
	const session = {tinbox: ms(our), peer: `${peer} ${ms(their)}`, ratio: their / our, ...goalOf(goals.oneShot, peer)};
	return [...rates, {what: 'one session per mail, p50', ...session}];
}

/**
 * @param {Record<string, number>} goals
 * @param {string} peer
 */
function goalOf(goals, peer) {
	const atLeast = goals[peer];
	return atLeast === undefined ? {} : {goal: {atLeast}};
}

/** @param {number} value */
function rate(value) {
	return `${Math.round(value)}/s`;
}

/** @param {number} value */
function ms(value) {
	return `${value.toFixed(2)} ms`;
}
