/**
 * @typedef {object} Judged the counts of a suite that decide about success
 * @property {readonly string[]} problems counts that must be zero
 * @property {readonly string[]} [proofs] counts that must not be zero
 */

/**
 * Prints one line with the result of a suite for the product.
 * @param {string} name
 * @param {Judged} suite
 * @param {{counts: object, seconds: number, tolerated?: readonly string[]}} run `tolerated` are problems to ignore
 * @returns {boolean} true for success
 */
export function printVerdict(name, {problems, proofs = []}, {counts, seconds, tolerated = []}) {
	const counted = new Map(Object.entries(counts));
	const missing = proofs.filter(proof => !(counted.get(proof) > 0)).map(proof => `nothing ${proof}`);
	const bad = [...problemsIn(problems, counts).filter(problem => !tolerated.includes(problem)), ...missing];
	const verdict = bad.length === 0 ? 'fine' : `PROBLEMS: ${bad.join(', ')}`;
	console.log(`${name}: ${verdict} in ${seconds} s ${JSON.stringify(counts)}`);
	return bad.length === 0;
}

/**
 * Prints one line with the result of a suite for a variant that is wrong on purpose.
 * @param {string} name
 * @param {Judged} suite
 * @param {object} counts
 * @returns {boolean} true if the suite detected it
 */
export function printDetection(name, {problems}, counts) {
	const found = problemsIn(problems, counts);
	const caught = found.length > 0 ? `found by: ${found.join(', ')}` : 'NOT FOUND';
	console.log(`${name}: the wrong variant was ${caught} ${JSON.stringify(counts)}`);
	return found.length > 0;
}

/**
 * Problems with a count other than zero.
 * @param {readonly string[]} problems
 * @param {object} counts
 */
export function problemsIn(problems, counts) {
	const found = new Map(Object.entries(counts));
	return problems.filter(name => found.get(name) !== 0);
}
