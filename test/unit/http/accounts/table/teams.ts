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
				title: 'makes the caller the owner and first member',
				as: "guest's token",
				body: {name: ' Blue '},
				status: 201,
				expected: {...teamOf(1), name: 'Blue', members: [{...memberShape, role: 'owner', user_name: 'guest'}]},
			},
			{title: 'requires credentials', as: 'nobody', body: {name: 'Blue'}, status: 401, expected: noCredentials},
			{title: 'checks credentials before the body', as: 'nobody', status: 401, expected: noCredentials},
			{title: 'rejects an API key', as: "owner's key", body: {name: 'Blue'}, status: 401, expected: noCredentials},
			{
				title: 'rejects the operator token',
				as: 'operator',
				body: {name: 'Blue'},
				status: 401,
				expected: noCredentials,
			},
			{title: 'needs a body', as: "owner's token", status: 400, expected: wrongFields('name')},
			{title: 'needs a name', as: "owner's token", body: {}, status: 400, expected: wrongFields('name')},
			{
				title: 'needs a name that is a string',
				as: "owner's token",
				body: {name: 7},
				status: 400,
				expected: wrongFields('name'),
			},
			{
				title: 'needs a name that is not empty',
				as: "owner's token",
				body: {name: ' '},
				status: 400,
				expected: wrongFields('name'),
			},
			{
				title: 'needs a name of at most 100 characters',
				as: "owner's token",
				body: {name: 'x'.repeat(101)},
				status: 400,
				expected: wrongFields('name'),
			},
			{
				title: 'accepts a name of 100 characters',
				as: "owner's token",
				body: {name: 'x'.repeat(100)},
				status: 201,
				expected: teamOf(1),
			},
			{
				title: 'rejects unknown fields',
				as: "owner's token",
				body: {name: 'Blue', owner_id: 'x'},
				status: 400,
				expected: wrongFields('owner_id'),
			},
			{
				title: 'is not available on the free plan',
				as: "guest's token",
				before: world => world.setPlan('guest', 'free'),
				body: {name: 'Blue'},
				status: 403,
				expected: planLimit,
			},
			{
				title: 'allows one team on the starter plan',
				as: "guest's token",
				before: world => world.setPlan('guest', 'starter'),
				body: {name: 'Blue'},
				status: 201,
				expected: teamOf(1),
			},
			{
				title: 'rejects a second team on the starter plan',
				as: "owner's token",
				before: world => world.setPlan('owner', 'starter'),
				body: {name: 'Blue'},
				status: 403,
				expected: planLimit,
			},
			{
				title: 'allows a fifth team on the pro plan',
				as: "owner's token",
				before: async world => {
					await world.addTeams('owner', 3);
					await world.setPlan('owner', 'pro');
				},
				body: {name: 'Blue'},
				status: 201,
				expected: teamOf(1),
			},
			{
				title: 'rejects a sixth team on the pro plan',
				as: "owner's token",
				before: async world => {
					await world.addTeams('owner', 4);
					await world.setPlan('owner', 'pro');
				},
				body: {name: 'Blue'},
				status: 403,
				expected: planLimit,
			},
			{
				title: 'allows any number of teams on the business plan',
				as: "owner's token",
				before: world => world.addTeams('owner', 20),
				body: {name: 'Blue'},
				status: 201,
				expected: teamOf(1),
			},
			{
				title: 'counts only teams that the caller owns',
				as: "member's token",
				before: world => world.setPlan('member', 'starter'),
				body: {name: 'Blue'},
				status: 201,
				expected: teamOf(1),
			},
		]);
	});

	describe('GET /teams', () => {
		testRows('GET /teams', [
			{title: 'lists the teams that the caller owns', as: "owner's token", status: 200, expected: [teamOf(3)]},
			{
				title: 'lists the teams that the caller is a member of',
				as: "member's token",
				status: 200,
				expected: [teamOf(3)],
			},
			{title: 'hides objects of other users', as: "guest's token", status: 200, expected: []},
			{title: 'requires credentials', as: 'nobody', status: 401, expected: noCredentials},
		]);
	});

	describe('GET /teams/{id}', () => {
		testRows('GET /teams/{team}', [
			{title: 'returns the team with its members to its owner', as: "owner's token", status: 200, expected: teamOf(3)},
			{
				title: 'lists members in the order of joining',
				as: "member's token",
				status: 200,
				expected: {
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
			{title: 'is forbidden for outsiders', as: "guest's token", status: 403, expected: forbidden},
			{
				title: 'is forbidden for invited users who have not accepted',
				as: "guest's token",
				before: world => world.invite('guest@example.com'),
				status: 403,
				expected: forbidden,
			},
			{
				title: 'returns 404 for an unknown id',
				path: '/teams/unknown',
				as: "owner's token",
				status: 404,
				expected: notFound,
			},
			{title: 'checks credentials first', path: '/teams/unknown', as: 'nobody', status: 401, expected: noCredentials},
		]);
	});

	describe('PUT /teams/{id}', () => {
		testRows('PUT /teams/{team}', [
			{
				title: 'renames the team for its owner',
				as: "owner's token",
				body: {name: 'Green'},
				status: 200,
				expected: {...teamOf(3), name: 'Green'},
			},
			{title: 'is forbidden for admins', as: "admin's token", body: {name: 'Green'}, status: 403, expected: forbidden},
			{
				title: 'is forbidden for members',
				as: "member's token",
				body: {name: 'Green'},
				status: 403,
				expected: forbidden,
			},
			{
				title: 'is forbidden for outsiders',
				as: "guest's token",
				body: {name: 'Green'},
				status: 403,
				expected: forbidden,
			},
			{title: 'needs a name', as: "owner's token", body: {}, status: 400, expected: wrongFields('name')},
			{
				title: 'checks the body before the team',
				path: '/teams/unknown',
				as: "owner's token",
				body: {},
				status: 400,
				expected: wrongFields('name'),
			},
			{
				title: 'returns 404 for an unknown id',
				path: '/teams/unknown',
				as: "owner's token",
				body: {name: 'Green'},
				status: 404,
				expected: notFound,
			},
		]);
	});

	describe('DELETE /teams/{id}', () => {
		testRows('DELETE /teams/{team}', [
			{
				title: 'deletes the team and unlinks its inboxes',
				as: "owner's token",
				before: world => world.addTeamInbox('owner'),
				status: 200,
				expected: done,
				after: async world => {
					expect(await world.status('GET /teams/{team}', "member's token")).toBe(404);
					expect(await world.json('GET /inboxes/{inbox}', "owner's key")).toMatchObject({team_id: null});
					expect(await world.status('GET /inboxes/{inbox}', "member's key")).toBe(404);
				},
			},
			{title: 'is forbidden for admins', as: "admin's token", status: 403, expected: forbidden},
			{title: 'is forbidden for members', as: "member's token", status: 403, expected: forbidden},
			{title: 'is forbidden for outsiders', as: "guest's token", status: 403, expected: forbidden},
			{
				title: 'returns 404 for an unknown id',
				path: '/teams/unknown',
				as: "owner's token",
				status: 404,
				expected: notFound,
			},
		]);
	});

	describe('DELETE /teams/{id}/members/{userId}', () => {
		testRows('DELETE /teams/{team}/members/{member}', [
			{
				title: 'removes a member, whose access ends immediately',
				as: "owner's token",
				before: world => world.addTeamInbox('owner'),
				status: 200,
				expected: {message: text},
				after: async world => {
					expect(await world.status('GET /teams/{team}', "member's token")).toBe(403);
					expect(await world.status('GET /inboxes/{inbox}/messages', "member's key")).toBe(404);
				},
			},
			{title: 'is allowed for admins', as: "admin's token", status: 200, expected: done},
			{
				title: 'allows an admin to leave',
				path: '/teams/{team}/members/{admin}',
				as: "admin's token",
				status: 200,
				expected: done,
			},
			{title: 'is forbidden for members, even to leave', as: "member's token", status: 403, expected: forbidden},
			{title: 'is forbidden for outsiders', as: "guest's token", status: 403, expected: forbidden},
			{
				title: 'never removes the owner',
				path: '/teams/{team}/members/{owner}',
				as: "admin's token",
				status: 400,
				expected: problem(400, 'owner_required'),
			},
			{
				title: 'checks permission before the owner rule',
				path: '/teams/{team}/members/{owner}',
				as: "member's token",
				status: 403,
				expected: forbidden,
			},
			{
				title: 'returns 404 for a user who is not a member',
				path: '/teams/{team}/members/{guest}',
				as: "owner's token",
				status: 404,
				expected: notFound,
			},
			{
				title: 'does not reveal members to outsiders',
				path: '/teams/{team}/members/{guest}',
				as: "guest's token",
				status: 403,
				expected: forbidden,
			},
			{
				title: 'returns 404 for an unknown team',
				path: '/teams/unknown/members/{member}',
				as: "owner's token",
				status: 404,
				expected: notFound,
			},
		]);
	});
}
