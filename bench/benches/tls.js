import {figureBeside, inUnit} from '../figures.js';
import {mailOf, sendSideBySide} from '../load/smtp-load.js';
import {atRest, cpuMs} from '../process.js';
import {findMailpit} from '../servers/peers.js';
import {assertHolds, certificateOf, startTinbox} from '../servers/start.js';
import {median} from '../statistics.js';
import {rotated} from '../turns.js';

const turns = 3;
const warmUp = {mails: 1000, clients: 10, isReused: true};
const mail = mailOf(2048);
const loads = [
	{what: '10 reused connections', mails: 2000, clients: 10, isReused: true},
	{what: 'one session per mail, 10 at once', mails: 500, clients: 10, isReused: false},
];
const mailsPerTurn = loads.reduce((sum, {mails}) => sum + mails, 0);

/**
 * @typedef {import('../../test/helpers/smtp-session.js').Address} Address
 * @typedef {import('../servers/start.js').Server} Server
 * @typedef {import('../figures.js').Goal} Goal
 * @typedef {{name: string, server: Server, address: Address}} Way a way to send mail
 *
 * @typedef {object} Cost of a mail
 * @property {number} rate mails a second
 * @property {number} p50 milliseconds
 * @property {number} cpu milliseconds of CPU time, of the server
 *
 * @typedef {Map<string, Cost[][]>} Costs by way and load, one for each turn
 */

/** Compared measures. Greater is better only for mails per second. */
const measures = /** @type {const} */ ([
	{of: 'rate', what: 'mails', show: inUnit('/s')},
	{of: 'p50', what: 'p50', show: inUnit('ms', 2)},
	{of: 'cpu', what: 'CPU time of a mail', show: inUnit('ms', 2)},
]);

/** A login may cost 10 %. @type {Partial<Record<keyof Cost, Goal>>} */
const loginGoals = {rate: {atLeast: 0.9}, cpu: {atMost: 1.1}};

/**
 * Mail of 2 KB without TLS, by STARTTLS, by implicit TLS and with the login of an inbox, compared with each other and with two
 * instances of Mailpit, which offers either STARTTLS or implicit TLS. All servers use the same certificate, run at the same time
 * and are measured in turns.
 * @type {import('../run.js').Bench}
 */
export async function tls({runs, progress}) {
	/** @type {Costs} */
	const costs = new Map();
	for (let run = 0; run < runs; run++) {
		/** @type {Server[]} */
		const servers = [];
		try {
			const ways = await startWays(servers);
			for (const {address, server} of ways) {
				await sendSideBySide(address, {...warmUp, recipients: server.recipients, mail});
			}

			for (let turn = 0; turn < turns; turn++) {
				for (const way of rotated(ways, run + turn)) {
					const measured = await measure(way);
					progress(`${way.name}: ${measured.map(cost => measures.map(({of, show}) => show(cost[of]))).join(' | ')}`);
					costs.set(way.name, [...(costs.get(way.name) ?? []), measured]);
				}
			}

			await assertStored(ways);
		} finally {
			await Promise.all(servers.map(server => server.stop()));
		}
	}

	return [
		...['STARTTLS', 'implicit TLS'].flatMap(name => rowsBeside(name, costs, 'in the clear')),
		...rowsBeside('login PLAIN', costs, 'in the clear', loginGoals),
		...['in the clear', 'STARTTLS', 'implicit TLS'].flatMap(name => rowsBeside(name, costs, `Mailpit ${name}`)),
	];
}

/** @param {Server[]} servers started servers are added */
async function startWays(servers) {
	const tinbox = await startTinbox();
	servers.push(tinbox);
	/** @type {Way[]} */
	const ways = [
		{name: 'in the clear', server: tinbox, address: tinbox.smtp},
		{name: 'STARTTLS', server: tinbox, address: {...tinbox.smtp, secure: 'starttls'}},
		{name: 'implicit TLS', server: tinbox, address: {...(tinbox.smtps ?? tinbox.smtp), secure: 'implicit'}},
		{name: 'login PLAIN', server: tinbox, address: {...tinbox.smtp, login: tinbox.login}},
	];
	const start = await findMailpit();
	if (start) {
		const {cert, key} = await certificateOf(tinbox.dataDir);
		const flags = ['--smtp-tls-cert', cert, '--smtp-tls-key', key];
		const starttls = await start(...flags);
		servers.push(starttls);
		const implicit = await start(...flags, '--smtp-require-tls');
		servers.push(implicit);
		ways.push(
			{name: 'Mailpit in the clear', server: starttls, address: starttls.smtp},
			{name: 'Mailpit STARTTLS', server: starttls, address: {...starttls.smtp, secure: 'starttls'}},
			{name: 'Mailpit implicit TLS', server: implicit, address: {...implicit.smtp, secure: 'implicit'}},
		);
	}

	return ways;
}

/**
 * @param {Way} way
 * @returns {Promise<Cost[]>} costs by load
 */
async function measure({address, server: {recipients, pid}}) {
	const costs = [];
	for (const load of loads) {
		const before = await cpuMs(pid);
		const {rate, times} = await sendSideBySide(address, {...load, recipients, mail});
		await atRest(pid);
		costs.push({rate, p50: median(times), cpu: ((await cpuMs(pid)) - before) / load.mails});
	}

	return costs;
}

/**
 * Throws when a server lacks mail that it acknowledged.
 * @param {readonly Way[]} ways
 */
async function assertStored(ways) {
	for (const server of new Set(ways.map(way => way.server))) {
		const sent = ways.filter(way => way.server === server).length * (warmUp.mails + turns * mailsPerTurn);
		await assertHolds(server, sent);
	}
}

/**
 * @param {string} name
 * @param {Costs} costs
 * @param {string} peer
 * @param {Partial<Record<keyof Cost, Goal>>} [goals]
 */
function rowsBeside(name, costs, peer, goals = {}) {
	const [ours, theirs] = [costs.get(name) ?? [], costs.get(peer)];
	if (!theirs) {
		return [{what: name, tinbox: '', peer: `${peer} not found`}];
	}

	return loads.flatMap((load, index) =>
		measures.map(({of, what, show}) => {
			const medianOf = (/** @type {Cost[][]} */ turns) => median(turns.map(turn => turn[index]?.[of] ?? Number.NaN));
			const goal = goals[of];
			return figureBeside(`${name}, ${load.what}: ${what}`, {
				...{ours: medianOf(ours), peer, theirs: medianOf(theirs), show},
				...(goal && {goal}),
			});
		}),
	);
}
