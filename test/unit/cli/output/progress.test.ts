import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {withSpinner} from '../../../../src/cli/output/progress.js';
import {fakeContext} from '../../../helpers/context.js';

const terminal = {isTTY: true, columns: 30};

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

const workFor = (ms: number) => async () => vi.advanceTimersByTimeAsync(ms);

describe('the spinner', () => {
	test('shows the label and the elapsed time on a terminal and clears its line at the end', async () => {
		const {context, written} = fakeContext({}, {terminal});
		const work = async () => {
			await workFor(1500)();
			return 'done';
		};
		expect(await withSpinner(context, 'waiting for \x1b[31mmail', work)).toBe('done');
		expect(written.stderr).toMatch(/^\r[-\\|/] waiting for mail 0 s\x1b\[K/);
		expect(written.stderr).toMatch(/\r[-\\|/] waiting for mail 1 s\x1b\[K/);
		expect(written.stderr).toMatch(/\r\x1b\[K$/);
		expect(written.stdout).toBe('');
	});

	test('truncates the label to one line', async () => {
		const {context, written} = fakeContext({}, {terminal});
		await withSpinner(context, 'x'.repeat(100), workFor(1000));
		const lines = written.stderr.replaceAll('\x1b[K', '').split('\r');
		expect(Math.max(...lines.map(line => line.length))).toBe(29);
	});

	test('shows nothing for short work', async () => {
		const {context, written} = fakeContext({}, {terminal});
		await withSpinner(context, 'waiting', workFor(390));
		expect(written.stderr).toBe('\r\x1b[K');
	});

	test.each([
		{where: 'in a pipe', options: {}},
		{where: 'in CI', options: {terminal, env: {CI: 'true'}}},
		{where: 'on a dumb terminal', options: {terminal, env: {TERM: 'dumb'}}},
	])('shows nothing $where', async ({options}) => {
		const {context, written} = fakeContext({}, options);
		await withSpinner(context, 'waiting', workFor(1000));
		expect(written).toEqual({stdout: '', stderr: ''});
	});
});

test('the spinner rethrows a failure and clears its line', async () => {
	const {context, written} = fakeContext({}, {terminal});
	const failing = withSpinner(context, 'waiting', async () => {
		throw new Error('no');
	});
	await expect(failing).rejects.toThrow('no');
	expect(written.stderr).toBe('\r\x1b[K');
});
