import {describe, expect, test} from 'vitest';
import type {Store} from '../../../../src/store/port.js';
import {noon, someEndpoint, someInbox, someInvite, someKey, someTeam, someWebSession} from '../rows.js';
import type {CreateHarness} from './harness.js';

const team = someTeam('owner');
const invite = someInvite(team.id);
const [key, owned, inbox, endpoint] = [
	someKey('ada'),
	someTeam('ada'),
	someInbox({ownerId: 'ada'}),
	someEndpoint({userId: 'ada'}),
];
const session = someWebSession('ada');
const shared = someInbox({ownerId: 'bob', teamId: team.id});

type Race = {
	readonly title: string;
	make(store: Store): Promise<unknown>;
	/** True if the row exists. */
	exists(store: Store): Promise<boolean>;
};

/** Rows of the user "ada". */
const ofUser: readonly Race[] = [
	{
		title: 'an API key',
		make: store => store.keys.create(key, 9),
		exists: async store => (await store.keys.byHash(key.hash)) !== undefined,
	},
	{
		title: 'a web session',
		make: store => store.webSessions.create(session, 9),
		exists: async store => (await store.webSessions.byHash(session.hash)) !== undefined,
	},
	{
		title: 'a team',
		make: store => store.teams.create(owned, 9),
		exists: async store => (await store.teams.get(owned.id)) !== undefined,
	},
	{
		title: 'a membership',
		make: store => store.teams.accept(invite.tokenHash, {userId: 'ada', joinedAt: noon}),
		exists: async store => (await store.teams.get(team.id))?.members.some(({userId}) => userId === 'ada') ?? false,
	},
	{
		title: 'an inbox',
		make: store => store.inboxes.create(inbox),
		exists: async store => (await store.inboxes.byAddress(inbox.address)) !== undefined,
	},
	{
		title: 'a webhook endpoint',
		make: store => store.endpoints.create(endpoint),
		exists: async store => (await store.endpoints.get(endpoint.id)) !== undefined,
	},
];

/** Rows of the team. */
const ofTeam: readonly Race[] = [
	{
		title: 'an invite',
		make: store => store.teams.invite(someInvite(team.id, {tokenHash: 'late'}), 9),
		exists: async store => (await store.teams.inviteByHash('late')) !== undefined,
	},
	{
		title: 'a shared inbox',
		make: store => store.inboxes.create(shared),
		exists: async store => (await store.inboxes.get(shared.id))?.teamId === team.id,
	},
	{
		title: 'an inbox moved to the team',
		async make(store) {
			await store.inboxes.create({...shared, teamId: null});
			await store.inboxes.update(shared.id, {teamId: team.id});
		},
		exists: async store => (await store.inboxes.get(shared.id))?.teamId === team.id,
	},
];

export function describeOrphans(create: CreateHarness): void {
	describe('rows of a user or team that is deleted concurrently', () => {
		const createWithTeam = async () => {
			const harness = await create();
			await harness.store.teams.create(team, 9);
			await harness.store.teams.invite(invite, 9);
			return harness;
		};

		test.each(ofUser)('$title is rejected directly after the delete of its user', async ({make, exists}) => {
			const {store, next} = await createWithTeam();
			const [, made] = await Promise.allSettled([store.users.delete('ada'), make(store)]);
			expect(made).toMatchObject({status: 'rejected', reason: {code: 'not_found'}});
			expect(await exists(await next())).toBe(false);
		});

		test.each(ofUser)(
			'$title created directly before the delete of its user is deleted with it',
			async ({make, exists}) => {
				const {store, next} = await createWithTeam();
				const [made] = await Promise.allSettled([make(store), store.users.delete('ada')]);
				expect(made).toMatchObject({status: 'fulfilled'});
				expect(await exists(await next())).toBe(false);
			},
		);

		test.each(ofTeam)('$title is rejected directly after the delete of its team', async ({make, exists}) => {
			const {store, next} = await createWithTeam();
			const [, made] = await Promise.allSettled([store.teams.delete(team.id), make(store)]);
			expect(made).toMatchObject({status: 'rejected', reason: {code: 'not_found'}});
			expect(await exists(await next())).toBe(false);
		});
	});
}
