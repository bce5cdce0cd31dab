import {describe, expect, test} from 'vitest';
import {type Accounts, openAccounts} from '../../../helpers/accounts.js';

const day = 86_400_000;

describe('a team', () => {
	test('has its creator as the owner and first member', async () => {
		const accounts = await openAccounts();
		const ann = await accounts.user('ann');
		const {team, members} = await accounts.services.teams.create(ann, 'Red');
		expect(team).toMatchObject({name: 'Red', ownerId: ann.id, createdAt: accounts.now.toISOString()});
		expect(members).toEqual([
			{member: {userId: ann.id, role: 'owner', joinedAt: accounts.now.toISOString()}, user: ann},
		]);
	});

	test('keeps members and open invites after the plan is lowered, but allows no new ones', async () => {
		const accounts = await openAccounts();
		const {teams, users} = accounts.services;
		const ann = await accounts.user('ann');
		const bob = await accounts.user('bob', 'free');
		const {team} = await teams.create(ann, 'Red');
		const {token} = await teams.invite(ann, team.id, {email: bob.email, role: 'admin'});
		const lowered = await users.update(ann.id, {plan: 'free'});
		await teams.accept(bob, token);
		expect(await teams.list(lowered)).toMatchObject([{id: team.id, members: [{}, {}]}]);
		await expect(teams.create(lowered, 'Blue')).rejects.toMatchObject({code: 'plan_limit'});
		// The plan of the owner applies, whoever invites.
		const attempt = teams.invite(bob, team.id, {email: 'cyd@example.com', role: 'member'});
		await expect(attempt).rejects.toThrow('The free plan allows no team members');
	});

	test('is not created beyond the plan, even by 50 concurrent requests', async () => {
		const accounts = await openAccounts();
		const ann = await accounts.user('ann', 'pro');
		const attempts = Array.from({length: 50}, async () => accounts.services.teams.create(ann, 'Red'));
		expect(codesOf(await Promise.allSettled(attempts))).toEqual({ok: 5, plan_limit: 45});
		expect(await accounts.services.teams.list(ann)).toHaveLength(5);
	});

	test('is deleted with its owner, and continues without a deleted member', async () => {
		const accounts = await openAccounts();
		const {teams, users} = accounts.services;
		const {ann, bob, team} = await teamOfTwo(accounts);
		const own = await teams.create(bob, 'Blue');
		await users.delete(bob.id);
		expect(await teams.list(ann)).toMatchObject([{id: team.id}]);
		expect((await teams.get(ann, team.id)).members).toMatchObject([{user: ann}]);
		await expect(teams.get(ann, own.team.id)).rejects.toMatchObject({code: 'not_found'});
	});

	test('is closed to a removed member, who can be invited again', async () => {
		const accounts = await openAccounts();
		const {teams} = accounts.services;
		const {ann, bob, team} = await teamOfTwo(accounts);
		await teams.removeMember(ann, team.id, bob.id);
		await expect(teams.get(bob, team.id)).rejects.toMatchObject({code: 'forbidden'});
		expect(await teams.list(bob)).toEqual([]);
		const {token} = await teams.invite(ann, team.id, {email: bob.email, role: 'member'});
		expect((await teams.accept(bob, token)).members).toHaveLength(2);
	});
});

describe('an invite', () => {
	test('counts as a member of the team, even if 50 are sent concurrently', async () => {
		const accounts = await openAccounts();
		const {teams} = accounts.services;
		const ann = await accounts.user('ann', 'starter');
		const {team} = await teams.create(ann, 'Red');
		const invite = async (_: unknown, number: number) =>
			teams.invite(ann, team.id, {email: `guest${number}@example.com`, role: 'member'});
		const sent = await Promise.allSettled(Array.from({length: 50}, invite));
		expect(codesOf(sent)).toEqual({ok: 2, plan_limit: 48});
	});

	test('is accepted once, even by 50 concurrent requests', async () => {
		const accounts = await openAccounts();
		const {teams} = accounts.services;
		const ann = await accounts.user('ann', 'starter');
		const bob = await accounts.user('bob');
		const {team} = await teams.create(ann, 'Red');
		const {token} = await teams.invite(ann, team.id, {email: bob.email, role: 'member'});
		const accepted = await Promise.allSettled(Array.from({length: 50}, async () => teams.accept(bob, token)));
		expect(codesOf(accepted)).toEqual({ok: 1, already_member: 49});
		expect((await teams.get(bob, team.id)).members).toHaveLength(2);
	});

	test('never fills a team beyond its plan, even if 50 people join concurrently', async () => {
		const accounts = await openAccounts();
		const {teams} = accounts.services;
		const ann = await accounts.user('ann', 'pro');
		const {team} = await teams.create(ann, 'Red');
		const guests = await Promise.all(Array.from({length: 50}, async (_, number) => accounts.user(`guest${number}`)));
		const joined = await Promise.allSettled(
			guests.map(async guest => {
				const {token} = await teams.invite(ann, team.id, {email: guest.email, role: 'member'});
				return teams.accept(guest, token);
			}),
		);
		expect(codesOf(joined)).toEqual({ok: 9, plan_limit: 41});
		expect((await teams.get(ann, team.id)).members).toHaveLength(10);
	});

	test('can be open only once per address, ignoring case', async () => {
		const accounts = await openAccounts();
		const {teams} = accounts.services;
		const {ann, team} = await teamOfTwo(accounts);
		const invite = async (email: string) => teams.invite(ann, team.id, {email, role: 'member'});
		const sent = await Promise.allSettled(['cyd@example.com', 'CYD@example.com', 'cyd@EXAMPLE.com'].map(invite));
		expect(codesOf(sent)).toEqual({ok: 1, invite_open: 2});
		await expect(invite('BOB@example.com')).rejects.toMatchObject({code: 'already_member'});
	});

	test('expires after seven days, which frees its place', async () => {
		const accounts = await openAccounts();
		const {teams} = accounts.services;
		const ann = await accounts.user('ann', 'starter');
		const cyd = await accounts.user('cyd');
		const {team} = await teams.create(ann, 'Red');
		const invite = async () => teams.invite(ann, team.id, {email: cyd.email, role: 'member'});
		const first = await invite();
		expect(first.invite.expiresAt).toBe('2026-01-08T00:00:00.000Z');
		accounts.passTime(7 * day);
		await expect(teams.accept(cyd, first.token)).rejects.toMatchObject({code: 'invalid_invite'});
		const second = await invite();
		accounts.passTime(7 * day - 1);
		await accounts.restart();
		expect((await accounts.services.teams.accept(cyd, second.token)).members).toHaveLength(2);
	});

	test('reports "already a member" to the member and is invalid for a removed member', async () => {
		const accounts = await openAccounts();
		const {teams} = accounts.services;
		const {ann, bob, team, token} = await teamOfTwo(accounts);
		await expect(teams.accept(bob, token)).rejects.toMatchObject({code: 'already_member'});
		await expect(teams.accept(ann, token)).rejects.toMatchObject({code: 'forbidden'});
		await teams.removeMember(ann, team.id, bob.id);
		await expect(teams.accept(bob, token)).rejects.toMatchObject({code: 'invalid_invite'});
	});

	test('has a long token, of which only the hash is stored', async () => {
		const {token, invite} = await teamOfTwo(await openAccounts());
		expect(Buffer.from(token, 'base64url').length).toBeGreaterThanOrEqual(20);
		expect(JSON.stringify(invite)).not.toContain(token);
	});
});

/** Creates the team of Ann with Bob as a member, and returns his invite. */
async function teamOfTwo(accounts: Accounts) {
	const {teams} = accounts.services;
	const ann = await accounts.user('ann');
	const bob = await accounts.user('bob');
	const {team} = await teams.create(ann, 'Red');
	const {invite, token} = await teams.invite(ann, team.id, {email: bob.email, role: 'member'});
	await teams.accept(bob, token);
	return {ann, bob, team, invite, token};
}

/** Number of results per outcome. */
function codesOf(results: ReadonlyArray<PromiseSettledResult<unknown>>): Readonly<Record<string, number>> {
	const codes: Record<string, number> = {};
	for (const result of results) {
		const code = result.status === 'fulfilled' ? 'ok' : result.reason.code;
		codes[code] = (codes[code] ?? 0) + 1;
	}

	return codes;
}
