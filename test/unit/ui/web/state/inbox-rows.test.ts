import {describe, expect, test} from 'vitest';
import {withInboxes} from '../../../../../src/ui/core/inboxes.js';
import {withFeed} from '../../../../../src/ui/web/actions/feed.js';
import {inboxesLeft, routeBeside, rowsLeft} from '../../../../../src/ui/web/state/inbox-rows.js';
import {mailRoute} from '../../../../../src/ui/web/state/route.js';
import {titleOf} from '../../../../../src/ui/web/state/route-state.js';
import {initialState, loggedOut, type WebState} from '../../../../../src/ui/web/state/state.js';
import {inboxBody} from '../../tui/bodies.js';

function stateAt(route = mailRoute('b'), names: readonly string[] = ['c', 'b', 'a']): WebState {
	const state: WebState = {...initialState(route), account: {status: 'in', email: 'ann@example.com'}};
	const all = names.map(id => inboxBody(id, {name: `box ${id}`, message_count: 5}));
	return {...state, inboxes: withInboxes(state.inboxes, all)};
}

const removal = (id: string) => ({id, kind: 'inbox' as const, inboxId: id, what: id});

describe('an inbox with a pending delete', () => {
	test('is not listed', () => {
		expect(rowsLeft({...stateAt(), removals: [removal('c')]}).map(({id}) => id)).toEqual(['all mail', 'b', 'a']);
	});

	test.each([
		['b', [], mailRoute('a')],
		['a', [], mailRoute('b')],
		['b', ['a'], mailRoute('c')],
		['b', ['a', 'c'], mailRoute()],
	])('%s, next to pending deletes of %j, leads to its nearest remaining neighbour', (id, pending, expected) => {
		expect(routeBeside({...stateAt(), removals: [id, ...pending].map(removal)}, id)).toEqual(expected);
	});

	test('leads to the list of inboxes if it is the only inbox', () => {
		expect(routeBeside(stateAt(mailRoute('b'), ['b']), 'b')).toEqual({screen: 'inboxes'});
	});
});

test('message counts exclude pending deletes before and after their events', () => {
	const state = stateAt();
	const message = {id: 'm2', kind: 'message' as const, inboxId: 'b', what: ''};
	const mail = {...removal('a'), kind: 'mail' as const, upTo: 'm5', count: 4};
	const removals = [message, {...message, id: 'm1', inboxId: 'a'}, mail, removal('c')];
	const after = {...state, removals};
	const counts = (state: WebState) => inboxesLeft(state).map(({id, message_count}) => [id, message_count]);
	expect(counts(after)).toEqual([
		['b', 4],
		['a', 1],
	]);
	const updated = withFeed(after, [
		{type: 'message.deleted', inbox_id: 'b', message_id: 'm2', message_count: 4},
		{type: 'inbox.deleted', inbox_id: 'c'},
	]);
	expect(counts({...after, ...updated})).toEqual(counts(after));
	expect(updated.removals).toEqual(removals.slice(1, 3));
	const unseen = new Map([['a', {ids: new Set<string>(), count: 5}]]);
	expect(titleOf({...after, unseen})).toBe('(1) box b – tinbox');
});

test('a logout keeps only the route and the reason', () => {
	const state = loggedOut({...stateAt(), revision: 3, unseen: new Map([['b', {ids: new Set(), count: 1}]])}, 'Over.');
	expect(state).toEqual({
		...initialState(mailRoute('b')),
		account: {status: 'out'},
		notice: {text: 'Over.', tone: 'error'},
	});
	expect(loggedOut(state)).toEqual(state);
});
