import {startProven} from './start.js';
import {sendBombs} from './suites/bombs.js';
import {drip} from './suites/dripping.js';
import {idle} from './suites/idle.js';
import {leave} from './suites/leaving.js';
import {sendMutants} from './suites/mutants.js';
import {exceed} from './suites/oversized.js';
import {beSlow} from './suites/slow-http.js';
import {smuggle} from './suites/smuggling.js';
import {soak} from './suites/soak.js';
import {behindProxy, behindRelay} from './wrong-relays.js';

/**
 * @typedef {Record<string, number | string>} Counts
 *
 * @typedef {object} Suite
 * @property {(daemon: import('./start.js').Proven, options: any) => Promise<Counts>} run
 * @property {object} short options with which it takes seconds
 * @property {object} long options with which it takes minutes
 * @property {readonly string[]} faults the counts that must be zero
 * @property {() => Promise<import('./start.js').Proven>} startWrong starts what is wrong on purpose
 * @property {object} wrong options that suffice to find that
 */

const fates = ['refused', 'lost', 'changed', 'unreadable', 'unexpected', 'errors', 'stalls'];

/** @type {Record<string, Suite>} */
export const suites = {
	smuggling: {
		run: smuggle,
		short: {everyCut: 16},
		long: {},
		faults: ['smuggled', 'changed', 'misanswered', 'lost', 'errors', 'stalls'],
		startWrong: async () => behindRelay(await startProven(), 'normalising'),
		wrong: {forms: 2, everyCut: 40},
	},
	leaving: {
		run: leave,
		short: {},
		long: {times: 50},
		faults: ['stored', 'stillOpen', 'errors', 'refusedAfterwards', 'stalls'],
		startWrong: async () => behindRelay(await startProven(), 'finishing'),
		wrong: {},
	},
	oversized: {
		run: exceed,
		short: {every: 2},
		long: {endless: 5, megabytes: 500},
		faults: [
			...['misanswered', 'refused', 'lost', 'changed', 'tooManyMegabytes', 'stored', 'refusedAfterwards'],
			...['errors', 'stalls'],
		],
		startWrong: async () => behindRelay(await startProven(), 'wrapping'),
		wrong: {every: 20},
	},
	idle: {
		run: idle,
		short: {},
		long: {connections: 10_000},
		faults: ['refused', 'lost', 'dropped', 'unanswered', 'stillOpen', 'errors', 'stalls'],
		startWrong: async () => behindRelay(await startProven(), 'impatient'),
		wrong: {connections: 10},
	},
	dripping: {
		run: drip,
		short: {},
		long: {drippers: 500, mails: 300},
		faults: ['late', 'errors', 'stalls'],
		startWrong: async () => behindRelay(await startProven(), 'sluggish'),
		wrong: {mails: 10},
	},
	mutants: {
		run: sendMutants,
		short: {count: 250},
		long: {count: 20_000},
		faults: fates,
		startWrong: async () => behindRelay(await startProven(), 'normalising'),
		wrong: {count: 40},
	},
	bombs: {
		run: sendBombs,
		short: {every: 10},
		long: {},
		faults: fates,
		startWrong: () => startProven('blocking'),
		wrong: {every: 40},
	},
	sites: {
		run: async (daemon, options) => (await built('sites')).visit(daemon, options),
		short: {every: 6},
		long: {},
		faults: ['admitted', 'shutOut', 'opened', 'failed', 'errors', 'stalls'],
		startWrong: async () => behindProxy(await startProven(), 'rewriting'),
		wrong: {every: 20},
	},
	bodies: {
		run: async (daemon, options) => (await built('bodies')).burden(daemon, options),
		short: {every: 4},
		long: {},
		faults: ['misanswered', 'polluted', 'errors', 'stalls'],
		startWrong: async () => behindProxy(await startProven(), 'forgiving'),
		wrong: {every: 8},
	},
	requests: {
		run: async (daemon, options) => (await built('requests')).ask(daemon, options),
		short: {perRoute: 10},
		long: {perRoute: 1000},
		faults: ['failed', 'misshapen', 'errors', 'stalls'],
		startWrong: () => startProven('careless'),
		wrong: {perRoute: 20},
	},
	'slow-http': {
		run: beSlow,
		short: {},
		long: {clients: 20},
		faults: ['wrongBytes', 'misanswered', 'taken', 'refused', 'tooManyMegabytes', 'errors', 'stalls'],
		startWrong: () => startProven('gulping'),
		wrong: {clients: 10},
	},
	soak: {
		run: soak,
		short: {},
		long: {seconds: 600},
		faults: ['lost', 'changed', 'grown', 'errors'],
		startWrong: () => startProven('leaking'),
		wrong: {},
	},
};

/**
 * A suite that is built from TypeScript, since it knows the routes and schemas of the API.
 * @param {string} name
 */
function built(name) {
	return import(new URL(`.build/${name}.js`, import.meta.url).href);
}

/**
 * Runs a suite on a daemon that ends with it.
 * @param {Suite} suite
 * @param {() => Promise<import('./start.js').Proven>} start
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
