import {expect, test} from 'vitest';
import type {KeyBody} from '../../../src/contract/keys.js';
import {type FakeCalls, runFake} from '../../helpers/context.js';

const created = {
	id: 'k1',
	name: 'CI',
	key: 'tbx_live_0123456789',
	prefix: 'tbx_live_0123456',
	created_at: '2026-01-01T11:55:00.000Z',
	message: 'Keep this key now.',
};

const unused: KeyBody = {
	id: 'k1',
	name: 'CI',
	key_prefix: 'tbx_live_0123456',
	last_used_at: null,
	created_at: '2026-01-01T11:55:00.000Z',
};

function withKeys(...keys: readonly KeyBody[]): FakeCalls {
	return {keys: {list: async () => ({keys})}};
}

test('create prints the bare key, and the notice where no script reads it', async () => {
	const names: unknown[] = [];
	const calls: FakeCalls = {
		keys: {
			async create(body) {
				names.push(body);
				return created;
			},
		},
	};
	expect(await runFake(['keys', 'create', '--name', 'CI'], calls)).toEqual({
		exitCode: 0,
		stdout: 'tbx_live_0123456789\n',
		stderr: 'Keep this key now.\n',
	});
	const {stdout, stderr} = await runFake(['keys', 'create', '--json'], calls);
	expect([JSON.parse(stdout), stderr]).toEqual([created, '']);
	expect(names).toEqual([{name: 'CI'}, {}]);
});

test('list shows the beginnings of keys and when they were used', async () => {
	const used = {...unused, id: 'k2', name: 'My laptop', last_used_at: '2026-01-01T11:59:00.000Z'};
	const {stdout} = await runFake(['keys', 'list'], withKeys(used, unused));
	expect(stdout).toBe(
		[
			'My laptop\ttbx_live_0123456\t2026-01-01T11:59:00.000Z\t2026-01-01T11:55:00.000Z\tk2',
			'CI\ttbx_live_0123456\t\t2026-01-01T11:55:00.000Z\tk1',
			'',
		].join('\n'),
	);
	const terminal = {isTTY: true, columns: 100};
	expect((await runFake(['keys', 'list'], withKeys(used, unused), {terminal})).stdout).toBe(
		[
			'NAME       KEY                LAST USED  CREATED    ID',
			'My laptop  tbx_live_0123456…  1 min ago  5 min ago  k2',
			'CI         tbx_live_0123456…  never      5 min ago  k1',
			'',
		].join('\n'),
	);
});

test('an empty list is a success, with a word on a terminal only', async () => {
	expect(await runFake(['keys', 'list'], withKeys())).toEqual({exitCode: 0, stdout: '', stderr: ''});
	const {stderr} = await runFake(['keys', 'list'], withKeys(), {terminal: {isTTY: true}});
	expect(stderr).toBe('There is no API key yet. Create one: tinbox keys create\n');
});

test('revoke names the key by its id', async () => {
	const revoked: string[] = [];
	const calls: FakeCalls = {
		keys: {
			async revoke(id) {
				revoked.push(id);
				return {message: 'Done.'};
			},
		},
	};
	expect(await runFake(['keys', 'revoke', 'k1'], calls)).toEqual({exitCode: 0, stdout: '', stderr: 'Revoked k1.\n'});
	expect(revoked).toEqual(['k1']);
});
