import {expect, test} from 'vitest';
import {ApiError} from '../../../../src/client/errors.js';
import type {KeyBody, WebSessionBody} from '../../../../src/contract/keys.js';
import {type FakeCalls, runFake} from '../../../helpers/context.js';

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
	return {keys: {list: async () => ({keys})}, webSessions: {list: async () => ({web_sessions: []})}};
}

test('keys create prints the key to stdout and the notice to stderr', async () => {
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

test('keys list shows the prefix and the last use of each key', async () => {
	const used = {...unused, id: 'k2', name: 'My laptop', last_used_at: '2026-01-01T11:59:00.000Z'};
	const {stdout} = await runFake(['keys', 'list'], withKeys(used, unused));
	expect(stdout).toBe(
		[
			'My laptop\ttbx_live_0123456\t2026-01-01T11:59:00.000Z\t2026-01-01T11:55:00.000Z\tk2\t',
			'CI\ttbx_live_0123456\t\t2026-01-01T11:55:00.000Z\tk1\t',
			'',
		].join('\n'),
	);
	const terminal = {isTTY: true, columns: 100};
	expect((await runFake(['keys', 'list'], withKeys(used, unused), {terminal})).stdout).toBe(
		[
			'NAME       KEY                LAST USED  CREATED    ID  EXPIRES',
			'My laptop  tbx_live_0123456…  1 min ago  5 min ago  k2',
			'CI         tbx_live_0123456…  never      5 min ago  k1',
			'',
		].join('\n'),
	);
});

test('keys list without keys succeeds, with a hint only on a terminal', async () => {
	expect(await runFake(['keys', 'list'], withKeys())).toEqual({exitCode: 0, stdout: '', stderr: ''});
	const {stderr} = await runFake(['keys', 'list'], withKeys(), {terminal: {isTTY: true}});
	expect(stderr).toBe('There are no API keys yet. Create one: tinbox keys create\n');
});

test('keys revoke sends the id of the key', async () => {
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

const session: WebSessionBody = {
	id: 's1',
	key_id: 'k1',
	created_at: '2026-01-01T11:00:00.000Z',
	last_used_at: '2026-01-01T11:59:00.000Z',
	expires_at: '2026-01-01T23:00:00.000Z',
};

const withSessions: FakeCalls = {
	keys: {list: async () => ({keys: [unused]})},
	webSessions: {list: async () => ({web_sessions: [session, {...session, id: 's2', key_id: null}]})},
};

test('keys list shows web sessions with their key and expiry', async () => {
	const {stdout} = await runFake(['keys', 'list'], withSessions);
	const times = '2026-01-01T11:59:00.000Z\t2026-01-01T11:00:00.000Z';
	expect(stdout.split('\n').slice(1)).toEqual([
		`Web session\ttbx_live_0123456\t${times}\ts1\t2026-01-01T23:00:00.000Z`,
		`Web session\t\t${times}\ts2\t2026-01-01T23:00:00.000Z`,
		'',
	]);
	const terminal = {isTTY: true, columns: 100};
	const shown = (await runFake(['keys', 'list'], withSessions, {terminal})).stdout.split('\n');
	const until = new Date(session.expires_at).toTimeString().slice(0, 5);
	expect(shown[2]).toBe(`Web session  tbx_live_0123456…  1 min ago  1 h ago    s1  ${until}`);
	expect(shown[3]).toBe(`Web session  by token           1 min ago  1 h ago    s2  ${until}`);
});

test('keys list --json prints the API response, or the selected fields of keys and sessions', async () => {
	const {stdout} = await runFake(['keys', 'list', '--json'], withSessions);
	expect(JSON.parse(stdout)).toEqual({keys: [unused], web_sessions: [session, {...session, id: 's2', key_id: null}]});
	const chosen = await runFake(['keys', 'list', '--json=id,expires_at'], withSessions);
	expect(JSON.parse(chosen.stdout)).toEqual([
		{id: 'k1', expires_at: null},
		{id: 's1', expires_at: session.expires_at},
		{id: 's2', expires_at: session.expires_at},
	]);
});

/** An API that knows a single key or web session; revoked ones are added to `ended`. */
function withSingle(known: string, ended: string[]): FakeCalls {
	const end = (kind: string) => async (id: string) => {
		if (`${kind} ${id}` !== known) {
			throw new ApiError({status: 404, code: 'not_found', detail: `You have no ${kind} "${id}".`});
		}

		ended.push(known);
		return {message: 'Done.'};
	};
	return {keys: {revoke: end('key')}, webSessions: {end: end('session')}};
}

test('keys revoke also ends a web session', async () => {
	const ended: string[] = [];
	const calls = withSingle('session s1', ended);
	expect(await runFake(['keys', 'revoke', 's1'], calls)).toEqual({exitCode: 0, stdout: '', stderr: 'Revoked s1.\n'});
	expect(ended).toEqual(['session s1']);
	expect(await runFake(['keys', 'revoke', 'x'], calls)).toEqual({
		exitCode: 5,
		stdout: '',
		stderr: 'You have no API key and no web session "x".\nList all keys: tinbox keys list\n',
	});
});
