import {mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {resolvePaths} from '../../src/runtime/paths.js';
import {runFake} from '../helpers/context.js';
import {tempDir} from '../helpers/temp-dir.js';

test('logs prints the last lines, safe for a terminal', async () => {
	const paths = resolvePaths({TINBOX_HOME: await tempDir()});
	await mkdir(path.dirname(paths.logFile), {recursive: true});
	const lines = Array.from({length: 100}, (_, index) => `line ${index} \x1b[31mred\x1b]0;x\x07`);
	await writeFile(paths.logFile, `${lines.join('\n')}\n`);
	const logs = (...args: string[]) => runFake(['daemon', 'logs', ...args], {}, {paths});
	expect((await logs('-n', '2')).stdout).toBe('line 98 red\nline 99 red\n');
	expect((await logs()).stdout.split('\n')).toHaveLength(51);
});

test('logs says when there is no log', async () => {
	const paths = resolvePaths({TINBOX_HOME: await tempDir()});
	const {exitCode, stdout, stderr} = await runFake(['daemon', 'logs'], {}, {paths});
	expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: ''});
	expect(stderr).toBe(`Nothing was logged to ${paths.logFile} yet.\n`);
});
