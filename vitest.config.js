import {availableParallelism} from 'node:os';
import {defineConfig} from 'vitest/config';
import {BaseSequencer} from 'vitest/node';
import {whyNoPostgres} from './test/helpers/postgres-cluster.js';

const shared = {
	provide: {store: /** @type {'files' | 'postgres'} */ ('files')},
	// No module keeps state: files can share what they import.
	isolate: false,
	setupFiles: 'test/setup.ts',
	testTimeout: 60_000,
	hookTimeout: 60_000,
	// On a busy machine a condition may take longer to be met than the second that is usual.
	expect: {poll: {timeout: 20_000}},
};

/** Tests that run on both stores. */
const onBothStores = [
	'test/unit/http/accounts/*',
	'test/unit/http/webhooks',
	'test/unit/services/webhooks/*',
	'test/unit/services/**/*.property',
	'test/unit/metrics/metrics',
];

/** Tests that only `npm run test:all` runs: PostgreSQL, every code block of the documentation, and long tables. */
const onlyInFull = [
	'test/unit/store/postgres/**/*',
	'test/unit/http/access',
	'test/unit/http/own-site',
	'test/unit/mime/parse/bombs',
	'test/unit/send/conformance/*',
	'test/unit/tls/wrong-certificates',
	'test/e2e/docs/*',
	'test/e2e/accounts-table',
	'test/e2e/server-recipe/*',
];

const testFiles = (/** @type {readonly string[]} */ names) => names.map(name => `${name}.test.ts`);

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
			{
				test: {
					...shared,
					name: 'unit',
					include: ['test/{unit,conventions}/**/*.test.ts'],
					exclude: testFiles(onlyInFull),
				},
			},
			{
				test: {
					...shared,
					name: 'e2e',
					include: ['{test/{e2e,golden,reference,compat,helpers},bench}/**/*.test.ts'],
					exclude: testFiles(onlyInFull),
				},
			},
			{test: {...shared, name: 'full', include: testFiles(onlyInFull)}},
			{
				test: {
					...shared,
					name: 'postgres',
					provide: {store: 'postgres'},
					include: why === undefined ? testFiles(onBothStores) : [],
				},
			},
		],
	},
});
