import {once} from 'node:events';
import {createServer} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import postgres from 'postgres';
import {askDatabase} from '../../../test/helpers/postgres-cluster.js';
import {SmtpSession} from '../../../test/helpers/smtp-session.js';
import {figureAlone, figureBeside, inUnit} from '../../figures.js';
import {mailOf} from '../../load/smtp-load.js';
import {createAccount, post} from '../../servers/start.js';
import {median} from '../../statistics.js';

const users = 5;
const endpointsPerUser = 10;
const warmUpMs = 20_000;
const withoutMs = 60_000;
const heldMs = 180_000;
const sliceMs = 10_000;

/** Number of compared slices: the last minute. */
const compared = 6;
const goal = 1500;

/** Pending deliveries at the start of each part: more than can be sent. A longer table would be slower. */
const waiting = (2 * goal * (warmUpMs + heldMs)) / 1000;

/**
 * Pending deliveries sent per second to receivers that respond immediately, with and without a session that holds an old
 * snapshot, which prevents the database from removing dead rows. No mail is received meanwhile.
 * @param {import('../../servers/nodes.js').NodeCluster} cluster
 * @param {(text: string) => void} progress
 * @returns {Promise<import('../../run.js').Figure[]>}
 */
export async function deliveryRates(cluster, progress) {
	const url = await cluster.createDatabase();
	const node = await cluster.startNode(url);
	const receiver = await startReceiver();
	await deliverToEachUser(node, receiver);
	let stored = 0;
	const begin = async () => {
		const left = stored - receiver.count();
		await copyDeliveries(url, waiting - left);
		stored += waiting - left;
		await sleep(warmUpMs);
	};
	await begin();
	const without = await slices(receiver, withoutMs, rate => progress(`one node: ${rate.toFixed(0)}/s`));
	await begin();
	const other = postgres(url, {max: 1, onnotice: () => {}});
	const held = await other.begin('isolation level repeatable read', async sql => {
		await sql`select count(*) from pg_class`;
		return slices(receiver, heldMs, rate => progress(`one node, old snapshot: ${rate.toFixed(0)}/s`));
	});
	await other.end();
	const second = await cluster.startNode(url);
	await begin();
	const two = await slices(receiver, withoutMs, rate => progress(`two nodes: ${rate.toFixed(0)}/s`));
	await Promise.all([node.stop(), second.stop()]);
	receiver.close();
	const to = `${users * endpointsPerUser} endpoints`;
	return [
		figureAlone(`deliveries a second, one node, ${to}`, {
			value: median(without),
			show: inUnit('/s'),
			goal: {atLeast: goal},
		}),
		figureBeside('deliveries a second in the third minute of an old snapshot', {
			ours: median(held.slice(-compared)),
			peer: 'without',
			theirs: median(without),
			show: inUnit('/s'),
			goal: {atLeast: 0.8},
		}),
		figureBeside(`deliveries a second, two nodes, ${to}`, {
			ours: median(two),
			peer: 'one node',
			theirs: median(without),
			show: inUnit('/s'),
		}),
	];
}

/**
 * Creates users with endpoints and sends each user a mail, which is delivered to all endpoints of the user.
 * @param {import('../../servers/start.js').Tinbox} node
 * @param {Receiver} receiver
 */
async function deliverToEachUser({url, dataDir, smtp}, receiver) {
	const session = await SmtpSession.open(smtp);
	for (let user = 0; user < users; user++) {
		const {key, inbox} = await createAccount(url, dataDir);
		for (let endpoint = 0; endpoint < endpointsPerUser; endpoint++) {
			await post(`${url}/webhooks`, {'x-api-key': key}, {url: receiver.url});
		}

		await session.send('bench@sender.test', inbox.email_address, mailOf(2048));
	}

	await session.quit();
	while (receiver.count() < users * endpointsPerUser) {
		await sleep(10);
	}
}

/**
 * Copies the existing deliveries until there are `count`, which is faster than sending mail. Each endpoint has one due delivery
 * per millisecond.
 * @param {string} url
 * @param {number} count
 */
async function copyDeliveries(url, count) {
	await askDatabase(
		url,
		`insert into tinbox.deliveries
			(id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, next_attempt_at, created_at, row)
		select
			copy.id, endpoint_id, user_id, nextval('tinbox.delivery_places'), body, body_id, weight, 0, 'pending', event,
			copy.due, created_at, row || jsonb_build_object(
				'id', copy.id, 'status', 'pending', 'attempts', 0, 'nextAttemptAt', copy.due, 'responseStatus', null
			)
		from (
			select distinct on (endpoint_id) * from tinbox.finished_deliveries order by endpoint_id, place
		) as sent cross join lateral (
			select gen_random_uuid()::text as id, to_char(
				now() at time zone 'utc' - interval '1 minute' + number * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
			) as due
			from generate_series(1, ${Math.ceil(count / (users * endpointsPerUser))}) as number where sent.id <> ''
		) as copy`,
	);
	await askDatabase(url, 'update tinbox.bodies set uses = 1000000000');
	await askDatabase(url, 'vacuum analyze tinbox.deliveries');
	await askDatabase(url, 'checkpoint');
}

/**
 * Requests per second in each slice of the time.
 * @param {Receiver} receiver
 * @param {number} ms
 * @param {(rate: number) => void} progress
 */
async function slices(receiver, ms, progress) {
	const rates = [];
	for (let slice = 0; slice < ms / sliceMs; slice++) {
		const [before, startedAt] = [receiver.count(), performance.now()];
		await sleep(sliceMs);
		const rate = ((receiver.count() - before) / (performance.now() - startedAt)) * 1000;
		rates.push(rate);
		progress(rate);
	}

	return rates;
}

/** @typedef {Awaited<ReturnType<typeof startReceiver>>} Receiver */

/** Accepts every request immediately and counts them. */
async function startReceiver() {
	let count = 0;
	const server = createServer((request, response) => {
		request.resume().on('end', () => {
			count++;
			response.end();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	return {
		url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
		count: () => count,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}
