import {describe, expect, onTestFinished, test} from 'vitest';
import type {World} from './world.js';

/** Number of responses per status. */
async function statuses(requests: ReadonlyArray<Promise<number>>): Promise<Readonly<Record<number, number>>> {
	const counts: Record<number, number> = {};
	for (const status of await Promise.all(requests)) {
		counts[status] = (counts[status] ?? 0) + 1;
	}

	return counts;
}

/** Tests limits that hold for any number of concurrent requests. */
export function describeConcurrency(open: () => Promise<World>): void {
	const openForTest = async () => {
		const world = await open();
		onTestFinished(async () => world.close());
		return world;
	};
	describe('fifty concurrent requests', () => {
		test('never invite more people than the plan allows', async () => {
			const world = await openForTest();
			await world.setPlan('owner', 'pro');
			const invites = world
				.addresses(50)
				.map(async email => world.status('POST /teams/{team}/invite', "admin's token", {email}));
			expect(await statuses(invites)).toEqual({201: 7, 403: 43});
		});

		test('never open two invites for one address', async () => {
			const world = await openForTest();
			const body = {email: 'new@example.com'};
			const invites = times(50, async () => world.status('POST /teams/{team}/invite', "owner's token", body));
			expect(await statuses(invites)).toEqual({201: 1, 409: 49});
		});

		test('never accept an invite twice', async () => {
			const world = await openForTest();
			await world.invite('guest@example.com');
			const body = {token: '{invite}'};
			const accepts = times(50, async () => world.status('POST /teams/invites/accept', "guest's token", body));
			expect(await statuses(accepts)).toEqual({200: 1, 409: 49});
			expect(await world.json('GET /teams/{team}', "guest's token")).toMatchObject({members: [{}, {}, {}, {}]});
		});

		test('never create more teams than the plan allows', async () => {
			const world = await openForTest();
			await world.setPlan('owner', 'pro');
			const teams = times(50, async () => world.status('POST /teams', "owner's token", {name: 'Blue'}));
			expect(await statuses(teams)).toEqual({201: 4, 403: 46});
		});

		test('never create more keys than the plan allows, or more than ten in a minute', async () => {
			const world = await openForTest();
			await world.setPlan('guest', 'starter');
			const few = times(50, async () => world.status('POST /inboxes/keys', "guest's token"));
			expect((await statuses(few))[201]).toBe(3);
			const many = times(50, async () => world.status('POST /inboxes/keys', "owner's token"));
			expect(await statuses(many)).toEqual({201: 10, 429: 40});
		});

		test('never create two users with one address', async () => {
			const world = await openForTest();
			const body = {name: 'New', email: 'new@example.com'};
			const users = times(50, async () => world.status('POST /users', 'operator', body));
			expect(await statuses(users)).toEqual({201: 1, 409: 49});
		});
	});
}

function times<T>(count: number, work: () => T): readonly T[] {
	return Array.from({length: count}, work);
}
