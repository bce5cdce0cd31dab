import {expect, test} from 'vitest';
import {withInboxes} from '../../../../../src/ui/core/inboxes.js';
import {mailRoute} from '../../../../../src/ui/web/state/route.js';
import {titleOf, withRoute} from '../../../../../src/ui/web/state/route-state.js';
import {initialState, type WebState} from '../../../../../src/ui/web/state/state.js';
import {inboxBody} from '../../tui/bodies.js';

function stateAt(route = mailRoute('b')): WebState {
	const state: WebState = {...initialState(route), account: {status: 'in', email: 'ann@example.com'}};
	const all = ['c', 'b', 'a'].map(id => inboxBody(id, {name: `box ${id}`, message_count: 5}));
	return {...state, inboxes: withInboxes(state.inboxes, all)};
}

test('opening a message marks it as seen', () => {
	const unseen = new Map([['b', {ids: new Set(['m1', 'm2']), count: 2}]]);
	const open = {inboxId: 'b', messageId: 'm1'};
	const after = withRoute({...stateAt(), unseen}, {screen: 'mail', inboxId: undefined, open, filter: {}});
	expect(after.unseen).toEqual(new Map([['b', {ids: new Set(['m2']), count: 1}]]));
	expect(after.inboxes?.shown.selected).toBe('all mail');
});

test('the page title shows the place and the number of new messages', () => {
	const unseen = new Map([['a', {ids: new Set<string>(), count: 2}]]);
	expect(titleOf(initialState(mailRoute('b')))).toBe('tinbox');
	expect(titleOf({...stateAt(), unseen})).toBe('(2) box b – tinbox');
	expect(titleOf(stateAt(mailRoute()))).toBe('All inboxes – tinbox');
	expect(titleOf(stateAt({screen: 'faults', inboxId: 'a'}))).toBe('Faults – box a – tinbox');
	expect(titleOf(stateAt({screen: 'faults', inboxId: null}))).toBe('Faults – tinbox');
	expect(titleOf(stateAt({screen: 'webhooks'}))).toBe('Webhooks – tinbox');
});
