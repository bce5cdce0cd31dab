import {mailOf, sendOneShot, sendReused} from '../load/smtp-load.js';
import {startBareSmtp, startMaildev, startTinbox} from '../servers/start.js';
import {median, percentile} from '../statistics.js';

const kinds = [startTinbox, startBareSmtp, startMaildev];
const mail = mailOf(2048);

/** Beside the 2 KB of the goals. */
const largerMails = [
	{what: '50 KB', mail: mailOf(50_000), mails: 2000},
	{what: '5 MB', mail: mailOf(5_000_000), mails: 40},
];

/**
 * Mail in: ten reused connections, and sessions of one mail each. The servers take turns, so that whatever else the
 * machine does meets all of them.
 * @type {import('../run.js').Bench}
 */
export async function ingest({runs, progress}) {
	/** @type {Map<string, {reused: number[], oneShot: number[], larger: number[][]}>} */
	const results = new Map();
	for (let run = 0; run < runs; run++) {
		for (const start of kinds) {
			const server = await start();
			const {name, smtp, to} = server;
			const of = results.get(name) ?? {reused: [], oneShot: [], larger: largerMails.map(() => [])};
			results.set(name, of);
			await sendReused(smtp, {to, mail, mails: 3000, sessions: 10});
			of.reused.push(await sendReused(smtp, {to, mail, mails: 10_000, sessions: 10}));
			of.oneShot.push(percentile(await sendOneShot(smtp, {to, mail, mails: 50}), 0.5));
			for (const [index, {mail, mails}] of largerMails.entries()) {
				of.larger[index]?.push(await sendReused(smtp, {to, mail, mails, sessions: 10}));
			}

			await server.stop();
			progress(`${name}: ${Math.round(of.reused.at(-1) ?? 0)} mails/s, one-shot ${of.oneShot.at(-1)?.toFixed(2)} ms`);
		}
	}

	const reused = (/** @type {string} */ name) => median(results.get(name)?.reused ?? []);
	const oneShot = (/** @type {string} */ name) => median(results.get(name)?.oneShot ?? []);
	const larger = (/** @type {string} */ name, /** @type {number} */ index) =>
		median(results.get(name)?.larger[index] ?? []);
	const rate = (/** @type {number} */ value) => `${Math.round(value)}/s`;
	const ms = (/** @type {number} */ value) => `${value.toFixed(2)} ms`;
	return [
		{
			what: '2 KB mails, 10 reused connections',
			tinbox: rate(reused('tinbox')),
			peer: `bare smtp-server ${rate(reused('bare smtp-server'))}`,
			ratio: reused('tinbox') / reused('bare smtp-server'),
			goal: {atLeast: 0.5},
		},
		{
			what: '2 KB mails, 10 reused connections',
			tinbox: rate(reused('tinbox')),
			peer: `MailDev 3 ${rate(reused('MailDev 3'))}`,
			ratio: reused('tinbox') / reused('MailDev 3'),
			goal: {atLeast: 3},
		},
		{
			what: 'one session per mail, p50',
			tinbox: ms(oneShot('tinbox')),
			peer: `MailDev 3 ${ms(oneShot('MailDev 3'))}`,
			ratio: oneShot('MailDev 3') / oneShot('tinbox'),
			goal: {atLeast: 10},
		},
		...largerMails.map(({what}, index) => ({
			what: `${what} mails, 10 reused connections`,
			tinbox: rate(larger('tinbox', index)),
			peer: `bare smtp-server ${rate(larger('bare smtp-server', index))}, MailDev 3 ${rate(larger('MailDev 3', index))}`,
			ratio: larger('tinbox', index) / larger('bare smtp-server', index),
		})),
	];
}
