import {describe, expect} from 'vitest';
import type {TestRows} from '../rows.js';
import {inviteShape, problem, teamOf, wrongFields} from '../shapes.js';
import type {World} from '../world.js';

export function invitesTable(testRows: TestRows): void {
	const days = 86_400_000;
	const noCredentials = problem(401, 'unauthorized');
	const forbidden = problem(403, 'forbidden');
	const notFound = problem(404, 'not_found');
	const planLimit = problem(403, 'plan_limit');
	const badInvite = problem(400, 'invalid_invite');

	describe('POST /teams/{id}/invite', () => {
		const body = {email: 'new@example.com'};
		testRows('POST /teams/{team}/invite', [
			{
				says: 'invites as a member unless told otherwise, for seven days',
				needsClock: true,
				as: "owner's token",
				body,
				status: 201,
				answer: {...inviteShape, email: 'new@example.com', role: 'member', expiresAt: '2026-01-08T00:00:00.000Z'},
			},
			{
				says: 'invites admins',
				as: "admin's token",
				body: {...body, role: 'admin'},
				status: 201,
				answer: {...inviteShape, role: 'admin'},
			},
			{
				says: 'invites nobody as owner',
				as: "owner's token",
				body: {...body, role: 'owner'},
				status: 400,
				answer: wrongFields('role'),
			},
			{says: 'needs an address', as: "owner's token", body: {}, status: 400, answer: wrongFields('email')},
			{
				says: 'needs an address that is one',
				as: "owner's token",
				body: {email: 'new'},
				status: 400,
				answer: wrongFields('email'),
			},
			{says: 'is not for members', as: "member's token", body, status: 403, answer: forbidden},
			{says: 'is not for outsiders', as: "guest's token", body, status: 403, answer: forbidden},
			{
				says: 'does not know every id',
				path: '/teams/unknown/invite',
				as: "owner's token",
				body,
				status: 404,
				answer: notFound,
			},
			{
				says: 'invites no member again, whatever the case of the address',
				as: "owner's token",
				body: {email: 'MEMBER@example.com'},
				status: 409,
				answer: problem(409, 'already_member'),
			},
			{
				says: 'invites nobody twice, whatever the case of the address',
				as: "admin's token",
				given: world => world.invite('new@example.com'),
				body: {email: 'New@Example.com'},
				status: 409,
				answer: problem(409, 'invite_open'),
			},
			{
				says: 'invites again once the first invite has expired',
				needsClock: true,
				as: "owner's token",
				given: async world => {
					await world.invite('new@example.com');
					world.passTime(7 * days);
				},
				body,
				status: 201,
				answer: inviteShape,
			},
			{
				says: 'knows the limit of the starter plan: three members',
				as: "owner's token",
				given: world => world.setPlan('owner', 'starter'),
				body,
				status: 403,
				answer: planLimit,
			},
			{
				says: 'gives a tenth place to the pro plan',
				as: "owner's token",
				given: async world => {
					await world.setPlan('owner', 'pro');
					await world.invite(...world.addresses(6));
				},
				body,
				status: 201,
				answer: inviteShape,
			},
			{
				says: 'gives no eleventh place to the pro plan, open invites included',
				as: "admin's token",
				given: async world => {
					await world.setPlan('owner', 'pro');
					await world.invite(...world.addresses(7));
				},
				body,
				status: 403,
				answer: planLimit,
			},
			{
				says: 'gives any number of places to the business plan',
				as: "owner's token",
				given: world => world.invite(...world.addresses(20)),
				body,
				status: 201,
				answer: inviteShape,
			},
			{
				says: 'counts the plan of the owner, not of whoever invites',
				as: "admin's token",
				given: world => world.setPlan('owner', 'free'),
				body,
				status: 403,
				answer: planLimit,
			},
		]);
	});

	describe('POST /teams/invites/accept', () => {
		const invited = async (world: World) => world.invite('Guest@Example.com');
		const body = {token: '{invite}'};
		testRows('POST /teams/invites/accept', [
			{
				says: 'makes the invited a member, whatever the case of the address',
				as: "guest's token",
				given: invited,
				body,
				status: 200,
				answer: {...teamOf(4), name: 'Red'},
				afterwards: async world => expect(await world.status('GET /teams/{team}', "guest's token")).toBe(200),
			},
			{says: 'is for the invited alone', as: "admin's token", given: invited, body, status: 403, answer: forbidden},
			{
				says: 'does not know every token',
				as: "guest's token",
				body: {token: 'unknown'},
				status: 400,
				answer: badInvite,
			},
			{says: 'needs a token', as: "guest's token", body: {}, status: 400, answer: wrongFields('token')},
			{
				says: 'comes too late after seven days',
				needsClock: true,
				as: "guest's token",
				given: async world => {
					await invited(world);
					world.passTime(7 * days);
				},
				body,
				status: 400,
				answer: badInvite,
			},
			{
				says: 'is in time a moment before',
				needsClock: true,
				as: "guest's token",
				given: async world => {
					await invited(world);
					world.passTime(7 * days - 1);
				},
				body,
				status: 200,
				answer: teamOf(4),
			},
			{
				says: 'works once: after that, the guest is a member already',
				as: "guest's token",
				given: async world => {
					await invited(world);
					await world.status('POST /teams/invites/accept', "guest's token", body);
				},
				body,
				status: 409,
				answer: problem(409, 'already_member'),
			},
			{
				says: 'works once: it lets nobody in who was removed since',
				as: "guest's token",
				given: async world => {
					await invited(world);
					await world.status('POST /teams/invites/accept', "guest's token", body);
					await world.status('DELETE /teams/{team}/members/{guest}', "owner's token");
				},
				body,
				status: 400,
				answer: badInvite,
			},
			{
				says: 'leads nowhere when the team is gone',
				as: "guest's token",
				given: async world => {
					await invited(world);
					await world.status('DELETE /teams/{team}', "owner's token");
				},
				body,
				status: 400,
				answer: badInvite,
			},
			{says: 'asks who is calling', as: 'nobody', given: invited, body, status: 401, answer: noCredentials},
		]);
	});
}
