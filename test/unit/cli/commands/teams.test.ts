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

/** An API with these teams that records every change in `operations`. */
function withTeams(...all: readonly TeamBody[]) {
	const operations: unknown[] = [];
	const recorded =
		<T>(name: string, result: T) =>
		async (...args: readonly unknown[]) => {
			operations.push([name, ...args]);
			return result;
		};
	const calls: FakeCalls = {
		teams: {
			list: async () => all,
			async get(id) {
				throw new ApiError({status: 404, code: 'not_found', detail: `There is no team "${id}".`});
			},
			create: recorded('create', teamBody()),
			rename: recorded('rename', teamBody()),
			delete: recorded('delete', {message: 'Done.'}),
			invite: recorded('invite', invite),
			accept: recorded('accept', teamBody()),
			removeMember: recorded('removeMember', {message: 'Done.'}),
		},
	};
	return {calls, operations};
}

describe('teams', () => {
	const commands: ReadonlyArray<{args: string[]; operation: unknown[]; stdout: string; stderr: string}> = [
		{args: ['create', 'Shop'], operation: ['create', {name: 'Shop'}], stdout: 't1\n', stderr: ''},
		{args: ['rename', 'Shop', 'Store'], operation: ['rename', 't1', {name: 'Store'}], stdout: 't1\n', stderr: ''},
		{args: ['delete', 't1'], operation: ['delete', 't1'], stdout: '', stderr: 'Deleted Shop.\n'},
		{
			args: ['invite', 'Shop', 'eve@example.com', '--role', 'admin'],
			operation: ['invite', 't1', {email: 'eve@example.com', role: 'admin'}],
			stdout: 'tbx_invite_x\n',
			stderr: 'eve@example.com can join Shop until 2026-01-08T12:00:00.000Z: tinbox teams accept <token>\n',
		},
		{
			args: ['accept', 'tbx_invite_x'],
			operation: ['accept', {token: 'tbx_invite_x'}],
			stdout: 't1\n',
			stderr: 'You are now a member of Shop.\n',
		},
		{
			args: ['remove', 'Shop', 'BOB@example.com'],
			operation: ['removeMember', 't1', 'u2'],
			stdout: '',
			stderr: 'Removed bob@example.com from Shop.\n',
		},
		{
			args: ['remove', 't1', 'u2'],
			operation: ['removeMember', 't1', 'u2'],
			stdout: '',
			stderr: 'Removed bob@example.com from Shop.\n',
		},
	];

	test.each(commands.map(row => [row.args.join(' '), row] as const))(
		'%s sends the request and prints the result',
		async (_, {args, operation, stdout, stderr}) => {
			const {calls, operations} = withTeams(teamBody());
			expect(await runFake(['teams', ...args], calls)).toEqual({exitCode: 0, stdout, stderr});
			expect(operations).toEqual([operation]);
		},
	);

	test('accept reads the token from stdin if the argument is "-"', async () => {
		const {calls, operations} = withTeams();
		const {io} = fakeContext().context;
		const stdin = Readable.from([Buffer.from('tbx_inv'), Buffer.from('ite_x\n')]);
		expect(await runFake(['teams', 'accept', '-'], calls, {io: {...io, stdin}})).toMatchObject({exitCode: 0});
		expect(operations).toEqual([['accept', {token: 'tbx_invite_x'}]]);
	});

	test('--json prints only the API response', async () => {
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

describe('teams output', () => {
	test('lists each team with its owner', async () => {
		const {calls} = withTeams(teamBody());
		expect((await runFake(['teams', 'list'], calls)).stdout).toBe(
			'Shop\tann@example.com\t2\t2026-01-01T11:55:00.000Z\tt1\n',
		);
		const {stdout} = await runFake(['teams', 'list'], calls, {terminal: {isTTY: true, columns: 100}});
		expect(stdout).toBe(
			['NAME  OWNER            MEMBERS  CREATED    ID', 'Shop  ann@example.com  2        5 min ago  t1', ''].join('\n'),
		);
	});

	test('shows a team with its members', async () => {
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

	test('contains no control characters of team and user names', async () => {
		const hostile = '\x1b]0;owned\x07Shop\x9b2J\nx';
		const {calls} = withTeams(teamBody({name: hostile, members: [{...ann, user_name: hostile}]}));
		for (const args of [['list'], ['show', 't1'], ['delete', 't1']]) {
			const {stdout, stderr} = await runFake(['teams', ...args], calls);
			expect(stdout + stderr).toContain('Shop');
			expect(stdout + stderr).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]|owned/);
		}
	});
});

describe('teams rejects', () => {
	test('an unknown team', async () => {
		const {calls} = withTeams(teamBody());
		expect(await runFake(['teams', 'show', 'Blue'], calls)).toEqual({
			exitCode: 5,
			stdout: '',
			stderr: 'There is no team "Blue".\n',
		});
	});

	test('an ambiguous team name, and lists the ids', async () => {
		const {calls} = withTeams(teamBody({id: 't2'}), teamBody());
		expect(await runFake(['teams', 'delete', 'Shop'], calls)).toEqual({
			exitCode: 2,
			stdout: '',
			stderr: '2 teams have the name "Shop".\nUse the id of one of them:\n  t2\n  t1\n',
		});
	});

	test('the removal of a user who is not a member', async () => {
		const {calls} = withTeams(teamBody());
		expect(await runFake(['teams', 'remove', 'Shop', 'eve@example.com'], calls)).toEqual({
			exitCode: 5,
			stdout: '',
			stderr: 'There is no member "eve@example.com" in Shop.\nList all members: tinbox teams show "Shop"\n',
		});
	});

	test('an empty invite token without sending a request', async () => {
		const {calls} = withTeams();
		const {exitCode, stderr} = await runFake(['teams', 'accept', '-'], calls);
		expect([exitCode, stderr]).toEqual([2, 'Expected exactly one invite on stdin.\n']);
	});
});

describe('the team of an inbox', () => {
	const id = '01a1fafb-4473-716e-a44e-b56206fdbcbe';
	const commands = [
		{args: ['create', '--team', 'Shop'], body: {team_id: 't1'}},
		{args: ['create', '--team', id], body: {team_id: id}},
		{args: ['update', 'signup', '--team', 'Shop'], body: {team_id: 't1'}},
		{args: ['update', 'signup', '--no-team'], body: {team_id: null}},
	];

	test.each(commands.map(row => [row.args.join(' '), row] as const))('is set by inbox %s', async (_, {args, body}) => {
		const requests: unknown[] = [];
		const {calls} = withTeams(teamBody());
		const {exitCode} = await runFake(['inbox', ...args], {
			...calls,
			inboxes: {
				get: async () => inboxBody(),
				async create(request) {
					requests.push(request);
					return {...inboxBody(), smtp: null};
				},
				async update(_id, request) {
					requests.push(request);
					return inboxBody();
				},
			},
		});
		expect([exitCode, requests]).toEqual([0, [body]]);
	});
});
