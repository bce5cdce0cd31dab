import {startRelay} from '../../helpers/wrong-relays.js';
import {startProven} from './start.js';
import {drip} from './suites/dripping.js';
import {meetFaults} from './suites/faults.js';
import {idle} from './suites/idle.js';
import {logIn} from './suites/logins.js';
import {sendMutants} from './suites/mutants.js';
import {disturb} from './suites/neighbours.js';
import {beSlow} from './suites/slow-http.js';
import {soak} from './suites/soak.js';

/**
 * @typedef {Record<string, number | string>} Counts
 * @typedef {import('./start.js').Proven} Proven
 *
 * @typedef {object} Suite
 * @property {(daemon: Proven, options: any) => Promise<Counts>} run
 * @property {object} short options with which it takes seconds
 * @property {object} long options with which it takes minutes
 * @property {readonly string[]} problems the counts that must be zero
 * @property {ReadonlyArray<{start: () => Promise<Proven>, options: object}>} wrong what is wrong on purpose, and options
 * that suffice to find that
 */

/** @type {Record<string, Suite>} */
export const suites = {
	idle: {
		run: idle,
		short: {},
		long: {connections: 10_000},
		problems: ['refused', 'lost', 'dropped', 'unanswered', 'stillOpen', 'errors', 'stalls'],
		wrong: [{start: () => behindRelay('disconnecting'), options: {connections: 10}}],
	},
	dripping: {
		run: drip,
		short: {},
		long: {drippers: 500, endless: 5, megabytes: 500, mails: 300},
		problems: ['late', 'tooManyMegabytes', 'stored', 'errors', 'stalls'],
		wrong: [{start: () => behindRelay('slow'), options: {megabytes: 0, mails: 10}}],
	},
	logins: {
		run: logIn,
		short: {},
		long: {inboxes: 1000, connections: 50, mails: 20_000},
		problems: ['refused', 'lost', 'doubled', 'crossed', 'errors', 'stalls'],
		wrong: [{start: () => behindRelay('sharedLogin'), options: {inboxes: 10, connections: 5, mails: 60}}],
	},
	faults: {
		run: meetFaults,
		short: {},
		long: {sessions: 10_000},
		problems: ['deviations', 'errors', 'stalls'],
		wrong: [{start: () => startProven('per-session'), options: {sessions: 200}}],
	},
	mutants: {
		run: sendMutants,
		short: {count: 250, everyBomb: 10},
		long: {count: 20_000, everyBomb: 1},
		problems: ['refused', 'lost', 'changed', 'unreadable', 'unexpected', 'errors', 'stalls'],
		wrong: [
			{start: () => behindRelay('normalizing'), options: {count: 40}},
			{start: () => startProven('blocking'), options: {count: 2}},
		],
	},
	requests: {
		// Built from TypeScript, since it knows the routes and schemas of the API.
		run: async (daemon, options) =>
			(await import(new URL('.build/requests.js', import.meta.url).href)).ask(daemon, options),
		short: {perRoute: 10},
		long: {perRoute: 1000},
		problems: ['failed', 'misshapen', 'errors', 'stalls'],
		wrong: [{start: () => startProven('careless'), options: {only: ['POST /inboxes'], perRoute: 60}}],
	},
	'slow-http': {
		run: beSlow,
		short: {},
		long: {clients: 20},
		problems: ['wrongBytes', 'misanswered', 'taken', 'refused', 'tooManyMegabytes', 'errors', 'stalls'],
		wrong: [{start: () => startProven('gulping'), options: {clients: 10}}],
	},
	soak: {
		run: soak,
		short: {},
		long: {seconds: 600},
		problems: ['lost', 'changed', 'grown', 'errors'],
		wrong: [{start: () => startProven('leaking'), options: {}}],
	},
	// What goes on beside a short run is over by then, mostly.
	neighbours: {
		run: disturb,
		// Other programs disturb a machine that runs all checks; what is slow by nature is so at every try.
		short: {seconds: 0.5, tries: 6},
		long: {seconds: 15},
		problems: ['late', 'failed', 'lost', 'unbegun', 'tooManyMegabytes', 'keptMegabytes', 'errors'],
		wrong: [
			{
				start: () => startProven('single-threaded'),
				options: {only: ['patterns that grow'], tries: 1},
			},
		],
	},
};

/**
 * The daemon with its SMTP behind one of the relays; stopping ends both.
 * @param {Parameters<typeof startRelay>[1]} name
 * @returns {Promise<Proven>}
 */
async function behindRelay(name) {
	const daemon = await startProven();
	const relay = await startRelay(daemon.smtp, name);
	return {...daemon, smtp: relay, stop: () => relay.close().then(daemon.stop)};
}

/**
 * Runs a suite on a daemon that ends with it.
 * @param {Suite} suite
 * @param {() => Promise<Proven>} start
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
