import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {ClockedWorld} from './clocked-world.js';

const poll = 'GET /inboxes/{inbox}/messages?wait=60';

describe('an open long poll', () => {
	test('gets 401 when its key is revoked', async () => {
		const {world, answer} = await openPoll();
		expect(await world.status('DELETE /inboxes/keys/{memberKey}', "member's token")).toBe(200);
		await world.deliver(1);
		expect(await answer).toMatchObject({status: 401, body: {code: 'unauthorized'}});
	});

	test('gets 404 when its member is removed from the team', async () => {
		const {world, answer} = await openPoll();
		expect(await world.status('DELETE /teams/{team}/members/{member}', "owner's token")).toBe(200);
		await world.deliver(1);
		expect(await answer).toMatchObject({status: 404, body: {code: 'not_found'}});
	});

	test('gets 404 when the team is deleted', async () => {
		const {world, answer} = await openPoll();
		expect(await world.status('DELETE /teams/{team}', "owner's token")).toBe(200);
		await world.deliver(1);
		expect(await answer).toMatchObject({status: 404, body: {code: 'not_found'}});
	});

	test('is rejected when its user is deleted', async () => {
		const {world, answer} = await openPoll();
		expect(await world.status('DELETE /users/{member}', 'operator')).toBe(200);
		await world.deliver(1);
		expect((await answer).status).toBeGreaterThanOrEqual(401);
	});

	test('returns a message that arrives while it has access', async () => {
		const {world, answer} = await openPoll();
		await world.deliver(1);
		expect(await answer).toMatchObject({status: 200, body: [{inbox_id: world.fill('{inbox}')}]});
	});
});

/** Opens a poll of a member on an inbox of the team. */
async function openPoll() {
	const world = await ClockedWorld.open();
	onTestFinished(async () => world.close());
	await world.addTeamInbox('owner');
	const answer = world
		.send(poll, "member's key")
		.then(async response => ({status: response.status, body: await response.json()}));
	await vi.waitFor(() => expect(world.waiting).toBe(1));
	return {world, answer};
}
