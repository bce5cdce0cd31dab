import {setTimeout as sleep} from 'node:timers/promises';
import {Deviation} from './session.js';

/**
 * @typedef {import('../client.js').Client} Client
 * @typedef {import('./model.js').Rule} Rule
 * @typedef {import('./model.js').ModelHit} ModelHit
 */

/** Timeout for counts that are written after the reply. */
const patienceMs = 10_000;

/** Number of newest hits that an inbox keeps. */
const maxHits = 1000;

/** The path of the faults of an inbox or of the daemon. @param {string | null} inboxId */
export function faultsOf(inboxId) {
	return inboxId === null ? '/faults' : `/inboxes/${inboxId}/faults`;
}

/** @param {Rule} rule */
export function pathOf({id, inboxId}) {
	return `${faultsOf(inboxId)}/${id}`;
}

/**
 * Throws a `Deviation` unless an inbox has the expected messages in order, and all hits of its current and deleted rules.
 * @param {Client} client
 * @param {import('./world.js').Inbox} inbox
 * @param {readonly Rule[]} rules
 */
export async function verifyInbox(client, {id, address, stored}, rules) {
	const there = await client.messages({id, address});
	const shape = (/** @type {any} */ {subject, envelope: {from, to}, to: first}) => ({subject, from, to, first});
	same(`mails of ${address}`, there.map(shape).reverse(), stored);
	const {total} = await client.json('GET', `${faultsOf(id)}/hits?limit=1`);
	const hits = rules.reduce((sum, {modelHits}) => sum + modelHits.length, 0);
	same(`hits of ${address}`, total, Math.min(hits, maxHits));
}

/**
 * Throws a `Deviation` unless the counts and the newest 100 hits of a rule equal the model.
 * @param {Client} client
 * @param {string} path
 * @param {Rule} rule
 */
export async function verifyRule(client, path, {seen, modelHits}) {
	await client.json(
		'GET',
		`${path}/hits?limit=1&count=${Math.max(1, modelHits.length)}&wait=${modelHits.length > 0 ? 10 : 0}`,
	);
	const {hits, total} = await client.json('GET', `${path}/hits?limit=100`);
	const startedAt = performance.now();
	let fault = await client.json('GET', path);
	while (fault.seen < seen && performance.now() - startedAt < patienceMs) {
		await sleep(20);
		fault = await client.json('GET', path);
	}

	const counts = {seen: fault.seen, hits: fault.hit_count, total};
	same(`counts of ${JSON.stringify(fault)}`, counts, {seen, hits: modelHits.length, total: modelHits.length});
	const newest = modelHits.slice(-100);
	const facts = hits.reverse().map(factsOf);
	const expected = newest.map((hit, index) => expectedFacts(hit, facts[index]?.reply));
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
 * @param {ModelHit} hit
 * @param {string | null} reply recorded reply, if the expected one is a pattern
 * @returns {ReturnType<typeof factsOf>}
 */
function expectedFacts({occasion: {stage, user, helo, from, to}, expectedReply = null, rule: {input, line}}, reply) {
	const {drop = null, delay_ms: delay = 0} = input;
	const isLike = expectedReply instanceof RegExp && expectedReply.test(reply ?? '');
	const isKept = drop === 'after_commit' || (stage === 'end' && drop === 'mid' && line === undefined);
	return {
		stage,
		user,
		helo,
		from,
		to,
		reply: isLike ? reply : expectedReply && String(expectedReply),
		drop,
		delay,
		isKept,
	};
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
