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
				title: 'invites as a member for seven days by default',
				needsClock: true,
				as: "owner's token",
				body,
				status: 201,
				expected: {...inviteShape, email: 'new@example.com', role: 'member', expiresAt: '2026-01-08T00:00:00.000Z'},
			},
			{
				title: 'invites admins',
				as: "admin's token",
				body: {...body, role: 'admin'},
				status: 201,
				expected: {...inviteShape, role: 'admin'},
			},
			{
				title: 'does not invite owners',
				as: "owner's token",
				body: {...body, role: 'owner'},
				status: 400,
				expected: wrongFields('role'),
			},
			{title: 'needs an address', as: "owner's token", body: {}, status: 400, expected: wrongFields('email')},
			{
				title: 'needs a valid address',
				as: "owner's token",
				body: {email: 'new'},
				status: 400,
				expected: wrongFields('email'),
			},
			{title: 'is forbidden for members', as: "member's token", body, status: 403, expected: forbidden},
			{title: 'is forbidden for outsiders', as: "guest's token", body, status: 403, expected: forbidden},
			{
				title: 'returns 404 for an unknown team',
				path: '/teams/unknown/invite',
				as: "owner's token",
				body,
				status: 404,
				expected: notFound,
			},
			{
				title: 'rejects the address of a member, ignoring case',
				as: "owner's token",
				body: {email: 'MEMBER@example.com'},
				status: 409,
				expected: problem(409, 'already_member'),
			},
			{
				title: 'rejects an address with an open invite, ignoring case',
				as: "admin's token",
				before: world => world.invite('new@example.com'),
				body: {email: 'New@Example.com'},
				status: 409,
				expected: problem(409, 'invite_open'),
			},
			{
				title: 'accepts an address whose invite has expired',
				needsClock: true,
				as: "owner's token",
				before: async world => {
					await world.invite('new@example.com');
					world.passTime(7 * days);
				},
				body,
				status: 201,
				expected: inviteShape,
			},
			{
				title: 'limits the starter plan to three members',
				as: "owner's token",
				before: world => world.setPlan('owner', 'starter'),
				body,
				status: 403,
				expected: planLimit,
			},
			{
				title: 'allows a tenth member on the pro plan',
				as: "owner's token",
				before: async world => {
					await world.setPlan('owner', 'pro');
					await world.invite(...world.addresses(6));
				},
				body,
				status: 201,
				expected: inviteShape,
			},
			{
				title: 'rejects an eleventh member on the pro plan, including open invites',
				as: "admin's token",
				before: async world => {
					await world.setPlan('owner', 'pro');
					await world.invite(...world.addresses(7));
				},
				body,
				status: 403,
				expected: planLimit,
			},
			{
				title: 'allows any number of members on the business plan',
				as: "owner's token",
				before: world => world.invite(...world.addresses(20)),
				body,
				status: 201,
				expected: inviteShape,
			},
			{
				title: 'applies the plan of the owner, whoever invites',
				as: "admin's token",
				before: world => world.setPlan('owner', 'free'),
				body,
				status: 403,
				expected: planLimit,
			},
		]);
	});

	describe('POST /teams/invites/accept', () => {
		const invited = async (world: World) => world.invite('Guest@Example.com');
		const body = {token: '{invite}'};
		testRows('POST /teams/invites/accept', [
			{
				title: 'makes the invited user a member, ignoring the case of the address',
				as: "guest's token",
				before: invited,
				body,
				status: 200,
				expected: {...teamOf(4), name: 'Red'},
				after: async world => expect(await world.status('GET /teams/{team}', "guest's token")).toBe(200),
			},
			{
				title: 'is only for the invited user',
				as: "admin's token",
				before: invited,
				body,
				status: 403,
				expected: forbidden,
			},
			{
				title: 'rejects an unknown token',
				as: "guest's token",
				body: {token: 'unknown'},
				status: 400,
				expected: badInvite,
			},
			{title: 'needs a token', as: "guest's token", body: {}, status: 400, expected: wrongFields('token')},
			{
				title: 'rejects an invite after seven days',
				needsClock: true,
				as: "guest's token",
				before: async world => {
					await invited(world);
					world.passTime(7 * days);
				},
				body,
				status: 400,
				expected: badInvite,
			},
			{
				title: 'accepts an invite until just before it expires',
				needsClock: true,
				as: "guest's token",
				before: async world => {
					await invited(world);
					world.passTime(7 * days - 1);
				},
				body,
				status: 200,
				expected: teamOf(4),
			},
			{
				title: 'rejects a used invite of a member as already_member',
				as: "guest's token",
				before: async world => {
					await invited(world);
					await world.status('POST /teams/invites/accept', "guest's token", body);
				},
				body,
				status: 409,
				expected: problem(409, 'already_member'),
			},
			{
				title: 'rejects a used invite of a removed member',
				as: "guest's token",
				before: async world => {
					await invited(world);
					await world.status('POST /teams/invites/accept', "guest's token", body);
					await world.status('DELETE /teams/{team}/members/{guest}', "owner's token");
				},
				body,
				status: 400,
				expected: badInvite,
			},
			{
				title: 'rejects an invite to a deleted team',
				as: "guest's token",
				before: async world => {
					await invited(world);
					await world.status('DELETE /teams/{team}', "owner's token");
				},
				body,
				status: 400,
				expected: badInvite,
			},
			{title: 'requires credentials', as: 'nobody', before: invited, body, status: 401, expected: noCredentials},
		]);
	});
}
