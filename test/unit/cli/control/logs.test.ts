import {appendFile, copyFile, mkdir, rename, truncate, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {followLog} from '../../../../src/cli/control/start.js';
import {resolvePaths} from '../../../../src/runtime/paths.js';
import {runFake} from '../../../helpers/context.js';
import {tempDir} from '../../../helpers/temp-dir.js';

async function emptyHome() {
	const paths = resolvePaths({TINBOX_HOME: await tempDir()});
	await mkdir(path.dirname(paths.logFile), {recursive: true});
	return paths;
}

const entry = JSON.stringify({level: 'warn', time: '2026-01-01T11:22:33.444Z', file: 'a\x1b[31m', msg: 'Odd.'});

describe('daemon logs', () => {
	test('prints the last lines without control characters', async () => {
		const paths = await emptyHome();
		const lines = Array.from({length: 100}, (_, index) => `line ${index} \x1b[31mred\x1b]0;x\x07`);
		await writeFile(paths.logFile, `${lines.join('\n')}\n`);
		const logs = (...args: string[]) => runFake(['daemon', 'logs', ...args], {}, {paths});
		expect((await logs('-n', '2')).stdout).toBe('line 98 red\nline 99 red\n');
		expect((await logs()).stdout.split('\n')).toHaveLength(51);
	});

	test('reports a missing log as empty', async () => {
		const paths = await emptyHome();
		const {exitCode, stdout, stderr} = await runFake(['daemon', 'logs'], {}, {paths});
		expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: ''});
		expect(stderr).toBe(`The log ${paths.logFile} is empty.\n`);
	});

	test('prints JSON to a pipe and formatted lines to a terminal', async () => {
		const paths = await emptyHome();
		await writeFile(paths.logFile, `${entry}\nNode.js gave up.\n`);
		const piped = await runFake(['daemon', 'logs'], {}, {paths});
		expect(piped.stdout).toBe(`${entry}\nNode.js gave up.\n`);
		const shown = await runFake(['daemon', 'logs'], {}, {paths, terminal: {isTTY: true}});
		expect(shown.stdout).toBe('11:22:33 warn  Odd. file=a\nNode.js gave up.\n');
	});
});

describe('daemon logs --follow', () => {
	/** The next lines of the log while `work` writes to it. */
	async function follow(file: string, count: number, work: () => Promise<void>): Promise<string[]> {
		const controller = new AbortController();
		const lines: string[] = [];
		const following = followLog(file, controller.signal);
		const first = following.next();
		await work();
		for (let next = await first; !next.done; next = await following.next()) {
			lines.push(next.value);
			if (lines.length === count) {
				controller.abort();
			}
		}

		return lines;
	}

	test('prints only whole new lines', async () => {
		const {logFile} = await emptyHome();
		await writeFile(logFile, 'old\n');
		const lines = await follow(logFile, 2, async () => {
			await appendFile(logFile, 'one\ntw');
			await appendFile(logFile, 'o\n');
		});
		expect(lines).toEqual(['one', 'two']);
	});

	test('waits for a missing log', async () => {
		const {logFile} = await emptyHome();
		expect(await follow(logFile, 1, async () => writeFile(logFile, 'first\n'))).toEqual(['first']);
	});

	test('continues with the new file after a rotation by rename', async () => {
		const {logFile} = await emptyHome();
		await writeFile(logFile, 'a long old log\n');
		const lines = await follow(logFile, 1, async () => {
			await rename(logFile, `${logFile}.1`);
			await writeFile(logFile, 'new\n');
		});
		expect(lines).toEqual(['new']);
	});

	test('ignores logs rotated earlier', async () => {
		const {logFile} = await emptyHome();
		await writeFile(`${logFile}.1`, 'a long old log\n');
		await writeFile(logFile, 'old\n');
		const lines = await follow(logFile, 1, async () => {
			await rename(logFile, `${logFile}.aside`);
			await writeFile(logFile, 'new\n');
		});
		expect(lines).toEqual(['new']);
	});

	test('prints the last lines of a log truncated after a copy, then the new lines', async () => {
		const {logFile} = await emptyHome();
		await writeFile(logFile, 'a long old log\n');
		const lines = await follow(logFile, 2, async () => {
			await appendFile(logFile, 'last\n');
			await copyFile(logFile, `${logFile}.1`);
			await truncate(logFile);
			await appendFile(logFile, 'new\n');
		});
		expect(lines).toEqual(['last', 'new']);
	});
});
