import {availableParallelism} from 'node:os';
import {defineConfig} from 'vitest/config';

export default defineConfig({
	test: {
		dir: 'test',
		// No module keeps state: files can share what they import.
		isolate: false,
		// Tests wait for daemons and disks as much as they compute.
		maxWorkers: availableParallelism() + 1,
		setupFiles: 'test/setup.ts',
		testTimeout: 60_000,
		hookTimeout: 60_000,
	},
});
