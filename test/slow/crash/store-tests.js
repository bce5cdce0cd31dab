import {startVitest} from 'vitest/node';

/**
 * Runs the crash tests of the store, which lie beside its others, in their long form for minutes, and prints a line for each, with its counts.
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
		// Those of the usual run have tests of their own.
		config: false,
		dir: 'test',
		include: ['**/store/*.crash.ts'],
		setupFiles: 'test/setup.ts',
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
