import {describe, expect, test} from 'vitest';
import type {Store} from '../../../../src/store/port.js';
import {at, noon, someInbox, someInvite, someTeam, someUser} from '../rows.js';
import type {CreateHarness} from './harness.js';

export function describeTeams(create: CreateHarness): void {
	describe('teams', () => {
		test('a team is listed for each of its members until they leave, newest first', async () => {
			const {store, next} = await create();
			const [old, young] = [someTeam('ada'), someTeam('bob', {createdAt: at(1)})];
			await store.teams.create(young, 1);
			await store.teams.create(old, 1);
			await join(store, young.id, 'ada');
			expect((await (await next()).teams.listOf('ada')).map(({id}) => id)).toEqual([young.id, old.id]);
			const {teams} = await next();
			expect(await teams.removeMember(young.id, 'ada')).toBe(true);
			expect(await teams.removeMember(young.id, 'ada')).toBe(false);
			expect(await teams.removeMember('no team', 'ada')).toBe(false);
			expect(await teams.listOf('ada')).toEqual([old]);
			expect(await teams.get(young.id)).toEqual({...young, generation: 1});
		});

		test('concurrent creates of teams do not exceed the limit of an owner', async () => {
			const {store} = await create();
			const foreign = someTeam('bob');
			await store.teams.create(foreign, 1);
			await join(store, foreign.id, 'ada');
			const results = await Promise.allSettled(Array.from({length: 4}, () => store.teams.create(someTeam('ada'), 2)));
			expect(results.filter(({status}) => status === 'fulfilled')).toHaveLength(2);
			expect(results.at(-1)).toMatchObject({reason: {code: 'plan_limit'}});
		});

		test('a team is renamed, and deleting it deletes its invites and unlinks its inboxes', async () => {
			const {store, next} = await create();
			const team = someTeam('ada');
			await store.teams.create(team, 1);
			expect(await store.teams.rename(team.id, 'New')).toEqual({...team, name: 'New'});
			expect(await store.teams.rename('no team', 'New')).toBeUndefined();
			const invite = someInvite(team.id);
			await store.teams.invite(invite, 5);
			const inbox = someInbox({teamId: team.id});
			await store.inboxes.create(inbox);
			expect(await store.teams.delete(team.id)).toBe(true);
			expect(await store.teams.delete(team.id)).toBe(false);
			const {teams, inboxes} = await next();
			expect(await teams.listOf('ada')).toEqual([]);
			expect(await teams.inviteByHash(invite.tokenHash)).toBeUndefined();
			expect(await inboxes.get(inbox.id)).toEqual({...inbox, teamId: null});
			expect((await inboxes.list({userId: 'bob', teamIds: [team.id]}, {page: 1, limit: 9}, noon)).total).toBe(0);
		});
	});

	describe('invites', () => {
		test('an invite adds a member in its role once', async () => {
			const {store, next} = await create();
			const team = someTeam('ada');
			await store.teams.create(team, 1);
			const invite = someInvite(team.id, {role: 'admin'});
			await store.teams.invite(invite, 5);
			const attempts = ['bob', 'eve'].map(userId => store.teams.accept(invite.tokenHash, {userId, joinedAt: at(1)}));
			const [bob, eve] = await Promise.allSettled(attempts);
			const members = [...team.members, {userId: 'bob', role: 'admin', joinedAt: at(1)}];
			expect(bob).toEqual({status: 'fulfilled', value: {...team, members}});
			expect(eve).toMatchObject({reason: {code: 'invalid_invite'}});
			const {teams} = await next();
			expect(await teams.get(team.id)).toEqual({...team, members});
			expect(await teams.inviteByHash(invite.tokenHash)).toEqual({...invite, acceptedAt: at(1)});
		});

		test('an unknown or expired invite, or one of a member, is rejected', async () => {
			const {store} = await create();
			const team = someTeam('ada');
			await store.teams.create(team, 1);
			const invite = someInvite(team.id);
			await store.teams.invite(invite, 5);
			const accept = async (hash: string, userId: string, joinedAt: string) =>
				store.teams.accept(hash, {userId, joinedAt});
			await expect(accept('unknown', 'bob', noon)).rejects.toMatchObject({code: 'invalid_invite'});
			await expect(accept(invite.tokenHash, 'bob', invite.expiresAt)).rejects.toMatchObject({code: 'invalid_invite'});
			await expect(accept(invite.tokenHash, 'ada', noon)).rejects.toMatchObject({code: 'already_member'});
			await accept(invite.tokenHash, 'bob', noon);
			await expect(accept(invite.tokenHash, 'bob', noon)).rejects.toMatchObject({code: 'already_member'});
			expect((await store.teams.get(team.id))?.members).toHaveLength(2);
		});

		test('an invite is rejected if the team is full or the address is a member or invited', async () => {
			const {store} = await create();
			const ada = someUser({email: 'ada@example.com'});
			await store.users.create(ada);
			const team = someTeam(ada.id);
			await store.teams.create(team, 1);
			await store.teams.invite(someInvite(team.id, {email: 'Bob@example.com'}), 3);
			const invite = async (email: string, limit: number) => store.teams.invite(someInvite(team.id, {email}), limit);
			await expect(store.teams.invite(someInvite('no team'), 9)).rejects.toMatchObject({code: 'not_found'});
			await expect(invite('eve@example.com', 2)).rejects.toMatchObject({code: 'plan_limit'});
			await expect(invite('ADA@example.com', 9)).rejects.toMatchObject({code: 'already_member'});
			await expect(invite('bob@EXAMPLE.com', 9)).rejects.toMatchObject({code: 'invite_open'});
		});

		test('an expired invite does not count for the limit and does not block another invite', async () => {
			const {store} = await create();
			const team = someTeam('ada');
			await store.teams.create(team, 1);
			await store.teams.invite(someInvite(team.id, {email: 'bob@example.com'}), 2);
			const later = someInvite(team.id, {email: 'bob@example.com', createdAt: at(60), expiresAt: at(120)});
			await expect(store.teams.invite(later, 2)).resolves.toBeUndefined();
		});

		test('a new invite deletes the expired invites of its team and no others', async () => {
			const {store} = await create();
			const team = someTeam('ada');
			await store.teams.create(team, 1);
			const [unused, used, open] = [someInvite(team.id), someInvite(team.id), someInvite(team.id, {expiresAt: at(61)})];
			for (const invite of [unused, used, open]) {
				await store.teams.invite(invite, 9);
			}

			await store.teams.accept(used.tokenHash, {userId: 'bob', joinedAt: noon});
			await store.teams.invite(someInvite(team.id, {createdAt: at(60), expiresAt: at(120)}), 9);
			expect(await store.teams.inviteByHash(unused.tokenHash)).toBeUndefined();
			expect(await store.teams.inviteByHash(used.tokenHash)).toBeUndefined();
			expect(await store.teams.inviteByHash(open.tokenHash)).toEqual(open);
		});

		test('concurrent invites do not exceed the member limit of a team', async () => {
			const {store} = await create();
			const team = someTeam('ada');
			await store.teams.create(team, 1);
			const results = await Promise.allSettled(
				Array.from({length: 5}, () => store.teams.invite(someInvite(team.id), 3)),
			);
			expect(results.filter(({status}) => status === 'fulfilled')).toHaveLength(2);
		});
	});
}

async function join(store: Store, teamId: string, userId: string): Promise<void> {
	const invite = someInvite(teamId);
	await store.teams.invite(invite, Number.POSITIVE_INFINITY);
	await store.teams.accept(invite.tokenHash, {userId, joinedAt: noon});
}
