import {describe, expect} from 'vitest';
import type {TestRows} from '../rows.js';
import {done, problem, text, userShape, wrongFields} from '../shapes.js';

export function usersTable(testRows: TestRows): void {
	const noCredentials = problem(401, 'unauthorized');
	const notFound = problem(404, 'not_found');

	describe('POST /users', () => {
		const body = {name: 'New', email: 'New@Example.com'};
		testRows('POST /users', [
			{
				title: 'creates a user, on the free plan by default',
				as: 'operator',
				body,
				status: 201,
				expected: {...userShape, name: 'New', email: 'New@Example.com', plan: 'free'},
			},
			{
				title: 'accepts a plan',
				as: 'operator',
				body: {...body, plan: 'pro'},
				status: 201,
				expected: {...userShape, plan: 'pro'},
			},
			{
				title: 'rejects an unknown plan',
				as: 'operator',
				body: {...body, plan: 'gold'},
				status: 400,
				expected: wrongFields('plan'),
			},
			{
				title: 'needs a name and an address',
				as: 'operator',
				body: {},
				status: 400,
				expected: wrongFields('name', 'email'),
			},
			{
				title: 'rejects an address in use, ignoring case',
				as: 'operator',
				body: {name: 'New', email: 'OWNER@example.com'},
				status: 409,
				expected: problem(409, 'email_taken'),
			},
			{title: 'is only for the operator', as: "owner's token", body, status: 401, expected: noCredentials},
			{title: 'requires credentials', as: 'nobody', body, status: 401, expected: noCredentials},
		]);
	});

	describe('GET /users', () => {
		testRows('GET /users', [
			{
				title: 'lists all users',
				as: 'operator',
				status: 200,
				expected: {users: Array.from({length: 4}, () => userShape)},
			},
			{title: 'is only for the operator', as: "owner's token", status: 401, expected: noCredentials},
		]);
	});

	describe('GET /users/me', () => {
		const expected = {...userShape, name: 'guest', email: 'guest@example.com', plan: 'business'};
		testRows('GET /users/me', [
			{title: 'returns the caller by token', as: "guest's token", status: 200, expected},
			{title: 'returns the caller by API key', as: "guest's key", status: 200, expected},
			{title: 'rejects the operator, who is not a user', as: 'operator', status: 401, expected: noCredentials},
			{title: 'requires credentials', as: 'nobody', status: 401, expected: noCredentials},
		]);
	});

	describe('GET /plans', () => {
		const expected = {
			plans: [
				{plan: 'free', teams: 0, members: 0, keys: 1},
				{plan: 'starter', teams: 1, members: 3, keys: 3},
				{plan: 'pro', teams: 5, members: 10, keys: 10},
				{plan: 'business', teams: null, members: null, keys: 50},
			],
		};
		testRows('GET /plans', [
			{title: 'returns the limits of each plan by token', as: "guest's token", status: 200, expected},
			{title: 'returns the limits of each plan by API key', as: "guest's key", status: 200, expected},
			{title: 'requires credentials', as: 'nobody', status: 401, expected: noCredentials},
		]);
	});

	describe('PATCH /users/{id}', () => {
		testRows('PATCH /users/{guest}', [
			{
				title: 'changes the name',
				as: 'operator',
				body: {name: 'Gus'},
				status: 200,
				expected: {...userShape, name: 'Gus', plan: 'business'},
			},
			{
				title: 'changes the plan',
				as: 'operator',
				body: {plan: 'pro'},
				status: 200,
				expected: {...userShape, name: 'guest', plan: 'pro'},
			},
			{title: 'accepts an empty change', as: 'operator', body: {}, status: 200, expected: userShape},
			{
				title: 'rejects a new address',
				as: 'operator',
				body: {email: 'a@b'},
				status: 400,
				expected: wrongFields('email'),
			},
			{
				title: 'returns 404 for an unknown id',
				path: '/users/unknown',
				as: 'operator',
				body: {plan: 'pro'},
				status: 404,
				expected: notFound,
			},
			{
				title: 'is only for the operator',
				as: "guest's token",
				body: {plan: 'pro'},
				status: 401,
				expected: noCredentials,
			},
		]);
	});

	describe('DELETE /users/{id}', () => {
		testRows('DELETE /users/{owner}', [
			{
				title: 'ends tokens and keys immediately and deletes owned teams',
				as: 'operator',
				before: world => world.giveKey('owner'),
				status: 200,
				expected: done,
				after: async world => {
					expect(await world.status('GET /teams', "owner's token")).toBe(401);
					expect(await world.status('GET /inboxes', "owner's key")).toBe(401);
					expect(await world.status('GET /teams/{team}', "member's token")).toBe(404);
				},
			},
			{
				title: 'unlinks inboxes of other users from deleted teams',
				as: 'operator',
				before: world => world.addTeamInbox('member'),
				status: 200,
				expected: done,
				after: async world =>
					expect(await world.json('GET /inboxes/{inbox}', "member's key")).toMatchObject({team_id: null}),
			},
			{
				title: 'deletes the inboxes of the user',
				as: 'operator',
				before: world => world.addTeamInbox('owner'),
				status: 200,
				expected: done,
				after: async world => expect(await world.status('GET /inboxes/{inbox}', "member's key")).toBe(404),
			},
			{title: 'returns 404 for an unknown id', path: '/users/unknown', as: 'operator', status: 404, expected: notFound},
			{title: 'is only for the operator', as: "owner's token", status: 401, expected: noCredentials},
		]);
	});

	describe('POST /users/{id}/tokens', () => {
		const token = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
		testRows('POST /users/{guest}/tokens', [
			{
				title: 'issues a token for thirty days by default',
				needsClock: true,
				as: 'operator',
				status: 201,
				expected: {token, expires_at: '2026-01-31T00:00:00.000Z'},
			},
			{
				title: 'issues a token for the requested time',
				needsClock: true,
				as: 'operator',
				body: {expires_in: 60},
				status: 201,
				expected: {token: text, expires_at: '2026-01-01T00:01:00.000Z'},
			},
			{
				title: 'rejects a fraction of a second',
				as: 'operator',
				body: {expires_in: 0.5},
				status: 400,
				expected: wrongFields('expires_in'),
			},
			{
				title: 'rejects a lifetime of zero',
				as: 'operator',
				body: {expires_in: 0},
				status: 400,
				expected: wrongFields('expires_in'),
			},
			{
				title: 'returns 404 for an unknown id',
				path: '/users/unknown/tokens',
				as: 'operator',
				status: 404,
				expected: notFound,
			},
			{title: 'is only for the operator', as: "guest's token", status: 401, expected: noCredentials},
		]);
	});
}
