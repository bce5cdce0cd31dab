import {describe, expect} from 'vitest';
import type {TestRows} from '../rows.js';
import {done, memberShape, problem, teamOf, text, wrongFields} from '../shapes.js';

export function teamsTable(testRows: TestRows): void {
	const noCredentials = problem(401, 'unauthorized');
	const forbidden = problem(403, 'forbidden');
	const notFound = problem(404, 'not_found');
	const planLimit = problem(403, 'plan_limit');

	describe('POST /teams', () => {
		testRows('POST /teams', [
			{
				says: 'makes the caller the owner and first member',
				as: "guest's token",
				body: {name: ' Blue '},
				status: 201,
				answer: {...teamOf(1), name: 'Blue', members: [{...memberShape, role: 'owner', user_name: 'guest'}]},
			},
			{says: 'asks who is calling', as: 'nobody', body: {name: 'Blue'}, status: 401, answer: noCredentials},
			{says: 'asks who is calling before it looks at the body', as: 'nobody', status: 401, answer: noCredentials},
			{says: 'does not take an API key', as: "owner's key", body: {name: 'Blue'}, status: 401, answer: noCredentials},
			{
				says: 'does not take the operator token',
				as: 'operator',
				body: {name: 'Blue'},
				status: 401,
				answer: noCredentials,
			},
			{says: 'needs a body', as: "owner's token", status: 400, answer: wrongFields('name')},
			{says: 'needs a name', as: "owner's token", body: {}, status: 400, answer: wrongFields('name')},
			{
				says: 'needs a name that is text',
				as: "owner's token",
				body: {name: 7},
				status: 400,
				answer: wrongFields('name'),
			},
			{
				says: 'needs a name that is not empty',
				as: "owner's token",
				body: {name: ' '},
				status: 400,
				answer: wrongFields('name'),
			},
			{
				says: 'needs a name of at most 100 characters',
				as: "owner's token",
				body: {name: 'x'.repeat(101)},
				status: 400,
				answer: wrongFields('name'),
			},
			{
				says: 'takes a name of 100 characters',
				as: "owner's token",
				body: {name: 'x'.repeat(100)},
				status: 201,
				answer: teamOf(1),
			},
			{
				says: 'takes no other field',
				as: "owner's token",
				body: {name: 'Blue', owner_id: 'x'},
				status: 400,
				answer: wrongFields('owner_id'),
			},
			{
				says: 'is not for the free plan',
				as: "guest's token",
				given: world => world.setPlan('guest', 'free'),
				body: {name: 'Blue'},
				status: 403,
				answer: planLimit,
			},
			{
				says: 'gives one team to the starter plan',
				as: "guest's token",
				given: world => world.setPlan('guest', 'starter'),
				body: {name: 'Blue'},
				status: 201,
				answer: teamOf(1),
			},
			{
				says: 'gives no second team to the starter plan',
				as: "owner's token",
				given: world => world.setPlan('owner', 'starter'),
				body: {name: 'Blue'},
				status: 403,
				answer: planLimit,
			},
			{
				says: 'gives a fifth team to the pro plan',
				as: "owner's token",
				given: async world => {
					await world.addTeams('owner', 3);
					await world.setPlan('owner', 'pro');
				},
				body: {name: 'Blue'},
				status: 201,
				answer: teamOf(1),
			},
			{
				says: 'gives no sixth team to the pro plan',
				as: "owner's token",
				given: async world => {
					await world.addTeams('owner', 4);
					await world.setPlan('owner', 'pro');
				},
				body: {name: 'Blue'},
				status: 403,
				answer: planLimit,
			},
			{
				says: 'gives any number of teams to the business plan',
				as: "owner's token",
				given: world => world.addTeams('owner', 20),
				body: {name: 'Blue'},
				status: 201,
				answer: teamOf(1),
			},
			{
				says: 'counts owned teams, not those of others',
				as: "member's token",
				given: world => world.setPlan('member', 'starter'),
				body: {name: 'Blue'},
				status: 201,
				answer: teamOf(1),
			},
		]);
	});

	describe('GET /teams', () => {
		testRows('GET /teams', [
			{says: 'lists the teams that the caller owns', as: "owner's token", status: 200, answer: [teamOf(3)]},
			{says: 'lists the teams that the caller is a member of', as: "member's token", status: 200, answer: [teamOf(3)]},
			{says: 'lists nothing of others', as: "guest's token", status: 200, answer: []},
			{says: 'asks who is calling', as: 'nobody', status: 401, answer: noCredentials},
		]);
	});

	describe('GET /teams/{id}', () => {
		testRows('GET /teams/{team}', [
			{says: 'shows the team with its members to its owner', as: "owner's token", status: 200, answer: teamOf(3)},
			{
				says: 'shows who is in it, in the order of joining',
				as: "member's token",
				status: 200,
				answer: {
					...teamOf(0),
					name: 'Red',
					members: ['owner', 'admin', 'member'].map(name => ({
						...memberShape,
						user_name: name,
						user_email: `${name}@example.com`,
						role: name,
					})),
				},
			},
			{says: 'is not for outsiders', as: "guest's token", status: 403, answer: forbidden},
			{
				says: 'is not for the invited who have not accepted',
				as: "guest's token",
				given: world => world.invite('guest@example.com'),
				status: 403,
				answer: forbidden,
			},
			{says: 'does not know every id', path: '/teams/unknown', as: "owner's token", status: 404, answer: notFound},
			{says: 'asks who is calling first', path: '/teams/unknown', as: 'nobody', status: 401, answer: noCredentials},
		]);
	});

	describe('PUT /teams/{id}', () => {
		testRows('PUT /teams/{team}', [
			{
				says: 'renames the team for its owner',
				as: "owner's token",
				body: {name: 'Green'},
				status: 200,
				answer: {...teamOf(3), name: 'Green'},
			},
			{says: 'is not for admins', as: "admin's token", body: {name: 'Green'}, status: 403, answer: forbidden},
			{says: 'is not for members', as: "member's token", body: {name: 'Green'}, status: 403, answer: forbidden},
			{says: 'is not for outsiders', as: "guest's token", body: {name: 'Green'}, status: 403, answer: forbidden},
			{says: 'needs a name', as: "owner's token", body: {}, status: 400, answer: wrongFields('name')},
			{
				says: 'looks at the body before the team',
				path: '/teams/unknown',
				as: "owner's token",
				body: {},
				status: 400,
				answer: wrongFields('name'),
			},
			{
				says: 'does not know every id',
				path: '/teams/unknown',
				as: "owner's token",
				body: {name: 'Green'},
				status: 404,
				answer: notFound,
			},
		]);
	});

	describe('DELETE /teams/{id}', () => {
		testRows('DELETE /teams/{team}', [
			{
				says: 'deletes the team and unlinks its inboxes',
				as: "owner's token",
				given: world => world.addTeamInbox('owner'),
				status: 200,
				answer: done,
				afterwards: async world => {
					expect(await world.status('GET /teams/{team}', "member's token")).toBe(404);
					expect(await world.answer('GET /inboxes/{inbox}', "owner's key")).toMatchObject({team_id: null});
					expect(await world.status('GET /inboxes/{inbox}', "member's key")).toBe(404);
				},
			},
			{says: 'is not for admins', as: "admin's token", status: 403, answer: forbidden},
			{says: 'is not for members', as: "member's token", status: 403, answer: forbidden},
			{says: 'is not for outsiders', as: "guest's token", status: 403, answer: forbidden},
			{says: 'does not know every id', path: '/teams/unknown', as: "owner's token", status: 404, answer: notFound},
		]);
	});

	describe('DELETE /teams/{id}/members/{userId}', () => {
		testRows('DELETE /teams/{team}/members/{member}', [
			{
				says: 'removes a member, whose access ends at once',
				as: "owner's token",
				given: world => world.addTeamInbox('owner'),
				status: 200,
				answer: {message: text},
				afterwards: async world => {
					expect(await world.status('GET /teams/{team}', "member's token")).toBe(403);
					expect(await world.status('GET /inboxes/{inbox}/messages', "member's key")).toBe(404);
				},
			},
			{says: 'is for admins, too', as: "admin's token", status: 200, answer: done},
			{
				says: 'lets an admin leave',
				path: '/teams/{team}/members/{admin}',
				as: "admin's token",
				status: 200,
				answer: done,
			},
			{says: 'is not for members, not even to leave', as: "member's token", status: 403, answer: forbidden},
			{says: 'is not for outsiders', as: "guest's token", status: 403, answer: forbidden},
			{
				says: 'never removes the owner',
				path: '/teams/{team}/members/{owner}',
				as: "admin's token",
				status: 400,
				answer: problem(400, 'owner_required'),
			},
			{
				says: 'tells whoever may not remove the owner just that',
				path: '/teams/{team}/members/{owner}',
				as: "member's token",
				status: 403,
				answer: forbidden,
			},
			{
				says: 'knows who is no member',
				path: '/teams/{team}/members/{guest}',
				as: "owner's token",
				status: 404,
				answer: notFound,
			},
			{
				says: 'tells outsiders nothing about members',
				path: '/teams/{team}/members/{guest}',
				as: "guest's token",
				status: 403,
				answer: forbidden,
			},
			{
				says: 'does not know every team',
				path: '/teams/unknown/members/{member}',
				as: "owner's token",
				status: 404,
				answer: notFound,
			},
		]);
	});
}
