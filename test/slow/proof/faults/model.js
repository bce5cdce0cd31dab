import {createHash} from 'node:crypto';

/**
 * What must happen under rules, told from how they are documented and from nothing that is built: a rule counts each
 * occasion that it matches under its key, and acts or lets it pass; of those asked, the first that acts is it.
 *
 * @typedef {import('../../../../src/contract/faults.js').CreateFault} CreateFault
 * @typedef {Pick<CreateFault, 'stage'> & {[Field in keyof CreateFault]?: NonNullable<CreateFault[Field]>}} Asked
 *
 * @typedef {object} Occasion
 * @property {Asked['stage']} stage
 * @property {string | null} user
 * @property {readonly string[]} inboxIds in the order of the recipients that lead there
 * @property {string | null} from
 * @property {readonly string[]} to
 * @property {string | null} helo
 * @property {string} [subject]
 * @property {string} [source] of the mail
 *
 * @typedef {object} Act what a rule did
 * @property {Rule} rule
 * @property {Occasion} occasion
 * @property {string | RegExp | null} [told] the line of its own, if it told any, or what that is like where half of it was heard
 */

/** Whether a rule with this seed and probability acts at the occasion with this number, from 1. @typedef {(seed: number, probability: number, n: number) => boolean} Draws */

export class Rule {
	seen = 0;
	/** @type {Act[]} */
	acts = [];
	/** @type {Map<string, {seen: number, passed: number, acted: number}>} */
	#counts = new Map();
	#draws;

	/**
	 * @param {string} id
	 * @param {string | null} inboxId null for the daemon's
	 * @param {Asked} asked
	 * @param {Draws} draws
	 */
	constructor(id, inboxId, asked, draws) {
		this.id = id;
		this.inboxId = inboxId;
		this.asked = asked;
		/** What is told instead of the usual reply, if anything is. */
		this.line = asked.reply
			? whole(asked.reply)
			: asked.rate && asked.drop !== 'after_commit'
				? /^450 4\.7\.1 \S.*$/
				: undefined;
		this.#draws = draws;
	}

	/**
	 * Counts the occasion, and tells whether the rule acts.
	 * @param {Occasion} occasion
	 */
	meet(occasion) {
		if (!this.#matches(occasion)) {
			return false;
		}

		this.seen++;
		const key = this.#key(occasion);
		const count = this.#counts.get(key) ?? {seen: 0, passed: 0, acted: 0};
		this.#counts.set(key, count);
		count.seen++;
		const {after = 0, times = Number.POSITIVE_INFINITY, rate, probability, seed = 0} = this.asked;
		// Rates are over hours here: what was let pass stays within them.
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
		const {match = {}} = this.asked;
		return (
			stage === this.asked.stage &&
			fits(match.user, [user]) &&
			fits(match.from, [from]) &&
			fits(match.to, to) &&
			fits(match.subject, [subject])
		);
	}

	/** @param {Occasion} occasion */
	#key({to, source = ''}) {
		const {per} = this.asked;
		if (per === 'recipient') {
			return String(to[0]).toLowerCase();
		}

		const [, messageId] = /^Message-ID: (.*)\r$/im.exec(source) ?? [];
		return per === 'message' ? (messageId ?? createHash('sha256').update(source, 'latin1').digest('hex')) : '';
	}
}

/**
 * With an enhanced code, which is X.0.0 where none is given.
 * @param {string} reply
 */
function whole(reply) {
	return /^\d{3} \d\.\d/.test(reply) ? reply : `${reply.slice(0, 3)} ${reply[0]}.0.0 ${reply.slice(4)}`;
}

/**
 * Whether one of the values is as a pattern says: a part of it without case, or what a regular expression finds.
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
 * What acts at an occasion, which is noted.
 * @param {readonly Rule[]} rules of one world, in order of creation
 * @param {Occasion} occasion
 * @returns {Act | undefined}
 */
export function meet(rules, occasion) {
	const asked = [...occasion.inboxIds, null].flatMap(id => rules.filter(({inboxId}) => inboxId === id));
	const rule = asked.find(one => one.meet(occasion));
	const act = rule && {rule, occasion};
	rule?.acts.push(/** @type {Act} */ (act));
	return act;
}
