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

type Departing = {
	readonly what: string;
	delete(store: Store): Promise<boolean>;
	/** Start of the first statement that deletes dependent rows. */
	readonly word: string;
	get(store: Store): Promise<unknown>;
	/** Numbers of deliveries, of inboxes in the team, and of inboxes that remain. */
	readonly stay: readonly [number, number, number];
};

const departing: readonly Departing[] = [
	{
		what: 'an endpoint',
		delete: async ({endpoints}) => endpoints.delete(endpoint.id),
		word: 'delete from deliveries',
		get: async ({endpoints}) => endpoints.get(endpoint.id),
		stay: [0, inboxes, inboxes],
	},
	{
		what: 'a team',
		delete: async ({teams}) => teams.delete(team.id),
		word: 'update inboxes set team_id = null',
		get: async ({teams}) => teams.get(team.id),
		stay: [deliveries, 0, inboxes],
	},
	{
		what: 'a user',
		delete: async ({users}) => users.delete(user.id),
		word: 'delete from inboxes',
		get: async ({users}) => users.get(user.id),
		stay: [0, 0, 0],
	},
];

describe.skipIf(hasNoPostgres)('a deletion that a crash interrupted', () => {
	test.each(departing)(
		'$what is hidden at once, and its data is deleted by the next node',
		async ({get, word, stay, ...departing}) => {
			const url = await newDatabase();
			const relay = await startRelay(url);
			const dying = await openNode(relay.url, {keyFile: keyFileFor(url)});
			await dying.users.create(user);
			await dying.teams.create(team, 9);
			await dying.endpoints.create(endpoint);
			await dying.deliveries.put(Array.from({length: deliveries}, () => someDelivery(endpoint.id)));
			const own = Array.from({length: inboxes}, () => someInbox({ownerId: user.id, teamId: team.id}));
			await Promise.all(own.map(async inbox => dying.inboxes.create(inbox)));
			relay.cutAllAt(word);
			await expect(departing.delete(dying)).rejects.toMatchObject({code: 'unavailable'});
			const next = await openNode(url);
			expect(await get(next)).toBeUndefined();
			const ofTeam = async (id: string) =>
				(await next.inboxes.list({userId: 'nobody', teamIds: [id]}, {page: 1, limit: 1}, at(0))).total;
			await expect
				.poll(async () => {
					const usage = await next.usage(user.id);
					return [usage.deliveries, await ofTeam(team.id), usage.inboxes];
				})
				.toEqual(stay);
		},
	);
});
