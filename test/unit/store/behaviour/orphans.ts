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
	readonly what: string;
	make(store: Store): Promise<unknown>;
	/** True if the row exists. */
	isInstalled(store: Store): Promise<boolean>;
};

/** Rows of the user "ada". */
const ofUser: readonly Race[] = [
	{
		what: 'an API key',
		make: store => store.keys.create(key, 9),
		isInstalled: async store => (await store.keys.byHash(key.hash)) !== undefined,
	},
	{
		what: 'a web session',
		make: store => store.webSessions.create(session, 9),
		isInstalled: async store => (await store.webSessions.byHash(session.hash)) !== undefined,
	},
	{
		what: 'a team',
		make: store => store.teams.create(owned, 9),
		isInstalled: async store => (await store.teams.get(owned.id)) !== undefined,
	},
	{
		what: 'a membership',
		make: store => store.teams.accept(invite.tokenHash, {userId: 'ada', joinedAt: noon}),
		isInstalled: async store => (await store.teams.get(team.id))?.members.some(({userId}) => userId === 'ada') ?? false,
	},
	{
		what: 'an inbox',
		make: store => store.inboxes.create(inbox),
		isInstalled: async store => (await store.inboxes.byClaim(inbox.address)) !== undefined,
	},
	{
		what: 'a webhook endpoint',
		make: store => store.endpoints.create(endpoint),
		isInstalled: async store => (await store.endpoints.get(endpoint.id)) !== undefined,
	},
];

/** Rows of the team. */
const ofTeam: readonly Race[] = [
	{
		what: 'an invite',
		make: store => store.teams.invite(someInvite(team.id, {tokenHash: 'late'}), 9),
		isInstalled: async store => (await store.teams.inviteByHash('late')) !== undefined,
	},
	{
		what: 'a shared inbox',
		make: store => store.inboxes.create(shared),
		isInstalled: async store => (await store.inboxes.get(shared.id))?.teamId === team.id,
	},
	{
		what: 'an inbox moved to the team',
		async make(store) {
			await store.inboxes.create({...shared, teamId: null});
			await store.inboxes.update(shared.id, {teamId: team.id});
		},
		isInstalled: async store => (await store.inboxes.get(shared.id))?.teamId === team.id,
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

		test.each(ofUser)('$what is rejected directly after the delete of its user', async ({make, isInstalled}) => {
			const {store, next} = await createWithTeam();
			const [, made] = await Promise.allSettled([store.users.delete('ada'), make(store)]);
			expect(made).toMatchObject({status: 'rejected', reason: {code: 'not_found'}});
			expect(await isInstalled(await next())).toBe(false);
		});

		test.each(ofUser)(
			'$what created directly before the delete of its user is deleted with it',
			async ({make, isInstalled}) => {
				const {store, next} = await createWithTeam();
				const [made] = await Promise.allSettled([make(store), store.users.delete('ada')]);
				expect(made).toMatchObject({status: 'fulfilled'});
				expect(await isInstalled(await next())).toBe(false);
			},
		);

		test.each(ofTeam)('$what is rejected directly after the delete of its team', async ({make, isInstalled}) => {
			const {store, next} = await createWithTeam();
			const [, made] = await Promise.allSettled([store.teams.delete(team.id), make(store)]);
			expect(made).toMatchObject({status: 'rejected', reason: {code: 'not_found'}});
			expect(await isInstalled(await next())).toBe(false);
		});
	});
}
