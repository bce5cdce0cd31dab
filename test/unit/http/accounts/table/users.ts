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
				says: 'lets somebody in, on the free plan unless told otherwise',
				as: 'operator',
				body,
				status: 201,
				answer: {...userShape, name: 'New', email: 'New@Example.com', plan: 'free'},
			},
			{
				says: 'takes a plan',
				as: 'operator',
				body: {...body, plan: 'pro'},
				status: 201,
				answer: {...userShape, plan: 'pro'},
			},
			{
				says: 'knows four plans',
				as: 'operator',
				body: {...body, plan: 'gold'},
				status: 400,
				answer: wrongFields('plan'),
			},
			{
				says: 'needs a name and an address',
				as: 'operator',
				body: {},
				status: 400,
				answer: wrongFields('name', 'email'),
			},
			{
				says: 'gives an address to one user, whatever its case',
				as: 'operator',
				body: {name: 'New', email: 'OWNER@example.com'},
				status: 409,
				answer: problem(409, 'email_taken'),
			},
			{says: 'is for the operator alone', as: "owner's token", body, status: 401, answer: noCredentials},
			{says: 'asks who is calling', as: 'nobody', body, status: 401, answer: noCredentials},
		]);
	});

	describe('GET /users', () => {
		testRows('GET /users', [
			{says: 'lists all users', as: 'operator', status: 200, answer: {users: Array.from({length: 4}, () => userShape)}},
			{says: 'is for the operator alone', as: "owner's token", status: 401, answer: noCredentials},
		]);
	});

	describe('GET /users/me', () => {
		const answer = {...userShape, name: 'guest', email: 'guest@example.com', plan: 'business'};
		testRows('GET /users/me', [
			{says: 'shows the caller, by token', as: "guest's token", status: 200, answer},
			{says: 'shows the caller, by API key', as: "guest's key", status: 200, answer},
			{says: 'shows nobody to the operator, who is no user', as: 'operator', status: 401, answer: noCredentials},
			{says: 'asks who is calling', as: 'nobody', status: 401, answer: noCredentials},
		]);
	});

	describe('GET /plans', () => {
		const answer = {
			plans: [
				{plan: 'free', teams: 0, members: 0, keys: 1},
				{plan: 'starter', teams: 1, members: 3, keys: 3},
				{plan: 'pro', teams: 5, members: 10, keys: 10},
				{plan: 'business', teams: null, members: null, keys: 50},
			],
		};
		testRows('GET /plans', [
			{says: 'shows what each allows, by token', as: "guest's token", status: 200, answer},
			{says: 'shows what each allows, by API key', as: "guest's key", status: 200, answer},
			{says: 'asks who is calling', as: 'nobody', status: 401, answer: noCredentials},
		]);
	});

	describe('PATCH /users/{id}', () => {
		testRows('PATCH /users/{guest}', [
			{
				says: 'changes the name',
				as: 'operator',
				body: {name: 'Gus'},
				status: 200,
				answer: {...userShape, name: 'Gus', plan: 'business'},
			},
			{
				says: 'changes the plan',
				as: 'operator',
				body: {plan: 'pro'},
				status: 200,
				answer: {...userShape, name: 'guest', plan: 'pro'},
			},
			{says: 'may change nothing', as: 'operator', body: {}, status: 200, answer: userShape},
			{
				says: 'does not change the address',
				as: 'operator',
				body: {email: 'a@b'},
				status: 400,
				answer: wrongFields('email'),
			},
			{
				says: 'does not know every id',
				path: '/users/unknown',
				as: 'operator',
				body: {plan: 'pro'},
				status: 404,
				answer: notFound,
			},
			{says: 'is for the operator alone', as: "guest's token", body: {plan: 'pro'}, status: 401, answer: noCredentials},
		]);
	});

	describe('DELETE /users/{id}', () => {
		testRows('DELETE /users/{owner}', [
			{
				says: 'ends tokens and keys at once, and takes owned teams along',
				as: 'operator',
				given: world => world.giveKey('owner'),
				status: 200,
				answer: done,
				afterwards: async world => {
					expect(await world.status('GET /teams', "owner's token")).toBe(401);
					expect(await world.status('GET /inboxes', "owner's key")).toBe(401);
					expect(await world.status('GET /teams/{team}', "member's token")).toBe(404);
				},
			},
			{
				says: 'unlinks what others put into the teams of the deleted',
				as: 'operator',
				given: world => world.addTeamInbox('member'),
				status: 200,
				answer: done,
				afterwards: async world =>
					expect(await world.answer('GET /inboxes/{inbox}', "member's key")).toMatchObject({team_id: null}),
			},
			{
				says: 'takes the inboxes of the deleted along',
				as: 'operator',
				given: world => world.addTeamInbox('owner'),
				status: 200,
				answer: done,
				afterwards: async world => expect(await world.status('GET /inboxes/{inbox}', "member's key")).toBe(404),
			},
			{says: 'does not know every id', path: '/users/unknown', as: 'operator', status: 404, answer: notFound},
			{says: 'is for the operator alone', as: "owner's token", status: 401, answer: noCredentials},
		]);
	});

	describe('POST /users/{id}/tokens', () => {
		const token = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
		testRows('POST /users/{guest}/tokens', [
			{
				says: 'issues a token for thirty days unless told otherwise',
				needsClock: true,
				as: 'operator',
				status: 201,
				answer: {token, expires_at: '2026-01-31T00:00:00.000Z'},
			},
			{
				says: 'issues a token for as long as asked',
				needsClock: true,
				as: 'operator',
				body: {expires_in: 60},
				status: 201,
				answer: {token: text, expires_at: '2026-01-01T00:01:00.000Z'},
			},
			{
				says: 'counts in whole seconds',
				as: 'operator',
				body: {expires_in: 0.5},
				status: 400,
				answer: wrongFields('expires_in'),
			},
			{
				says: 'issues none that is over already',
				as: 'operator',
				body: {expires_in: 0},
				status: 400,
				answer: wrongFields('expires_in'),
			},
			{says: 'does not know every id', path: '/users/unknown/tokens', as: 'operator', status: 404, answer: notFound},
			{says: 'is for the operator alone', as: "guest's token", status: 401, answer: noCredentials},
		]);
	});
}
