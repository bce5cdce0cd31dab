import {describe, expect} from 'vitest';
import {plans} from '../../../../../src/contract/constants.js';
import {planLimits} from '../../../../../src/domain/accounts/plan.js';
import type {Row, TestRows} from '../rows.js';
import {createdKeyShape, done, keyShape, problem, time, wrongFields} from '../shapes.js';

export function keysTable(testRows: TestRows): void {
	const noCredentials = problem(401, 'unauthorized');
	const planLimit = problem(403, 'plan_limit');

	describe('POST /inboxes/keys', () => {
		testRows('POST /inboxes/keys', [
			{
				title: 'returns the complete key once',
				as: "guest's token",
				body: {name: ' CI '},
				status: 201,
				expected: {...createdKeyShape, name: 'CI'},
			},
			{title: 'needs no body', as: "guest's token", status: 201, expected: {...createdKeyShape, name: 'Default'}},
			{
				title: 'needs no name',
				as: "guest's token",
				body: {},
				status: 201,
				expected: {...createdKeyShape, name: 'Default'},
			},
			{
				title: 'rejects an empty name',
				as: "guest's token",
				body: {name: ''},
				status: 400,
				expected: wrongFields('name'),
			},
			{
				title: 'rejects unknown fields',
				as: "guest's token",
				body: {key: 'mine'},
				status: 400,
				expected: wrongFields('key'),
			},
			{title: 'requires credentials', as: 'nobody', status: 401, expected: noCredentials},
			{title: 'rejects an API key', as: "guest's key", status: 401, expected: noCredentials},
			{
				title: 'allows one key on the free plan',
				as: "guest's token",
				before: async world => world.setPlan('guest', 'free'),
				status: 201,
				expected: createdKeyShape,
			},
			...plans.map(
				(plan): Row => ({
					title: `allows at most ${planLimits[plan].keys} on the ${plan} plan`,
					as: "guest's token",
					before: async world => {
						await world.addKeys('guest', planLimits[plan].keys);
						await world.setPlan('guest', plan);
					},
					status: 403,
					expected: planLimit,
					// More keys per minute than the rate limit allows.
					...(planLimits[plan].keys > 10 && {needsClock: true}),
				}),
			),
			{
				title: 'allows ten requests a minute',
				needsClock: true,
				as: "guest's token",
				before: async world => {
					for (let request = 0; request < 10; request++) {
						expect(await world.status('POST /inboxes/keys', "guest's token")).toBe(201);
					}
				},
				status: 429,
				expected: problem(429, 'rate_limited'),
				headers: {'retry-after': '60'},
			},
			{
				title: 'allows further requests after a minute, counted per user',
				needsClock: true,
				as: "guest's token",
				before: async world => {
					await world.addKeys('owner', 10);
					world.passTime(60_000);
				},
				status: 201,
				expected: createdKeyShape,
			},
		]);
	});

	describe('GET /inboxes/keys', () => {
		testRows('GET /inboxes/keys', [
			{
				title: 'lists the prefixes of the keys of the caller',
				as: "owner's token",
				before: world => world.addKeys('owner', 2),
				status: 200,
				expected: {keys: [keyShape, keyShape]},
			},
			{
				title: 'shows when a key was last used',
				needsClock: true,
				as: "owner's token",
				before: async world => {
					expect(await world.status('GET /inboxes', "owner's key")).toBe(200);
					await world.flush();
				},
				status: 200,
				expected: {keys: [{...keyShape, last_used_at: time}]},
			},
			{
				title: 'hides objects of other users',
				as: "guest's token",
				before: world => world.addKeys('owner', 1),
				status: 200,
				expected: {keys: []},
			},
			{title: 'requires credentials', as: 'nobody', status: 401, expected: noCredentials},
		]);
	});

	describe('DELETE /inboxes/keys/{keyId}', () => {
		testRows('DELETE /inboxes/keys/{ownerKey}', [
			{
				title: 'revokes the key from the next request on',
				as: "owner's token",
				before: world => world.giveKey('owner'),
				status: 200,
				expected: done,
				after: async world => {
					for (const request of ['GET /inboxes', 'POST /inboxes', 'GET /webhooks'] as const) {
						expect(await world.json(request, "owner's key")).toEqual(noCredentials);
					}
				},
			},
			{
				title: 'returns 404 for keys of other users',
				as: "guest's token",
				before: world => world.giveKey('owner'),
				status: 404,
				expected: problem(404, 'not_found'),
			},
			{
				title: 'returns 404 for an unknown id',
				path: '/inboxes/keys/unknown',
				as: "owner's token",
				status: 404,
				expected: problem(404, 'not_found'),
			},
			{
				title: 'rejects the key itself as credentials',
				as: "owner's key",
				before: world => world.giveKey('owner'),
				status: 401,
				expected: noCredentials,
			},
			{
				title: 'requires credentials',
				path: '/inboxes/keys/unknown',
				as: 'nobody',
				status: 401,
				expected: noCredentials,
			},
		]);
	});
}
