import {expect, test} from 'vitest';
import {completed, inOutline} from '../../src/store/json/outline.js';
import {State} from '../../src/store/json/state/state.js';
import {someDelivery, someEndpoint} from './rows.js';

test('a compaction keeps a delivery as it is, but for the response that was dropped from it', () => {
	const endpoint = someEndpoint();
	const [kept, dropped] = [
		someDelivery(endpoint.id, {responseBody: 'ok'}),
		someDelivery(endpoint.id, {responseBody: 'ok'}),
	];
	const state = new State();
	state.restore(inOutline([endpoint].map(row => ['put', 'endpoints', row] as const)));
	state.restore(inOutline([kept, dropped].map(row => ['put', 'deliveries', row] as const)));
	state.apply([['patch', 'deliveries', dropped.id, {responseBody: null}]]);
	const after = [kept, dropped].map(whole => {
		const row = state.tables.deliveries.get(whole.id);
		return row && completed('deliveries', row, whole);
	});
	expect(after).toEqual([kept, {...dropped, responseBody: null}]);
});
