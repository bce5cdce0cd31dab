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

/** Work that takes that long. */
const taking = (ms: number) => async () => vi.advanceTimersByTimeAsync(ms);

describe('while something takes long', () => {
	test('a terminal shows what it is and how long it takes, and nothing of it stays', async () => {
		const {context, written} = fakeContext({}, {terminal});
		const work = async () => {
			await taking(1500)();
			return 'done';
		};
		expect(await withSpinner(context, 'waiting for \x1b[31mmail', work)).toBe('done');
		expect(written.stderr).toMatch(/^\r[-\\|/] waiting for mail 0 s\x1b\[K/);
		expect(written.stderr).toMatch(/\r[-\\|/] waiting for mail 1 s\x1b\[K/);
		expect(written.stderr).toMatch(/\r\x1b\[K$/);
		expect(written.stdout).toBe('');
	});

	test('a line never breaks', async () => {
		const {context, written} = fakeContext({}, {terminal});
		await withSpinner(context, 'x'.repeat(100), taking(1000));
		const lines = written.stderr.replaceAll('\x1b[K', '').split('\r');
		expect(Math.max(...lines.map(line => line.length))).toBe(29);
	});

	test('nothing is shown of what is soon over', async () => {
		const {context, written} = fakeContext({}, {terminal});
		await withSpinner(context, 'waiting', taking(390));
		expect(written.stderr).toBe('\r\x1b[K');
	});

	test.each([
		{where: 'in a pipe', options: {}},
		{where: 'in CI', options: {terminal, env: {CI: 'true'}}},
		{where: 'on a terminal that cannot', options: {terminal, env: {TERM: 'dumb'}}},
	])('nothing is shown $where', async ({options}) => {
		const {context, written} = fakeContext({}, options);
		await withSpinner(context, 'waiting', taking(1000));
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
