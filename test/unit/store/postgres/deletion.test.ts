import {describe, expect, test} from 'vitest';
import type {Store} from '../../../../src/store/port.js';
import {hasNoPostgres, keyFileFor, newDatabase, openNode} from '../postgres-fixture.js';
import {at, someDelivery, someEndpoint, someInbox, someTeam, someUser} from '../rows.js';
import {startRelay} from './relay.js';

/** More rows than one batch deletes. */
const [deliveries, inboxes] = [1200, 60];

const user = someUser();
const team = someTeam(user.id);
const endpoint = someEndpoint({userId: user.id});

type Deletion = {
	readonly title: string;
	delete(store: Store): Promise<boolean>;
	/** Start of the first statement that deletes dependent rows. */
	readonly statement: string;
	get(store: Store): Promise<unknown>;
	/** Numbers of deliveries, of inboxes in the team, and of inboxes that remain. */
	readonly remaining: readonly [number, number, number];
};

const deletions: readonly Deletion[] = [
	{
		title: 'an endpoint',
		delete: async ({endpoints}) => endpoints.delete(endpoint.id),
		statement: 'delete from deliveries',
		get: async ({endpoints}) => endpoints.get(endpoint.id),
		remaining: [0, inboxes, inboxes],
	},
	{
		title: 'a team',
		delete: async ({teams}) => teams.delete(team.id),
		statement: 'update inboxes set team_id = null',
		get: async ({teams}) => teams.get(team.id),
		remaining: [deliveries, 0, inboxes],
	},
	{
		title: 'a user',
		delete: async ({users}) => users.delete(user.id),
		statement: 'delete from inboxes',
		get: async ({users}) => users.get(user.id),
		remaining: [0, 0, 0],
	},
];

describe.skipIf(hasNoPostgres)('a deletion interrupted by a crash', () => {
	test.each(deletions)(
		'hides $title immediately, and the next node deletes its data',
		async ({get, statement, remaining, ...deletion}) => {
			const url = await newDatabase();
			const relay = await startRelay(url);
			const crashing = await openNode(relay.url, {keyFile: keyFileFor(url)});
			await crashing.users.create(user);
			await crashing.teams.create(team, 9);
			await crashing.endpoints.create(endpoint);
			await crashing.deliveries.put(Array.from({length: deliveries}, () => someDelivery(endpoint.id)));
			const own = Array.from({length: inboxes}, () => someInbox({ownerId: user.id, teamId: team.id}));
			await Promise.all(own.map(async inbox => crashing.inboxes.create(inbox)));
			relay.cutAllAt(statement);
			await expect(deletion.delete(crashing)).rejects.toMatchObject({code: 'unavailable'});
			const next = await openNode(url);
			expect(await get(next)).toBeUndefined();
			const ofTeam = async (id: string) =>
				(await next.inboxes.list({userId: 'nobody', teamIds: [id]}, {page: 1, limit: 1}, at(0))).total;
			await expect
				.poll(async () => {
					const usage = await next.usage(user.id);
					return [usage.deliveries, await ofTeam(team.id), usage.inboxes];
				})
				.toEqual(remaining);
		},
	);
});
