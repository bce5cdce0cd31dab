import fc from 'fast-check';
import {type InvitedRole, invitedRoles, type Plan, plans} from '../../../../src/contract/constants.js';

/** One step of a story. Users, keys, teams and invites go by their number in order of creation, modulo how many there are. */
export type Step =
	| {readonly do: 'create user'; readonly email: string; readonly plan: Plan}
	| {readonly do: 'change plan'; readonly user: number; readonly plan: Plan}
	| {readonly do: 'delete user'; readonly user: number}
	| {readonly do: 'create keys'; readonly user: number; readonly times: number}
	| {readonly do: 'revoke key'; readonly user: number; readonly key: number}
	| {readonly do: 'use key'; readonly key: number}
	| {readonly do: 'create team'; readonly user: number}
	| {readonly do: 'see team' | 'delete team'; readonly user: number; readonly team: number}
	| {readonly do: 'rename team'; readonly user: number; readonly team: number; readonly name: string}
	| {
			readonly do: 'invite';
			readonly user: number;
			readonly team: number;
			readonly email: string;
			readonly role: InvitedRole;
	  }
	| {readonly do: 'accept'; readonly user: number; readonly invite: number}
	| {readonly do: 'remove member'; readonly user: number; readonly team: number; readonly member: number}
	| {readonly do: 'pass time'; readonly ms: number}
	| {readonly do: 'restart'};

const index = fc.nat(3);
const email = fc.constantFrom(
	'ann@example.com',
	'bob@example.com',
	'Bob@Example.com',
	'cyd@example.com',
	'dan@example.com',
);
const plan = fc.constantFrom(...plans);
const is = <const Name extends Step['do']>(name: Name) => fc.constant(name);

/** Steps of all kinds, those more often that lead somewhere. */
const anyStep: fc.Arbitrary<Step> = fc.oneof(
	{weight: 2, arbitrary: fc.record({do: is('create user'), email, plan})},
	{weight: 2, arbitrary: fc.record({do: is('change plan'), user: index, plan})},
	{weight: 1, arbitrary: fc.record({do: is('delete user'), user: index})},
	{weight: 2, arbitrary: fc.record({do: is('create keys'), user: index, times: fc.constantFrom(1, 2, 11)})},
	{weight: 1, arbitrary: fc.record({do: is('revoke key'), user: index, key: index})},
	{weight: 1, arbitrary: fc.record({do: is('use key'), key: index})},
	{weight: 2, arbitrary: fc.record({do: is('create team'), user: index})},
	{weight: 1, arbitrary: fc.record({do: is('see team'), user: index, team: index})},
	{
		weight: 1,
		arbitrary: fc.record({do: is('rename team'), user: index, team: index, name: fc.constantFrom('Red', 'Blue')}),
	},
	{weight: 1, arbitrary: fc.record({do: is('delete team'), user: index, team: index})},
	{
		weight: 8,
		arbitrary: fc.record({do: is('invite'), user: index, team: index, email, role: fc.constantFrom(...invitedRoles)}),
	},
	{weight: 16, arbitrary: fc.record({do: is('accept'), user: index, invite: index})},
	{weight: 4, arbitrary: fc.record({do: is('remove member'), user: index, team: index, member: index})},
	{
		weight: 1,
		arbitrary: fc.record({do: is('pass time'), ms: fc.constantFrom(20_000, 3_600_000, 3 * 86_400_000, 7 * 86_400_000)}),
	},
	{weight: 1, arbitrary: fc.record({do: is('restart')})},
);

/** Three users, two of them in a team, and what they all do then. */
export const anyStory: fc.Arbitrary<readonly Step[]> = fc
	.tuple(fc.constantFrom('starter', 'pro', 'business'), plan, plan, fc.array(anyStep, {maxLength: 40, size: 'max'}))
	.map(([first, second, third, steps]) => [
		{do: 'create user', email: 'ann@example.com', plan: first},
		{do: 'create user', email: 'bob@example.com', plan: second},
		{do: 'create user', email: 'cyd@example.com', plan: third},
		{do: 'create team', user: 0},
		{do: 'invite', user: 0, team: 0, email: 'bob@example.com', role: 'admin'},
		{do: 'accept', user: 1, invite: 0},
		...steps,
	]);
