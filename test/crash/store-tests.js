import {startVitest} from 'vitest/node';

/** Tests of the store that have a long form, by the names of their files. */
const files = ['kill', 'power', 'torn', 'flips', 'faults', 'lock', 'full-disk'].map(name => `test/store/${name}.test`);

/**
 * Runs the tests of the store in their long form, which takes minutes, and prints a line for each, with its counts.
 * @returns {Promise<boolean>} whether all were fine
 */
export async function runStoreTests() {
	process.env['LONG_FORM'] = '1';
	/** @type {import('vitest/node').Reporter} */
	const reporter = {
		onTestCaseResult(test) {
			const {state, errors = []} = test.result();
			const counts = test.annotations().map(({message}) => message);
			const seconds = Math.round((test.diagnostic()?.duration ?? 0) / 1000);
			const verdict = state === 'passed' ? 'fine' : `FAULT: ${errors.map(({message}) => message).join(' ')}`;
			console.log([`store, ${test.name}: ${verdict} in ${seconds} s`, ...counts].join(' '));
		},
	};
	const vitest = await startVitest('test', files, {
		watch: false,
		testTimeout: 0,
		hookTimeout: 0,
		fileParallelism: false,
		reporters: [reporter],
	});
	const isFine = vitest.state.getCountOfFailedTests() === 0 && process.exitCode !== 1;
	await vitest.close();
	return isFine;
}
