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
				says: 'gives the whole key, once',
				as: "guest's token",
				body: {name: ' CI '},
				status: 201,
				answer: {...createdKeyShape, name: 'CI'},
			},
			{says: 'needs no body', as: "guest's token", status: 201, answer: {...createdKeyShape, name: 'Default'}},
			{
				says: 'needs no name',
				as: "guest's token",
				body: {},
				status: 201,
				answer: {...createdKeyShape, name: 'Default'},
			},
			{says: 'takes no empty name', as: "guest's token", body: {name: ''}, status: 400, answer: wrongFields('name')},
			{says: 'takes no other field', as: "guest's token", body: {key: 'mine'}, status: 400, answer: wrongFields('key')},
			{says: 'asks who is calling', as: 'nobody', status: 401, answer: noCredentials},
			{says: 'does not take an API key', as: "guest's key", status: 401, answer: noCredentials},
			{
				says: 'gives one key to the free plan',
				as: "guest's token",
				given: async world => world.setPlan('guest', 'free'),
				status: 201,
				answer: createdKeyShape,
			},
			...plans.map(
				(plan): Row => ({
					says: `gives no more than ${planLimits[plan].keys} to the ${plan} plan`,
					as: "guest's token",
					given: async world => {
						await world.addKeys('guest', planLimits[plan].keys);
						await world.setPlan('guest', plan);
					},
					status: 403,
					answer: planLimit,
					// More in a minute than anybody may make.
					...(planLimits[plan].keys > 10 && {needsClock: true}),
				}),
			),
			{
				says: 'takes ten requests a minute',
				needsClock: true,
				as: "guest's token",
				given: async world => {
					for (let request = 0; request < 10; request++) {
						expect(await world.status('POST /inboxes/keys', "guest's token")).toBe(201);
					}
				},
				status: 429,
				answer: problem(429, 'rate_limited'),
				headers: {'retry-after': '60'},
			},
			{
				says: 'goes on when the minute is over, and counts for each user alone',
				needsClock: true,
				as: "guest's token",
				given: async world => {
					await world.addKeys('owner', 10);
					world.passTime(60_000);
				},
				status: 201,
				answer: createdKeyShape,
			},
		]);
	});

	describe('GET /inboxes/keys', () => {
		testRows('GET /inboxes/keys', [
			{
				says: 'lists the prefixes of the caller’s keys',
				as: "owner's token",
				given: world => world.addKeys('owner', 2),
				status: 200,
				answer: {keys: [keyShape, keyShape]},
			},
			{
				says: 'tells when a key was last used',
				needsClock: true,
				as: "owner's token",
				given: async world => {
					expect(await world.status('GET /inboxes', "owner's key")).toBe(200);
					await world.flush();
				},
				status: 200,
				answer: {keys: [{...keyShape, last_used_at: time}]},
			},
			{
				says: 'lists nothing of others',
				as: "guest's token",
				given: world => world.addKeys('owner', 1),
				status: 200,
				answer: {keys: []},
			},
			{says: 'asks who is calling', as: 'nobody', status: 401, answer: noCredentials},
		]);
	});

	describe('DELETE /inboxes/keys/{keyId}', () => {
		testRows('DELETE /inboxes/keys/{ownerKey}', [
			{
				says: 'revokes the key, which is refused from the next request on',
				as: "owner's token",
				given: world => world.giveKey('owner'),
				status: 200,
				answer: done,
				afterwards: async world => {
					for (const request of ['GET /inboxes', 'POST /inboxes', 'GET /webhooks'] as const) {
						expect(await world.answer(request, "owner's key")).toEqual(noCredentials);
					}
				},
			},
			{
				says: 'does not find the keys of others',
				as: "guest's token",
				given: world => world.giveKey('owner'),
				status: 404,
				answer: problem(404, 'not_found'),
			},
			{
				says: 'does not know every id',
				path: '/inboxes/keys/unknown',
				as: "owner's token",
				status: 404,
				answer: problem(404, 'not_found'),
			},
			{
				says: 'does not take the key itself',
				as: "owner's key",
				given: world => world.giveKey('owner'),
				status: 401,
				answer: noCredentials,
			},
			{says: 'asks who is calling', path: '/inboxes/keys/unknown', as: 'nobody', status: 401, answer: noCredentials},
		]);
	});
}
