import {describe, expect, test} from 'vitest';
import {AppError} from '../../../../src/domain/errors.js';
import type {CheckUsage} from '../../../../src/store/port.js';
import {hasNoPostgres, newDatabase, openNode} from '../postgres-fixture.js';
import {
	noon,
	receive,
	someEndpoint,
	someFault,
	someInbox,
	someInvite,
	someKey,
	someMessage,
	someTeam,
	someUser,
	stage,
} from '../rows.js';

type Node = Awaited<ReturnType<typeof openNode>>;

type Scene = {readonly userId: string; readonly teamId: string; readonly inboxId: string};

type Race = {
	readonly what: string;
	/** Request that fifty callers send to three nodes. */
	ask(node: Node, scene: Scene, index: number): Promise<unknown>;
	/** Number of requests that succeed. */
	readonly granted: number;
	readonly refusal: string;
};

/** Quota check: at most this many more than before. */
const atMost =
	(limits: Partial<Record<'inboxes' | 'endpoints' | 'teams' | 'messages', number>>): CheckUsage =>
	(_, usage) => {
		for (const [name, limit] of Object.entries(limits)) {
			if (usage[name as keyof typeof limits] > limit) {
				throw new AppError('limit_reached', `There are ${limit} ${name}.`);
			}
		}
	};

const races: readonly Race[] = [
	{
		what: 'API keys of a plan',
		ask: async (node, {userId}) => node.keys.create(someKey(userId), 7),
		granted: 7,
		refusal: 'plan_limit',
	},
	{
		what: 'turns of a rate',
		ask: async node => {
			if ((await node.rates.take('keys', noon, {count: 10, windowMs: 60_000})) > 0) {
				throw new AppError('rate_limited', 'Later.');
			}
		},
		granted: 10,
		refusal: 'rate_limited',
	},
	{
		what: 'teams of a plan',
		ask: async (node, {userId}) => node.teams.create(someTeam(userId), 6),
		granted: 5,
		refusal: 'plan_limit',
	},
	{
		what: 'teams of a user',
		ask: async (node, {userId}) => node.teams.create(someTeam(userId), 99, atMost({teams: 4})),
		granted: 3,
		refusal: 'limit_reached',
	},
	{
		what: 'open invites of a team',
		ask: async (node, {teamId}) => node.teams.invite(someInvite(teamId), 6),
		granted: 5,
		refusal: 'plan_limit',
	},
	{
		what: 'an invite for one address',
		ask: async (node, {teamId}) => node.teams.invite(someInvite(teamId, {email: 'bob@example.com'}), 99),
		granted: 1,
		refusal: 'invite_open',
	},
	{
		what: 'users with one email',
		ask: async (node, _, index) =>
			node.users.create(someUser({email: index % 2 === 0 ? 'bob@example.com' : 'BOB@example.com'})),
		granted: 1,
		refusal: 'email_taken',
	},
	{
		what: 'inboxes of a user',
		ask: async (node, {userId}) => node.inboxes.create(someInbox({ownerId: userId}), atMost({inboxes: 9})),
		granted: 8,
		refusal: 'limit_reached',
	},
	{
		what: 'one address',
		ask: async (node, {userId}) => node.inboxes.create(someInbox({ownerId: userId, address: 'shop@tinbox.test'})),
		granted: 1,
		refusal: 'address_taken',
	},
	{
		what: 'endpoints of a user',
		ask: async (node, {userId}) => node.endpoints.create(someEndpoint({userId}), atMost({endpoints: 5})),
		granted: 5,
		refusal: 'limit_reached',
	},
	{
		what: 'messages of a user',
		ask: async (node, {inboxId}) => {
			const source = await stage(node as never, Buffer.from('Subject: hi\r\n\r\nhello\r\n'));
			const messages = [someMessage(inboxId, source)];
			await node.messages.add({source, messages, deliveries: [], check: atMost({messages: 13})});
		},
		granted: 12,
		refusal: 'limit_reached',
	},
	{
		what: 'faults of an inbox',
		ask: async (node, {inboxId}) => node.faults.create(someFault({inboxId}), 20),
		granted: 20,
		refusal: 'too_many_faults',
	},
];

describe.skipIf(hasNoPostgres)('fifty concurrent requests to three nodes cannot exceed a limit', () => {
	test.each(races)('$what: $granted', async ({ask, granted, refusal}) => {
		const url = await newDatabase();
		const [first, ...others] = [await openNode(url), await openNode(url), await openNode(url)];
		const [user, team] = [someUser(), someTeam('')];
		await first.users.create(user);
		const owned = {...team, ownerId: user.id, members: someTeam(user.id).members};
		await first.teams.create(owned, 99);
		const inbox = someInbox({ownerId: user.id});
		await first.inboxes.create(inbox);
		await receive(first as never, inbox.id);
		const scene = {userId: user.id, teamId: team.id, inboxId: inbox.id};
		const nodes = [first, ...others];
		const results = await Promise.allSettled(
			Array.from({length: 50}, async (_, index) => ask(nodes[index % 3] ?? first, scene, index)),
		);
		const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
		expect(new Set(refused.map(({code, message}) => code ?? message))).toEqual(new Set([refusal]));
		expect(results.length - refused.length).toBe(granted);
	});

	test('an address and its plus addresses belong to one user', async () => {
		const url = await newDatabase();
		const nodes = [await openNode(url), await openNode(url), await openNode(url)];
		const users = [someUser(), someUser()];
		for (const user of users) {
			await nodes[0]?.users.create(user);
		}

		for (let round = 0; round < 10; round++) {
			const claims = Array.from({length: 12}, (_, index) =>
				someInbox({
					ownerId: users[index % 2]?.id ?? '',
					address: index % 3 === 0 ? `a${round}@tinbox.test` : `a${round}+${index}@tinbox.test`,
				}),
			);
			await Promise.allSettled(claims.map(async (inbox, index) => nodes[index % 3]?.inboxes.create(inbox)));
			const made = (await Promise.all(claims.map(async ({id}) => nodes[0]?.inboxes.get(id)))).filter(row => row);
			const whole = made.filter(inbox => inbox?.address === `a${round}@tinbox.test`);
			expect(whole.length).toBeLessThanOrEqual(1);
			const owners = new Set(made.map(inbox => inbox?.ownerId));
			expect(whole.length === 0 || owners.size === 1).toBe(true);
			expect(made.length).toBeGreaterThan(0);
		}
	});
});
