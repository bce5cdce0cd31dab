import {availableParallelism} from 'node:os';
import {configDefaults, defineConfig} from 'vitest/config';
import {BaseSequencer} from 'vitest/node';
import {whyNoPostgres} from './test/helpers/postgres-cluster.js';

const shared = {
	// No module keeps state: files can share what they import.
	isolate: false,
	setupFiles: 'test/setup.ts',
	testTimeout: 60_000,
	hookTimeout: 60_000,
	// On a busy machine a condition may take longer to be met than the second that is usual.
	expect: {poll: {timeout: 20_000}},
};

/** What holds on either store: the acceptance tables of accounts and webhooks, the property tests, and what is measured. */
const onBoth = ['http/accounts/*', 'http/webhooks', 'services/webhooks/*', 'services/**/*.property', 'metrics/metrics'];

/** The files that take longest, short as some are: their tests come from tables elsewhere. */
const longest = ['http/accounts/table', 'store/postgres/behaviour/', 'e2e/docs/', 'e2e/run.test', 'mime/parse/bombs'];

/** Those come first: at the end of the run, processors would have nothing to do beside them. */
class LongestFirst extends BaseSequencer {
	/**
	 * @override
	 * @param {import('vitest/node').TestSpecification[]} files
	 */
	async sort(files) {
		const sorted = await super.sort(files);
		const isLong = (/** @type {(typeof files)[number]} */ {moduleId}) =>
			longest.some(name => moduleId.includes(`/${name}`));
		return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))];
	}
}

const why = whyNoPostgres();
if (why !== undefined) {
	console.log(`Tests on PostgreSQL are skipped: ${why}.`);
}

export default defineConfig({
	test: {
		// Tests wait for daemons and disks as much as they compute.
		maxWorkers: availableParallelism() + 1,
		globalSetup: 'test/helpers/postgres-setup.ts',
		sequence: {sequencer: LongestFirst},
		projects: [
			{test: {...shared, name: 'files', provide: {store: 'files'}, include: ['{test,bench}/**/*.test.ts']}},
			{
				test: {
					...shared,
					name: 'postgres',
					provide: {store: 'postgres'},
					include: onBoth.map(name => `**/${name}.test.ts`),
					exclude: why === undefined ? configDefaults.exclude : ['**'],
				},
			},
		],
	},
});
