import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test, vi} from 'vitest';
import {withSpinner} from '../../src/cli/spinner.js';
import {fakeContext} from '../helpers/context.js';

const terminal = {isTTY: true, columns: 30};

describe('while something takes long', () => {
	test('a terminal shows what it is and how long it takes, and nothing of it stays', async () => {
		const {context, written} = fakeContext({}, {terminal});
		const shown = vi.waitFor(() => expect(written.stderr).toMatch(/\r[-\\|/] waiting for mail 0 s\x1b\[K/));
		expect(await withSpinner(context, 'waiting for \x1b[31mmail', async () => shown.then(() => 'done'))).toBe('done');
		expect(written.stderr).toMatch(/\r\x1b\[K$/);
		expect(written.stdout).toBe('');
	});

	test('a line never breaks', async () => {
		const {context, written} = fakeContext({}, {terminal});
		await withSpinner(context, 'x'.repeat(100), () => vi.waitFor(() => expect(written.stderr).toContain('x')));
		const lines = written.stderr.replaceAll('\x1b[K', '').split('\r');
		expect(Math.max(...lines.map(line => line.length))).toBe(29);
	});

	test.each([
		{where: 'in a pipe', options: {}},
		{where: 'in CI', options: {terminal, env: {CI: 'true'}}},
		{where: 'on a terminal that cannot', options: {terminal, env: {TERM: 'dumb'}}},
	])('nothing is shown $where', async ({options}) => {
		const {context, written} = fakeContext({}, options);
		await withSpinner(context, 'waiting', () => sleep(700));
		expect(written).toEqual({stdout: '', stderr: ''});
	});
});

test('a failure is passed on, and the line is clean', async () => {
	const {context, written} = fakeContext({}, {terminal});
	const failing = withSpinner(context, 'waiting', async () => {
		throw new Error('no');
	});
	await expect(failing).rejects.toThrow('no');
	expect(written.stderr).toBe('\r\x1b[K');
});
