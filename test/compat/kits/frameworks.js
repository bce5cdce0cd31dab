import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {execute, npmInstall} from './project.js';

/**
 * @typedef {object} Framework
 * @property {(project: import('./project.js').Project) => void} install throws if something is missing
 * @property {string} program file of the tests in `programs`
 * @property {(number: number) => string} fileName file name that the framework recognizes as a test
 * @property {(workers: number) => readonly string[]} command
 */

/** @type {Readonly<Record<string, Framework>>} */
export const frameworks = {
	vitest: {
		install: ({folder}) => npmInstall(folder, 'vitest'),
		program: 'vitest.js',
		fileName: number => `sign-up-${number}.test.js`,
		command: workers => ['vitest', 'run', '--dir', 'suite', '--testTimeout', '60000', '--maxWorkers', String(workers)],
	},
	playwright: {
		install({folder}) {
			npmInstall(folder, '@playwright/test');
			writeFileSync(path.join(folder, 'playwright.config.js'), `export default {testDir: 'suite', timeout: 60_000};\n`);
		},
		program: 'playwright.js',
		fileName: number => `sign-up-${number}.spec.js`,
		command: workers => ['playwright', 'test', '--reporter', 'line', '--workers', String(workers)],
	},
	jest: {
		install: ({folder}) => npmInstall(folder, 'jest@30'),
		program: 'jest.cjs',
		fileName: number => `sign-up-${number}.test.cjs`,
		command: workers => [
			...['jest', '--rootDir', '.', '--testMatch', '**/suite/*.test.cjs', '--testTimeout', '60000'],
			...(workers === 1 ? ['--runInBand'] : ['--maxWorkers', String(workers)]),
		],
	},
	pytest: {
		install({folder, env}) {
			execute('python3', ['-m', 'venv', 'python'], {cwd: folder});
			execute('python/bin/pip', ['install', '--quiet', 'pytest', 'pytest-xdist'], {cwd: folder});
			const kit = execute('tinbox', ['kit', 'pytest'], {cwd: folder, env});
			writeFileSync(path.join(folder, 'conftest_tinbox.py'), kit);
			writeFileSync(path.join(folder, 'conftest.py'), 'pytest_plugins = ["conftest_tinbox"]\n');
		},
		program: 'pytest.py',
		fileName: number => `test_sign_up_${number}.py`,
		command: workers => ['pytest', '--quiet', 'suite', ...(workers === 1 ? [] : ['--numprocesses', String(workers)])],
	},
};
