import {createHash} from 'node:crypto';

/**
 * A model of faults, written from the documentation and independent of the implementation. A rule counts each matching
 * occasion by key, and then hits or passes. The first rule that hits decides.
 *
 * @typedef {import('../../../../src/contract/faults.js').CreateFault} CreateFault
 * @typedef {Pick<CreateFault, 'stage'> & {[Field in keyof CreateFault]?: NonNullable<CreateFault[Field]>}} FaultInput
 *
 * @typedef {object} Occasion
 * @property {FaultInput['stage']} stage
 * @property {string | null} user
 * @property {readonly string[]} inboxIds in the order of their recipients
 * @property {string | null} from
 * @property {readonly string[]} to
 * @property {string | null} helo
 * @property {string} [subject]
 * @property {string} [source] of the mail
 *
 * @typedef {object} ModelHit a hit of a rule
 * @property {Rule} rule
 * @property {Occasion} occasion
 * @property {string | RegExp | null} [expectedReply] reply of the rule, if it has one; a pattern if only half of it was received
 */

/** True if a rule with this seed and probability hits at occasion `n`, counted from 1. @typedef {(seed: number, probability: number, n: number) => boolean} Draws */

export class Rule {
	seen = 0;
	/** @type {ModelHit[]} */
	modelHits = [];
	/** @type {Map<string, {seen: number, passed: number, acted: number}>} */
	#counts = new Map();
	#draws;

	/**
	 * @param {string} id
	 * @param {string | null} inboxId null for faults of the daemon
	 * @param {FaultInput} input
	 * @param {Draws} draws
	 */
	constructor(id, inboxId, input, draws) {
		this.id = id;
		this.inboxId = inboxId;
		this.input = input;
		/** Reply of the rule in place of the usual one; undefined if it keeps that. */
		this.line = input.reply
			? whole(input.reply)
			: input.rate && input.drop !== 'after_commit'
				? /^450 4\.7\.1 \S.*$/
				: undefined;
		this.#draws = draws;
	}

	/**
	 * Counts the occasion and returns true if the rule hits.
	 * @param {Occasion} occasion
	 */
	evaluate(occasion) {
		if (!this.#matches(occasion)) {
			return false;
		}

		this.seen++;
		const key = this.#key(occasion);
		const count = this.#counts.get(key) ?? {seen: 0, passed: 0, acted: 0};
		this.#counts.set(key, count);
		count.seen++;
		const {after = 0, times = Number.POSITIVE_INFINITY, rate, probability, seed = 0} = this.input;
		// The time windows of rates are longer than a test, so that counts never expire.
		const passes =
			count.seen <= after ||
			(rate && count.passed < rate.count) ||
			(probability !== undefined && !this.#draws(seed, probability, count.seen)) ||
			count.acted >= times;
		count[passes ? 'passed' : 'acted']++;
		return !passes;
	}

	/** @param {Occasion} occasion */
	#matches({stage, user, from, to, subject}) {
		const {match = {}} = this.input;
		return (
			stage === this.input.stage &&
			fits(match.user, [user]) &&
			fits(match.from, [from]) &&
			fits(match.to, to) &&
			fits(match.subject, [subject])
		);
	}

	/** @param {Occasion} occasion */
	#key({to, source = ''}) {
		const {per} = this.input;
		if (per === 'recipient') {
			return String(to[0]).toLowerCase();
		}

		const [, messageId] = /^Message-ID: (.*)\r$/im.exec(source) ?? [];
		return per === 'message' ? (messageId ?? createHash('sha256').update(source, 'latin1').digest('hex')) : '';
	}
}

/**
 * Adds the enhanced status code X.0.0 if the reply has none.
 * @param {string} reply
 */
function whole(reply) {
	return /^\d{3} \d\.\d/.test(reply) ? reply : `${reply.slice(0, 3)} ${reply[0]}.0.0 ${reply.slice(4)}`;
}

/**
 * True if a value contains the pattern without regard to case, or matches it as a regular expression.
 * @param {string | undefined} pattern
 * @param {ReadonlyArray<string | null | undefined>} values
 */
function fits(pattern, values) {
	if (pattern === undefined) {
		return true;
	}

	const [, source, flags] = /^\/(.+)\/(i?)$/.exec(pattern) ?? [];
	return values.some(value =>
		source === undefined
			? value?.toLowerCase().includes(pattern.toLowerCase())
			: typeof value === 'string' && new RegExp(source, flags).test(value),
	);
}

/**
 * Evaluates the rules at an occasion and records the hit.
 * @param {readonly Rule[]} rules of one world, in order of creation
 * @param {Occasion} occasion
 * @returns {ModelHit | undefined}
 */
export function evaluateRules(rules, occasion) {
	const candidates = [...occasion.inboxIds, null].flatMap(id => rules.filter(({inboxId}) => inboxId === id));
	const rule = candidates.find(candidate => candidate.evaluate(occasion));
	const hit = rule && {rule, occasion};
	rule?.modelHits.push(/** @type {ModelHit} */ (hit));
	return hit;
}
