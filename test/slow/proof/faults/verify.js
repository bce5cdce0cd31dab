import {setTimeout as sleep} from 'node:timers/promises';
import {Deviation} from './talk.js';

/**
 * @typedef {import('../client.js').Client} Client
 * @typedef {import('./model.js').Rule} Rule
 * @typedef {import('./model.js').Act} Act
 */

/** How long it may take until what is told later than the reply is shown. */
const patienceMs = 10_000;

/** Of an inbox, the newest, that are kept. */
const mostHits = 1000;

/** The path of an inbox's faults, or of the daemon's. @param {string | null} inboxId */
export function faultsOf(inboxId) {
	return inboxId === null ? '/faults' : `/inboxes/${inboxId}/faults`;
}

/** @param {Rule} rule */
export function pathOf({id, inboxId}) {
	return `${faultsOf(inboxId)}/${id}`;
}

/**
 * Throws a `Deviation` unless an inbox has the mails that it must have, in order, and all hits of the rules that it has or had.
 * @param {Client} client
 * @param {import('./world.js').Inbox} inbox
 * @param {readonly Rule[]} rules
 */
export async function verifyInbox(client, {id, address, stored}, rules) {
	const there = await client.messages({id, address});
	const shape = (/** @type {any} */ {subject, envelope: {from, to}, to: first}) => ({subject, from, to, first});
	same(`mails of ${address}`, there.map(shape).reverse(), stored);
	const {total} = await client.json('GET', `${faultsOf(id)}/hits?limit=1`);
	const hits = rules.reduce((sum, {acts}) => sum + acts.length, 0);
	same(`hits of ${address}`, total, Math.min(hits, mostHits));
}

/**
 * Throws a `Deviation` unless the counts and the hits of a rule, the newest 100 of them, are what they must be.
 * @param {Client} client
 * @param {string} path
 * @param {Rule} rule
 */
export async function verifyRule(client, path, {seen, acts}) {
	await client.json('GET', `${path}/hits?limit=1&count=${Math.max(1, acts.length)}&wait=${acts.length > 0 ? 10 : 0}`);
	const {hits, total} = await client.json('GET', `${path}/hits?limit=100`);
	const startedAt = performance.now();
	let fault = await client.json('GET', path);
	while (fault.seen < seen && performance.now() - startedAt < patienceMs) {
		await sleep(20);
		fault = await client.json('GET', path);
	}

	const counts = {seen: fault.seen, hits: fault.hit_count, total};
	same(`counts of ${JSON.stringify(fault)}`, counts, {seen, hits: acts.length, total: acts.length});
	const newest = acts.slice(-100);
	const facts = hits.reverse().map(factsOf);
	const expected = newest.map((act, index) => expectedFacts(act, facts[index]?.reply));
	for (const [index, hit] of facts.entries()) {
		same(`hit ${index} of ${JSON.stringify(fault)}`, hit, expected[index]);
	}
}

/** @param {any} hit */
function factsOf(hit) {
	return {
		stage: hit.stage,
		user: hit.user,
		helo: hit.client.helo,
		from: hit.envelope.from,
		to: hit.envelope.to,
		reply: hit.reply,
		drop: hit.drop,
		delay: hit.delay_ms,
		isKept: hit.message_id !== null,
	};
}

/**
 * @param {Act} act
 * @param {string | null} reply that is noted, which may be any that is like what must be told
 * @returns {ReturnType<typeof factsOf>}
 */
function expectedFacts({occasion: {stage, user, helo, from, to}, told = null, rule: {asked, line}}, reply) {
	const {drop = null, delay_ms: delay = 0} = asked;
	const isLike = told instanceof RegExp && told.test(reply ?? '');
	const isKept = drop === 'after_commit' || (stage === 'end' && drop === 'mid' && line === undefined);
	return {stage, user, helo, from, to, reply: isLike ? reply : told && String(told), drop, delay, isKept};
}

/**
 * @param {string} what
 * @param {unknown} found
 * @param {unknown} expected
 */
function same(what, found, expected) {
	if (JSON.stringify(found) !== JSON.stringify(expected)) {
		throw new Deviation(`${what}: ${JSON.stringify(found)}\n but expected: ${JSON.stringify(expected)}`);
	}
}
