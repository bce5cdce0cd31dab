import {wakeUpTimes} from '../load/poll-load.js';
import {startTinbox} from '../servers/start.js';
import {percentile} from '../statistics.js';

const polls = 100;

/**
 * From the 250 on the wire to the answer of a long poll, while 100 of them are open on the inbox.
 * @type {import('../run.js').Bench}
 */
export async function wakeUp({progress}) {
	const server = await startTinbox();
	const times = await wakeUpTimes(server, {polls, rounds: 50, warmUp: 10});
	await server.stop();
	const p50 = percentile(times, 0.5);
	const p99 = percentile(times, 0.99);
	progress(`wake-up p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
	return [
		{what: `250 to answered poll, ${polls} open, p50`, tinbox: `${p50.toFixed(2)} ms`, value: p50, goal: {atMost: 5}},
		{what: `250 to answered poll, ${polls} open, p99`, tinbox: `${p99.toFixed(2)} ms`, value: p99, goal: {atMost: 20}},
	];
}
