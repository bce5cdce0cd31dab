import {figureAlone, figureBeside, inUnit} from '../../figures.js';
import {mailOf, sendReused} from '../../load/smtp-load.js';
import {atRest, cpuMs} from '../../process.js';
import {startTinbox} from '../../servers/start.js';
import {median, spread} from '../../statistics.js';
import {rotated} from '../../turns.js';

const turns = 5;
const sessions = 20;
const load = {mail: mailOf(2048), mails: 3000};
const warmUpMails = 6000;

/** Reached on a machine with two cores that are shared with the server and the senders. */
const goal = 1000;

/**
 * @typedef {import('../../servers/start.js').Tinbox} Tinbox
 * @typedef {import('../../servers/nodes.js').NodeCluster} NodeCluster
 *
 * @typedef {object} Turn
 * @property {number} rate mails a second
 * @property {number} nodeCpu milliseconds a mail, of all its nodes
 * @property {number} serverCpu milliseconds a mail
 * @property {number} walBytes a mail
 *
 * @typedef {{name: string, nodes: readonly Tinbox[], turns: Turn[]}} Side
 */

/**
 * Durable mails of 2 KB per second over twenty connections: a daemon with files, one node on PostgreSQL, and two nodes. They run
 * at the same time and are measured in turns.
 * @param {NodeCluster} cluster
 * @param {(text: string) => void} progress
 * @returns {Promise<import('../../run.js').Figure[]>}
 */
export async function mailRates(cluster, progress) {
	const [alone, shared] = [await cluster.createDatabase(), await cluster.createDatabase()];
	const files = await startTinbox();
	const oneNode = [await cluster.startNode(alone)];
	const twoNodes = [await cluster.startNode(shared), await cluster.startNode(shared)];
	/** @type {Side[]} */
	const sides = [
		{name: 'files', nodes: [files], turns: []},
		{name: 'one node', nodes: oneNode, turns: []},
		{name: 'two nodes', nodes: twoNodes, turns: []},
	];
	for (const {nodes} of sides) {
		await send(nodes, warmUpMails);
	}

	for (let turn = 0; turn < turns; turn++) {
		for (const side of rotated(sides, turn)) {
			side.turns.push(await measure(cluster, side.nodes));
			progress(`${side.name}: ${JSON.stringify(side.turns.at(-1))}`);
		}
	}

	await Promise.all([files, ...oneNode, ...twoNodes].map(node => node.stop()));
	const [onFiles, ...onPostgres] = sides;
	return onPostgres.flatMap(side => rowsOf(side, onFiles?.turns ?? []));
}

/**
 * @param {Side} side
 * @param {readonly Turn[]} onFiles
 */
function rowsOf({name, turns}, onFiles) {
	const rates = turns.map(({rate}) => rate);
	const middle = (/** @type {keyof Turn} */ key) => median(turns.map(turn => turn[key]));
	const what = `2 KB mails on PostgreSQL, ${name}, ${sessions} connections`;
	return [
		{...figureAlone(what, {value: median(rates), show: inUnit('/s'), goal: {atLeast: goal}}), peer: spread(rates)},
		figureBeside(`${what}: beside files`, {
			ours: median(rates),
			peer: 'files',
			theirs: median(onFiles.map(({rate}) => rate)),
			show: inUnit('/s'),
		}),
		figureBeside(`${what}: CPU time of a mail, all nodes`, {
			ours: middle('nodeCpu'),
			peer: 'files',
			theirs: median(onFiles.map(({nodeCpu}) => nodeCpu)),
			show: inUnit('ms', 2),
		}),
		figureAlone(`${what}: CPU time of a mail, server`, {value: middle('serverCpu'), show: inUnit('ms', 2)}),
		figureAlone(`${what}: written ahead a mail`, {value: middle('walBytes'), show: inUnit('bytes')}),
	];
}

/**
 * @param {NodeCluster} cluster
 * @param {readonly Tinbox[]} nodes
 * @returns {Promise<Turn>}
 */
async function measure(cluster, nodes) {
	const before = await spent(cluster, nodes);
	const rate = await send(nodes, load.mails);
	await Promise.all(nodes.map(({pid}) => atRest(pid)));
	const after = await spent(cluster, nodes);
	return {
		rate,
		nodeCpu: (after.nodeCpu - before.nodeCpu) / load.mails,
		serverCpu: (after.serverCpu - before.serverCpu) / load.mails,
		walBytes: (after.walBytes - before.walBytes) / load.mails,
	};
}

/**
 * @param {NodeCluster} cluster
 * @param {readonly Tinbox[]} nodes
 */
async function spent(cluster, nodes) {
	const times = await Promise.all(nodes.map(({pid}) => cpuMs(pid)));
	return {
		nodeCpu: times.reduce((sum, time) => sum + time, 0),
		serverCpu: await cluster.serverCpuMs(),
		walBytes: await cluster.walBytes(),
	};
}

/**
 * Sends mails to the nodes in turn.
 * @param {readonly Tinbox[]} nodes
 * @param {number} mails
 * @returns {Promise<number>} mails a second
 */
async function send(nodes, mails) {
	const startedAt = performance.now();
	await Promise.all(
		nodes.map(({smtp, recipients}) =>
			sendReused(smtp, {
				mail: load.mail,
				recipients,
				mails: mails / nodes.length,
				sessions: sessions / nodes.length,
			}),
		),
	);
	return (mails / (performance.now() - startedAt)) * 1000;
}
