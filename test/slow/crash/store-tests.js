import {startVitest} from 'vitest/node';

/**
 * Runs the crash tests of the store (`store/*.crash.ts`), by default in their long form, and prints one line with
 * counts for each.
 * @param {{short: boolean}} form
 * @returns {Promise<boolean>} true if all passed
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
		// The usual configuration includes other tests.
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
