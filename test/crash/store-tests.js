import {startVitest} from 'vitest/node';

/** Beside the tests of the store, but for their name. */
const include = ['**/store/*.crash.ts'];

/**
 * Runs the tests of the store, in their long form for minutes, and prints a line for each, with its counts.
 * @param {{short: boolean}} form
 * @returns {Promise<boolean>} whether all were fine
 */
export async function runStoreTests({short}) {
	if (!short) {
		process.env['LONG_FORM'] = '1';
	}

	/** @type {import('vitest/node').Reporter} */
	const reporter = {
		onTestCaseResult(test) {
			const {state, errors = []} = test.result();
			const counts = test.annotations().map(({message}) => message);
			const seconds = Math.round((test.diagnostic()?.duration ?? 0) / 1000);
			const verdict = state === 'passed' ? 'fine' : `PROBLEM: ${errors.map(({message}) => message).join(' ')}`;
			console.log([`store, ${test.name}: ${verdict} in ${seconds} s`, ...counts].join(' '));
		},
	};
	const vitest = await startVitest('test', [], {
		include,
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
