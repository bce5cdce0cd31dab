import {figureAlone, inUnit} from '../figures.js';
import {NodeCluster} from '../servers/nodes.js';
import {percentile} from '../statistics.js';
import {deliveryRates} from './postgres/deliveries.js';
import {mailRates} from './postgres/mail.js';
import {millionStored} from './postgres/million.js';
import {wakeUpsApart} from './wake-up.js';

/**
 * Nodes on a durable PostgreSQL server on the same machine: received mail, wake-up across nodes, deliveries and a million
 * messages.
 * @type {import('../run.js').Bench}
 */
export async function onPostgres({progress}) {
	const cluster = await NodeCluster.start();
	try {
		return [
			...(await mailRates(cluster, progress)),
			...(await wakeUps(cluster)),
			...(await deliveryRates(cluster, progress)),
			...(await millionStored(cluster, progress)),
		];
	} finally {
		await cluster.stop();
	}
}

/**
 * Wake-up times with mail sent to one node and polls open at another.
 * @param {NodeCluster} cluster
 */
async function wakeUps(cluster) {
	const url = await cluster.createDatabase();
	const [waited, mailed] = [await cluster.startNode(url), await cluster.startNode(url)];
	const [across = [], same = []] = await wakeUpsApart([{...waited, smtp: mailed.smtp}, waited]);
	await Promise.all([waited.stop(), mailed.stop()]);
	const ms = inUnit('ms', 2);
	return [
		{name: 'across nodes', times: across, goal: {atMost: 10}},
		{name: 'at the same node', times: same},
	].flatMap(({name, times, goal}) => [
		figureAlone(`250 to answered poll on PostgreSQL, ${name}, p50`, {
			value: percentile(times, 0.5),
			show: ms,
			...(goal && {goal}),
		}),
		figureAlone(`250 to answered poll on PostgreSQL, ${name}, p99`, {value: percentile(times, 0.99), show: ms}),
	]);
}
