/**
 * Prints one line about what a suite found in the product, and one about what it found in something wrong on purpose.
 * @param {string} name
 * @param {{faults: readonly string[]}} suite with the counts that must be zero
 * @param {{real: object, wrong: object, seconds: number}} counts
 * @returns {boolean} whether both are as they should be
 */
export function printVerdict(name, suite, {real, wrong, seconds}) {
	const faults = faultsIn(suite, real);
	const found = faultsIn(suite, wrong);
	const verdict = faults.length === 0 ? 'fine' : `FAULTS: ${faults.join(', ')}`;
	const caught = found.length > 0 ? `found by: ${found.join(', ')}` : 'NOT FOUND';
	console.log(`${name}: ${verdict} in ${seconds} s ${JSON.stringify(real)}`);
	console.log(`${name}: the wrong variant was ${caught} ${JSON.stringify(wrong)}`);
	return faults.length === 0 && found.length > 0;
}

/**
 * The faults that were found.
 * @param {{faults: readonly string[]}} suite
 * @param {object} counts
 */
export function faultsIn({faults}, counts) {
	const found = new Map(Object.entries(counts));
	return faults.filter(name => found.get(name) !== 0);
}
