import {configDefaults, defineConfig, mergeConfig} from 'vitest/config';
import {whyNoPostgres} from './test/helpers/postgres-cluster.js';
import base from './vitest.config.js';

const why = whyNoPostgres();
if (why !== undefined) {
	console.log(`The acceptance tables and property tests on PostgreSQL are skipped: ${why}.`);
}

/** What holds on either store, on PostgreSQL: the acceptance tables of accounts and webhooks, and the property tests. */
export default mergeConfig(
	base,
	defineConfig({
		test: {
			globalSetup: 'test/helpers/postgres-setup.ts',
			include: ['http/accounts/*', 'http/webhooks', 'services/webhooks/*', 'services/**/*.property'].map(
				name => `**/${name}.test.ts`,
			),
			exclude: why === undefined ? configDefaults.exclude : ['**'],
			passWithNoTests: true,
		},
	}),
);
