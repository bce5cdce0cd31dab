import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';
import {get, listPage} from '../load/api-load.js';
import {mailOf, sendReused} from '../load/smtp-load.js';
import {residentMegabytes} from '../process.js';
import {createAccount, startBareHttp, startTinbox} from '../servers/start.js';
import {median, percentile} from '../statistics.js';

const mails = 20;
const sender = fileURLToPath(new URL('../load/large-mails.js', import.meta.url));

/**
 * 20 concurrent mails of 25 MB: memory of the daemon, and the slowest API response meanwhile, compared with the slowest of an
 * otherwise idle bare node:http server.
 * @type {import('../run.js').Bench}
 */
export async function largeMails({runs, progress}) {
	/** @type {Array<Awaited<ReturnType<typeof sendAll>>>} */
	const results = [];
	for (let run = 0; run < runs; run++) {
		const result = await sendAll();
		results.push(result);
		progress(
			`${result.seconds.toFixed(1)} s, + ${result.megabytes.toFixed(0)} MB, slowest of ${result.answers} answers ${result.slowest.toFixed(0)} ms`,
		);
	}

	const of = (/** @type {'megabytes' | 'slowest' | 'p99' | 'bareSlowest'} */ name) =>
		median(results.map(result => result[name]));
	return [
		{
			what: `${mails} mails of 25 MB at once: resident`,
			tinbox: `+ ${of('megabytes').toFixed(0)} MB`,
			value: of('megabytes'),
			goal: {atMost: 150},
		},
		{
			what: `${mails} mails of 25 MB at once: slowest answer of the API`,
			tinbox: `${of('slowest').toFixed(0)} ms (p99 ${of('p99').toFixed(0)} ms)`,
			peer: `idle bare node:http ${of('bareSlowest').toFixed(0)} ms`,
			value: of('slowest'),
			goal: {atMost: 100},
		},
	];
}

async function sendAll() {
	const server = await startTinbox();
	const bare = await startBareHttp();
	const other = await createAccount(server.url, server.dataDir);
	const list = `${server.url}/inboxes/${other.inbox.id}/messages`;
	await sendReused(server.smtp, {
		recipients: [other.inbox.email_address],
		mail: mailOf(2048),
		mails: 500,
		sessions: 10,
	});
	for (let warmUp = 0; warmUp < 200; warmUp++) {
		await listPage(list, other.key);
		await get(`http://127.0.0.1:${bare.port}/now`, '');
	}

	const before = await residentMegabytes(server.pid);
	let megabytes = 0;
	/** @type {number[]} */
	const times = [];
	/** @type {number[]} */
	const bareTimes = [];
	const {host, port} = server.smtp;
	const startedAt = performance.now();
	let seconds = Number.NaN;
	const sending = execa(process.execPath, [sender, host, String(port), server.to, String(mails)]).then(() => {
		seconds = (performance.now() - startedAt) / 1000;
	});
	// One second longer, for the work of the daemon after its 250.
	const over = sending.then(() => sleep(1000)).then(() => true);
	while (!(await Promise.race([over, sleep(10)]))) {
		times.push(await listPage(list, other.key));
		const askedAt = performance.now();
		bareTimes.push((await get(`http://127.0.0.1:${bare.port}/now`, '')).answeredAt - askedAt);
		megabytes = Math.max(megabytes, (await residentMegabytes(server.pid)) - before);
	}

	await bare.stop();
	await server.stop();
	return {
		megabytes,
		seconds,
		answers: times.length,
		slowest: Math.max(...times),
		p99: percentile(times, 0.99),
		bareSlowest: Math.max(...bareTimes),
	};
}
