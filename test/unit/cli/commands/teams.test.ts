import {Readable} from 'node:stream';
import {describe, expect, test} from 'vitest';
import {ApiError} from '../../../../src/client/errors.js';
import type {TeamBody} from '../../../../src/contract/teams.js';
import {inboxBody} from '../../../helpers/bodies.js';
import {type FakeCalls, fakeContext, runFake} from '../../../helpers/context.js';

const joined_at = '2026-01-01T11:55:00.000Z';
const ann = {user_id: 'u1', user_name: 'Ann', user_email: 'ann@example.com', role: 'owner', joined_at} as const;
const bob = {user_id: 'u2', user_name: 'Bob', user_email: 'bob@example.com', role: 'member', joined_at} as const;

function teamBody(fields: Partial<TeamBody> = {}): TeamBody {
	return {id: 't1', name: 'Shop', owner_id: 'u1', members: [ann, bob], created_at: joined_at, ...fields};
}

const invite = {
	id: 'i1',
	token: 'tbx_invite_x',
	email: 'eve@example.com',
	role: 'member',
	expiresAt: '2026-01-08T12:00:00.000Z',
} as const;

/** Answers every operation on these teams and notes it. */
function withTeams(...all: readonly TeamBody[]) {
	const done: unknown[] = [];
	const noted =
		<T>(name: string, result: T) =>
		async (...args: readonly unknown[]) => {
			done.push([name, ...args]);
			return result;
		};
	const calls: FakeCalls = {
		teams: {
			list: async () => all,
			async get(id) {
				throw new ApiError({status: 404, code: 'not_found', detail: `There is no team "${id}".`});
			},
			create: noted('create', teamBody()),
			rename: noted('rename', teamBody()),
			delete: noted('delete', {message: 'Done.'}),
			invite: noted('invite', invite),
			accept: noted('accept', teamBody()),
			removeMember: noted('removeMember', {message: 'Done.'}),
		},
	};
	return {calls, done};
}

describe('each operation', () => {
	test.each<{args: string[]; does: unknown[]; stdout: string; stderr: string}>([
		{args: ['create', 'Shop'], does: ['create', {name: 'Shop'}], stdout: 't1\n', stderr: ''},
		{args: ['rename', 'Shop', 'Store'], does: ['rename', 't1', {name: 'Store'}], stdout: 't1\n', stderr: ''},
		{args: ['delete', 't1'], does: ['delete', 't1'], stdout: '', stderr: 'Deleted Shop.\n'},
		{
			args: ['invite', 'Shop', 'eve@example.com', '--role', 'admin'],
			does: ['invite', 't1', {email: 'eve@example.com', role: 'admin'}],
			stdout: 'tbx_invite_x\n',
			stderr: 'eve@example.com can join Shop until 2026-01-08T12:00:00.000Z: tinbox teams accept <token>\n',
		},
		{
			args: ['accept', 'tbx_invite_x'],
			does: ['accept', {token: 'tbx_invite_x'}],
			stdout: 't1\n',
			stderr: 'You are now a member of Shop.\n',
		},
		{
			args: ['remove', 'Shop', 'BOB@example.com'],
			does: ['removeMember', 't1', 'u2'],
			stdout: '',
			stderr: 'Removed bob@example.com from Shop.\n',
		},
		{
			args: ['remove', 't1', 'u2'],
			does: ['removeMember', 't1', 'u2'],
			stdout: '',
			stderr: 'Removed bob@example.com from Shop.\n',
		},
	])('teams $args', async ({args, does, stdout, stderr}) => {
		const {calls, done} = withTeams(teamBody());
		expect(await runFake(['teams', ...args], calls)).toEqual({exitCode: 0, stdout, stderr});
		expect(done).toEqual([does]);
	});

	test('accept reads the token from stdin where it is called "-"', async () => {
		const {calls, done} = withTeams();
		const {io} = fakeContext().context;
		const stdin = Readable.from([Buffer.from('tbx_inv'), Buffer.from('ite_x\n')]);
		expect(await runFake(['teams', 'accept', '-'], calls, {io: {...io, stdin}})).toMatchObject({exitCode: 0});
		expect(done).toEqual([['accept', {token: 'tbx_invite_x'}]]);
	});

	test('--json prints what the API answers, and nothing else', async () => {
		const {calls} = withTeams(teamBody());
		for (const [args, body] of [
			[['list'], [teamBody()]],
			[['show', 'Shop'], teamBody()],
			[['invite', 'Shop', 'eve@example.com'], invite],
			[['accept', 'tbx_invite_x'], teamBody()],
		] as const) {
			const {stdout, stderr} = await runFake(['teams', ...args, '--json'], calls);
			expect([JSON.parse(stdout), stderr]).toEqual([body, '']);
		}
	});
});

describe('tables', () => {
	test('list shows whose teams they are', async () => {
		const {calls} = withTeams(teamBody());
		expect((await runFake(['teams', 'list'], calls)).stdout).toBe(
			'Shop\tann@example.com\t2\t2026-01-01T11:55:00.000Z\tt1\n',
		);
		const {stdout} = await runFake(['teams', 'list'], calls, {terminal: {isTTY: true, columns: 100}});
		expect(stdout).toBe(
			['NAME  OWNER            MEMBERS  CREATED    ID', 'Shop  ann@example.com  2        5 min ago  t1', ''].join('\n'),
		);
	});

	test('show prints the team and its members', async () => {
		const {calls} = withTeams(teamBody());
		expect((await runFake(['teams', 'show', 'Shop'], calls)).stdout).toBe(
			[
				'id\tt1',
				'name\tShop',
				'owner_id\tu1',
				'created_at\t2026-01-01T11:55:00.000Z',
				'',
				'ann@example.com\tAnn\towner\t2026-01-01T11:55:00.000Z\tu1',
				'bob@example.com\tBob\tmember\t2026-01-01T11:55:00.000Z\tu2',
				'',
			].join('\n'),
		);
	});

	test('names from other people print no control character', async () => {
		const hostile = '\x1b]0;owned\x07Shop\x9b2J\nx';
		const {calls} = withTeams(teamBody({name: hostile, members: [{...ann, user_name: hostile}]}));
		for (const args of [['list'], ['show', 't1'], ['delete', 't1']]) {
			const {stdout, stderr} = await runFake(['teams', ...args], calls);
			expect(stdout + stderr).toContain('Shop');
			expect(stdout + stderr).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]|owned/);
		}
	});
});

describe('what cannot be done', () => {
	test('a team that is not there is not found', async () => {
		const {calls} = withTeams(teamBody());
		expect(await runFake(['teams', 'show', 'Blue'], calls)).toEqual({
			exitCode: 5,
			stdout: '',
			stderr: 'There is no team "Blue".\n',
		});
	});

	test('a name that several teams have is refused with their ids', async () => {
		const {calls} = withTeams(teamBody({id: 't2'}), teamBody());
		expect(await runFake(['teams', 'delete', 'Shop'], calls)).toEqual({
			exitCode: 2,
			stdout: '',
			stderr: '2 teams have the name "Shop".\nUse the id of one of them:\n  t2\n  t1\n',
		});
	});

	test('somebody who is no member cannot be removed', async () => {
		const {calls} = withTeams(teamBody());
		expect(await runFake(['teams', 'remove', 'Shop', 'eve@example.com'], calls)).toEqual({
			exitCode: 5,
			stdout: '',
			stderr: 'There is no member "eve@example.com" in Shop.\nList all members: tinbox teams show "Shop"\n',
		});
	});

	test('an invite that is no token never leaves', async () => {
		const {calls} = withTeams();
		const {exitCode, stderr} = await runFake(['teams', 'accept', '-'], calls);
		expect([exitCode, stderr]).toEqual([2, 'Expected exactly one invite on stdin.\n']);
	});
});

describe('an inbox', () => {
	const id = '01a1fafb-4473-716e-a44e-b56206fdbcbe';
	test.each([
		{args: ['create', '--team', 'Shop'], sends: {team_id: 't1'}},
		{args: ['create', '--team', id], sends: {team_id: id}},
		{args: ['update', 'signup', '--team', 'Shop'], sends: {team_id: 't1'}},
		{args: ['update', 'signup', '--no-team'], sends: {team_id: null}},
	])('inbox $args', async ({args, sends}) => {
		const sent: unknown[] = [];
		const {calls} = withTeams(teamBody());
		const {exitCode} = await runFake(['inbox', ...args], {
			...calls,
			inboxes: {
				get: async () => inboxBody(),
				async create(body) {
					sent.push(body);
					return {...inboxBody(), smtp: null};
				},
				async update(_id, body) {
					sent.push(body);
					return inboxBody();
				},
			},
		});
		expect([exitCode, sent]).toEqual([0, [sends]]);
	});
});
