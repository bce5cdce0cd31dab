import {whyNoPostgres} from '../../helpers/postgres-cluster.js';
import {startRelay} from '../../helpers/wrong-relays.js';
import {startTestDaemon, startTestDaemonOnPostgres} from './start.js';
import {runDrippingClients} from './suites/dripping.js';
import {verifyFaults} from './suites/faults.js';
import {runIdleSessions} from './suites/idle.js';
import {runLogins} from './suites/logins.js';
import {sendMutants} from './suites/mutants.js';
import {runAttacks, runCostAttacks} from './suites/neighbours.js';
import {runSlowClients} from './suites/slow-http.js';
import {soak} from './suites/soak.js';

/**
 * @typedef {Record<string, number | string>} Counts
 * @typedef {import('./start.js').TestDaemon} TestDaemon
 *
 * @typedef {object} Suite
 * @property {(daemon: TestDaemon, options: any) => Promise<Counts>} run
 * @property {() => Promise<TestDaemon>} [start] starts the daemon; `startTestDaemon` by default
 * @property {string | undefined} [skipped] reason why the suite cannot run here
 * @property {object} short options for a run of seconds
 * @property {object} long options for a run of minutes
 * @property {readonly string[]} problems counts that must be zero
 * @property {ReadonlyArray<{start: () => Promise<TestDaemon>, options: object}>} wrong daemons with a defect, and options that
 * suffice to detect it
 */

/** @type {Record<string, Suite>} */
export const suites = {
	idle: {
		run: runIdleSessions,
		short: {},
		long: {connections: 10_000},
		problems: ['refused', 'lost', 'dropped', 'unanswered', 'stillOpen', 'errors', 'stalls'],
		wrong: [{start: () => behindRelay('disconnecting'), options: {connections: 10}}],
	},
	dripping: {
		run: runDrippingClients,
		short: {},
		long: {drippers: 500, endless: 5, megabytes: 500, mails: 300},
		problems: ['late', 'tooManyMegabytes', 'stored', 'errors', 'stalls'],
		wrong: [{start: () => behindRelay('slow'), options: {megabytes: 0, mails: 10}}],
	},
	logins: {
		run: runLogins,
		short: {},
		long: {inboxes: 1000, connections: 50, mails: 20_000},
		problems: ['refused', 'lost', 'doubled', 'crossed', 'errors', 'stalls'],
		wrong: [{start: () => behindRelay('sharedLogin'), options: {inboxes: 10, connections: 5, mails: 60}}],
	},
	faults: {
		run: verifyFaults,
		short: {},
		long: {sessions: 10_000},
		problems: ['deviations', 'errors', 'stalls'],
		wrong: [{start: () => startTestDaemon('per-session'), options: {sessions: 200}}],
	},
	mutants: {
		run: sendMutants,
		short: {count: 250, everyBomb: 10},
		long: {count: 20_000, everyBomb: 1},
		problems: ['refused', 'lost', 'changed', 'unreadable', 'unexpected', 'errors', 'stalls'],
		wrong: [
			{start: () => behindRelay('normalizing'), options: {count: 40}},
			{start: () => startTestDaemon('blocking'), options: {count: 2}},
		],
	},
	requests: {
		// Bundled from TypeScript, because it imports the routes and schemas of the API.
		run: async (daemon, options) =>
			(await import(new URL('.build/requests.js', import.meta.url).href)).sendRandomRequests(daemon, options),
		short: {perRoute: 10},
		long: {perRoute: 1000},
		problems: ['failed', 'misshapen', 'errors', 'stalls'],
		wrong: [{start: () => startTestDaemon('throwing'), options: {only: ['POST /inboxes'], perRoute: 60}}],
	},
	'slow-http': {
		run: runSlowClients,
		short: {},
		long: {clients: 20},
		problems: ['wrongBytes', 'misanswered', 'taken', 'refused', 'tooManyMegabytes', 'errors', 'stalls'],
		wrong: [{start: () => startTestDaemon('unstreamed'), options: {clients: 10}}],
	},
	soak: {
		run: soak,
		short: {},
		long: {seconds: 600},
		problems: ['lost', 'changed', 'grown', 'errors'],
		wrong: [{start: () => startTestDaemon('leaking'), options: {}}],
	},
	// Last, when other programs that run beside a short run have mostly ended.
	neighbours: {
		run: runAttacks,
		// More tries, because other programs can slow down the machine; a slow daemon is slow at every try.
		short: {seconds: 0.5, tries: 6},
		long: {seconds: 15},
		problems: ['late', 'failed', 'lost', 'notStarted', 'tooManyMegabytes', 'keptMegabytes', 'errors'],
		wrong: [
			{
				start: () => startTestDaemon('single-threaded'),
				options: {only: ['expensive regular expressions'], tries: 1},
			},
		],
	},
	costs: costSuite(
		() => startTestDaemon('', {openFiles: 1024}),
		[
			'bounces to servers that send empty lines',
			'templates that turn 10 KB into 250 MB of mail',
			'batches of 10 calls of /mcp',
			'batches of 100 mails on 64 connections',
			'bodies that arrive byte by byte with many keys',
		],
	),
	'costs-postgres': {
		...costSuite(() => startTestDaemonOnPostgres({openFiles: 1024}), ['credential rotations of 400 inboxes']),
		skipped: whyNoPostgres(),
	},
};

/**
 * Attacks whose requests are small compared to the work that they cause, on a daemon with as many open files as in many
 * containers.
 * @param {() => Promise<TestDaemon>} start
 * @param {readonly string[]} only attacks of a short run
 * @returns {Suite}
 */
function costSuite(start, only) {
	return {
		run: runCostAttacks,
		start,
		short: {seconds: 0.5, tries: 3, waits: false, only},
		long: {seconds: 15},
		problems: ['late', 'failed', 'lost', 'notStarted', 'tooManyMegabytes', 'keptMegabytes', 'errors'],
		wrong: [],
	};
}

/**
 * Starts a daemon whose SMTP port is behind a relay.
 * @param {Parameters<typeof startRelay>[1]} name
 * @returns {Promise<TestDaemon>}
 */
async function behindRelay(name) {
	const daemon = await startTestDaemon();
	const relay = await startRelay(daemon.smtp, name);
	return {...daemon, smtp: relay, stop: () => relay.close().then(daemon.stop)};
}

/**
 * Runs a suite on a new daemon.
 * @param {Suite} suite
 * @param {() => Promise<TestDaemon>} start
 * @param {object} options
 */
export async function prove(suite, start, options) {
	const daemon = await start();
	try {
		return await suite.run(daemon, options);
	} finally {
		await daemon.stop();
	}
}
