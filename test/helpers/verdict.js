/**
 * @typedef {object} Judged a suite, as far as its counts are judged
 * @property {readonly string[]} problems the counts that must be zero
 * @property {readonly string[]} [proofs] the counts that must not
 */

/**
 * Prints one line about what a suite found in the product.
 * @param {string} name
 * @param {Judged} suite
 * @param {{counts: object, seconds: number, tolerated?: readonly string[]}} run with the problems that do not matter in it
 * @returns {boolean} whether it is as it should be
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
 * Prints one line about what a suite found in something wrong on purpose.
 * @param {string} name
 * @param {Judged} suite
 * @param {object} counts
 * @returns {boolean} whether it was found
 */
export function printCatch(name, {problems}, counts) {
	const found = problemsIn(problems, counts);
	const caught = found.length > 0 ? `found by: ${found.join(', ')}` : 'NOT FOUND';
	console.log(`${name}: the wrong variant was ${caught} ${JSON.stringify(counts)}`);
	return found.length > 0;
}

/**
 * The problems that were found.
 * @param {readonly string[]} problems
 * @param {object} counts
 */
export function problemsIn(problems, counts) {
	const found = new Map(Object.entries(counts));
	return problems.filter(name => found.get(name) !== 0);
}
