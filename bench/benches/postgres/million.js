import {askDatabase} from '../../../test/helpers/postgres-cluster.js';
import {figureAlone, figureBeside, inUnit} from '../../figures.js';
import {listPage, wakeUpTimes} from '../../load/api-load.js';
import {mailOf, sendReused} from '../../load/smtp-load.js';
import {median, percentile} from '../../statistics.js';

const stored = 1_000_000;
const pages = 200;
const pageSize = 20;
const turns = 5;
const batch = {mail: mailOf(2048), mails: 2000, sessions: 20};
const flags = ['--max-messages', '3000000/3000000'];
const what = '1,000,000 stored on PostgreSQL';

/**
 * An inbox with a million messages: pages of its list, a wait, and the cost of the next mail compared with an empty database.
 * @param {import('../../servers/nodes.js').NodeCluster} cluster
 * @param {(text: string) => void} progress
 * @returns {Promise<import('../../run.js').Figure[]>}
 */
export async function millionStored(cluster, progress) {
	const [fullUrl, emptyUrl] = [await cluster.createDatabase(), await cluster.createDatabase()];
	const full = await cluster.startNode(fullUrl, ...flags);
	const empty = await cluster.startNode(emptyUrl, ...flags);
	await sendReused(full.smtp, {...batch, recipients: full.recipients, mails: 1, sessions: 1});
	await copyMessage(fullUrl, full.inboxId);
	await sendReused(full.smtp, {...batch, recipients: full.recipients, mails: pages * pageSize});
	progress(`${stored} messages`);
	const anywhere = (/** @type {number} */ turn) => Math.floor((stored / pageSize) * (turn / (pages + 1)));
	const first = await timesOf(full, turn => `page=${turn}`);
	const deep = await timesOf(full, turn => `page=${anywhere(turn)}`);
	const summaries = await timesOf(full, turn => `fields=summary&page=${turn}`);
	const deepSummaries = await timesOf(full, turn => `fields=summary&page=${anywhere(turn)}`);
	progress(`pages: ${[first, deep, summaries, deepSummaries].map(times => median(times).toFixed(1)).join(', ')} ms`);
	const wakeUps = await wakeUpTimes(full, {polls: 1, rounds: 200, warmUp: 20});
	/** @type {number[]} */
	const costs = [];
	/** @type {number[]} */
	const emptyCosts = [];
	for (let turn = 0; turn <= turns; turn++) {
		const [cost, emptyCost] = [await nextMail(full), await nextMail(empty)];
		// The first turn is a warm-up.
		if (turn > 0) {
			costs.push(cost);
			emptyCosts.push(emptyCost);
		}
	}

	await Promise.all([full.stop(), empty.stop()]);
	const ms = inUnit('ms', 1);
	return [
		...pageFigures('list page of 20', summaries, {atMost: 15}),
		...pageFigures('list page of 20 anywhere', deepSummaries, {atMost: 15}),
		...pageFigures('list page of 20 whole messages, none read before', first),
		...pageFigures('list page of 20 whole messages anywhere', deep),
		figureAlone(`${what}: 250 to answered wait, p50`, {value: median(wakeUps), show: ms}),
		figureAlone(`${what}: 250 to answered wait, p99`, {value: percentile(wakeUps, 0.99), show: ms}),
		figureBeside(`${what}: cost of the next mail, ${batch.sessions} connections`, {
			ours: median(costs),
			peer: 'empty database',
			theirs: median(emptyCosts),
			show: inUnit('ms', 3),
			goal: {atMost: 1.2},
		}),
	];
}

/**
 * Figures of list pages, which contain summaries.
 * @param {string} page
 * @param {readonly number[]} times
 * @param {{atMost: number}} [goal] goal of the slowest page
 */
function pageFigures(page, times, goal) {
	const ms = inUnit('ms', 1);
	return [
		figureAlone(`${what}: ${page}, p50`, {value: median(times), show: ms}),
		figureAlone(`${what}: ${page}, p99`, {value: percentile(times, 0.99), show: ms, ...(goal && {goal})}),
	];
}

/**
 * Copies the only message of an inbox a million times, with unique ids and the same source, which is faster than sending mail.
 * @param {string} url
 * @param {string} inboxId
 */
async function copyMessage(url, inboxId) {
	const statements = `
		insert into tinbox.messages (inbox_id, place, id, source_id, latest_at, weight, row)
		select inbox_id, place + copy.number, copy.id, source_id, latest_at, weight, (row::jsonb || jsonb_build_object('id', copy.id))::json
		from tinbox.messages, (
			select number, gen_random_uuid()::text as id from generate_series(1, ${stored - 1}) as number
		) as copy
		where inbox_id = '${inboxId}';
		update tinbox.sources set uses = ${stored};
		update tinbox.users set messages = messages * ${stored}, bytes = bytes * ${stored};
		update tinbox.inboxes
		set messages = ${stored}, last_place = last_place + ${stored - 1}
		where id = '${inboxId}';
		vacuum analyze tinbox.messages;`;
	for (const statement of statements.split(';').filter(text => text.trim() !== '')) {
		await askDatabase(url, statement);
	}
}

/**
 * Milliseconds of each page.
 * @param {import('../../servers/start.js').Tinbox} node
 * @param {(turn: number) => string} queryOf
 */
async function timesOf({url, inboxId, key}, queryOf) {
	const times = [];
	for (let turn = 1; turn <= pages; turn++) {
		times.push(await listPage(`${url}/inboxes/${inboxId}/messages?${queryOf(turn)}`, key));
	}

	return times;
}

/**
 * Milliseconds per mail.
 * @param {import('../../servers/start.js').Tinbox} node
 */
async function nextMail({smtp, recipients}) {
	return 1000 / (await sendReused(smtp, {...batch, recipients}));
}
