import {describe, expect} from 'vitest';
import type {TestRows} from '../rows.js';
import {text, wrongFields} from '../shapes.js';
import type {World} from '../world.js';

export function limitsTable(testRows: TestRows): void {
	const rows = (count: number) => Array.from({length: count}, () => expect.objectContaining({id: text}));

	describe('GET /inboxes', () => {
		testRows('GET /inboxes', [
			{
				title: 'returns the first twenty by default',
				as: "guest's key",
				before: world => world.addInboxes('guest', 25),
				status: 200,
				expected: {inboxes: rows(20), total: 25, page: 1, limit: 20},
			},
			{
				title: 'returns the rest on the second page',
				as: "guest's key",
				path: '/inboxes?page=2',
				before: world => world.addInboxes('guest', 25),
				status: 200,
				expected: {inboxes: rows(5), total: 25, page: 2, limit: 20},
			},
			{
				title: 'returns a hundred at most',
				as: "guest's key",
				path: '/inboxes?limit=1000',
				before: world => world.addInboxes('guest', 105),
				status: 200,
				expected: {inboxes: rows(100), total: 105, page: 1, limit: 100},
			},
			{title: 'rejects page 0', as: "guest's key", path: '/inboxes?page=0', status: 400, expected: wrongFields('page')},
			{
				title: 'rejects a fractional limit',
				as: "guest's key",
				path: '/inboxes?limit=1.5',
				status: 400,
				expected: wrongFields('limit'),
			},
		]);
	});

	describe('GET /inboxes/{id}/messages', () => {
		const withMail = (count: number) => async (world: World) => {
			await world.addTeamInbox('owner');
			await world.deliver(count);
		};
		testRows('GET /inboxes/{inbox}/messages', [
			{
				title: 'returns the newest twenty by default',
				as: "owner's key",
				before: withMail(25),
				status: 200,
				expected: rows(20),
			},
			{
				title: 'returns a hundred at most, to every member of the team',
				as: "member's key",
				path: '/inboxes/{inbox}/messages?limit=1000',
				before: withMail(105),
				status: 200,
				expected: rows(100),
			},
			{
				title: 'shortens an overlong wait, and does not wait if there are messages',
				as: "owner's key",
				path: '/inboxes/{inbox}/messages?wait=3600',
				before: withMail(1),
				status: 200,
				expected: rows(1),
			},
			{
				title: 'rejects a negative wait',
				as: "owner's key",
				path: '/inboxes/{inbox}/messages?wait=-1',
				before: withMail(1),
				status: 400,
				expected: wrongFields('wait'),
			},
		]);
	});

	describe('GET /webhooks/{id}', () => {
		testRows('GET /webhooks/{endpoint}', [
			{
				title: 'returns the twenty most recent deliveries',
				as: "owner's key",
				before: world => world.addEndpoint(25),
				status: 200,
				expected: expect.objectContaining({recent_deliveries: rows(20)}),
			},
		]);
	});

	describe('GET /webhooks/{id}/deliveries', () => {
		testRows('GET /webhooks/{endpoint}/deliveries', [
			{
				title: 'returns the first twenty by default',
				as: "owner's key",
				before: world => world.addEndpoint(25),
				status: 200,
				expected: {deliveries: rows(20), pagination: {page: 1, limit: 20, total: 25, pages: 2}},
			},
			{
				title: 'returns a hundred at most',
				as: "owner's key",
				path: '/webhooks/{endpoint}/deliveries?limit=1000',
				before: world => world.addEndpoint(105),
				status: 200,
				expected: {deliveries: rows(100), pagination: {page: 1, limit: 100, total: 105, pages: 2}},
			},
		]);
	});
}
