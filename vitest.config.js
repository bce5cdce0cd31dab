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

/** Tests in one process that start real SMTP and HTTP servers. */
const onServers = ['test/unit/{http,outbound,send,smtp}/**/*'];

/** Tests of the built program outside the folder of end-to-end tests. */
const onBuild = ['test/conventions/start-up'];

/** Tests that only `.ci/run` and `npm run test:all` run, because they take long or need other programs. */
const onlyInFull = [
	// PostgreSQL
	'test/unit/store/postgres/**/*',
	'test/unit/store/copy*',
	'test/unit/http/two-nodes',
	'test/e2e/{node-limits,nodes,postgres,store-copy}',
	'test/helpers/*',
	// documentation, recorded output, and the package where it is installed
	'test/e2e/docs/*',
	'test/e2e/package',
	'test/golden/commands',
	// shells, mail clients, test frameworks and containers
	'test/compat/**/*',
	'test/e2e/{completions,service-container,tls-clients,tls-trust}',
	'test/e2e/server-recipe/*',
	'test/unit/send/conformance/*',
	// what unit tests cover, once more with the built program
	'test/e2e/{bounce-commands,exit-codes,smtp-auth,smtp-tls,until-exit,wait-restart}',
	// Chromium beyond the main use cases
	'test/e2e/preview-page/*',
	'test/e2e/web/{access,addresses,docs,faults,focus,foreign-page,keys,logged-out,long-list,other-user,stories,tabs,webhooks}',
	// long tables, and hostile input in large amounts
	'test/e2e/{accounts,accounts-table}',
	'test/unit/http/{access,host-and-origin}',
	'test/unit/http/accounts/*',
	'test/unit/mime/parse/{bombs,charsets}',
	'test/unit/mime/templates/fill-template',
	'test/unit/send/{hostile,json}',
	'test/unit/services/accounts/*.property',
	'test/unit/smtp/{disconnects,smuggling}',
	'test/unit/tls/{authority,wrong-certificates}',
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
					exclude: testFiles([...onServers, ...onlyInFull, ...onBuild]),
				},
			},
			{
				test: {...shared, name: 'servers', include: testFiles(onServers), exclude: testFiles(onlyInFull)},
			},
			{
				test: {
					...shared,
					name: 'e2e',
					include: [...testFiles(onBuild), '{test/{e2e,golden,reference},bench}/**/*.test.ts'],
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
