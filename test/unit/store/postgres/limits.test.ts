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
	readonly title: string;
	/** Request that fifty callers send to three nodes. */
	run(node: Node, scene: Scene, index: number): Promise<unknown>;
	/** Number of requests that succeed. */
	readonly accepted: number;
	readonly errorCode: string;
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
		title: 'API keys of a plan',
		run: async (node, {userId}) => node.keys.create(someKey(userId), 7),
		accepted: 7,
		errorCode: 'plan_limit',
	},
	{
		title: 'uses of a rate',
		run: async node => {
			if ((await node.rates.take('keys', noon, {count: 10, windowMs: 60_000})) > 0) {
				throw new AppError('rate_limited', 'Later.');
			}
		},
		accepted: 10,
		errorCode: 'rate_limited',
	},
	{
		title: 'teams of a plan',
		run: async (node, {userId}) => node.teams.create(someTeam(userId), 6),
		accepted: 5,
		errorCode: 'plan_limit',
	},
	{
		title: 'teams of a user',
		run: async (node, {userId}) => node.teams.create(someTeam(userId), 99, atMost({teams: 4})),
		accepted: 3,
		errorCode: 'limit_reached',
	},
	{
		title: 'open invites of a team',
		run: async (node, {teamId}) => node.teams.invite(someInvite(teamId), 6),
		accepted: 5,
		errorCode: 'plan_limit',
	},
	{
		title: 'invites for one address',
		run: async (node, {teamId}) => node.teams.invite(someInvite(teamId, {email: 'bob@example.com'}), 99),
		accepted: 1,
		errorCode: 'invite_open',
	},
	{
		title: 'users with one email',
		run: async (node, _, index) =>
			node.users.create(someUser({email: index % 2 === 0 ? 'bob@example.com' : 'BOB@example.com'})),
		accepted: 1,
		errorCode: 'email_taken',
	},
	{
		title: 'inboxes of a user',
		run: async (node, {userId}) => node.inboxes.create(someInbox({ownerId: userId}), atMost({inboxes: 9})),
		accepted: 8,
		errorCode: 'limit_reached',
	},
	{
		title: 'inboxes with one address',
		run: async (node, {userId}) => node.inboxes.create(someInbox({ownerId: userId, address: 'shop@tinbox.test'})),
		accepted: 1,
		errorCode: 'address_taken',
	},
	{
		title: 'endpoints of a user',
		run: async (node, {userId}) => node.endpoints.create(someEndpoint({userId}), atMost({endpoints: 5})),
		accepted: 5,
		errorCode: 'limit_reached',
	},
	{
		title: 'messages of a user',
		run: async (node, {inboxId}) => {
			const source = await stage(node as never, Buffer.from('Subject: hi\r\n\r\nhello\r\n'));
			const messages = [someMessage(inboxId, source)];
			await node.messages.add({source, messages, deliveries: [], check: atMost({messages: 13})});
		},
		accepted: 12,
		errorCode: 'limit_reached',
	},
	{
		title: 'faults of an inbox',
		run: async (node, {inboxId}) => node.faults.create(someFault({inboxId}), 20),
		accepted: 20,
		errorCode: 'too_many_faults',
	},
];

describe.skipIf(hasNoPostgres)('of fifty concurrent requests to three nodes, as many as the limit succeed:', () => {
	test.each(races)('$title: $accepted', async ({run, accepted, errorCode}) => {
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
			Array.from({length: 50}, async (_, index) => run(nodes[index % 3] ?? first, scene, index)),
		);
		const rejected = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
		expect(new Set(rejected.map(({code, message}) => code ?? message))).toEqual(new Set([errorCode]));
		expect(results.length - rejected.length).toBe(accepted);
	});

	test('an address and its plus addresses are created for one user only', async () => {
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
			const created = (await Promise.all(claims.map(async ({id}) => nodes[0]?.inboxes.get(id)))).filter(row => row);
			const whole = created.filter(inbox => inbox?.address === `a${round}@tinbox.test`);
			expect(whole.length).toBeLessThanOrEqual(1);
			const owners = new Set(created.map(inbox => inbox?.ownerId));
			expect(whole.length === 0 || owners.size === 1).toBe(true);
			expect(created.length).toBeGreaterThan(0);
		}
	});
});
