import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {EventBody} from '../../../../../src/contract/events.js';
import type {InboxBody} from '../../../../../src/contract/inboxes.js';
import {readAnew, withFeed, withReadInboxes} from '../../../../../src/ui/web/actions/feed.js';
import {initialState, type WebState} from '../../../../../src/ui/web/state/state.js';
import {inboxBody, received} from '../../tui/bodies.js';

type Step = {readonly event: EventBody; readonly after: readonly InboxBody[]};

/** Events of a daemon, each with the inboxes after it. */
function historyOf(changes: ReadonlyArray<{readonly type: string; readonly index: number}>): readonly Step[] {
	let all: readonly InboxBody[] = [inboxBody('in0')];
	return changes.flatMap(({type, index}, number): readonly Step[] => {
		const inbox = all[index % Math.max(1, all.length)];
		if (type === 'create') {
			const created = inboxBody(`in${number + 1}`);
			all = [created, ...all];
			return [{event: {type: 'inbox.created', inbox: created}, after: all}];
		}

		if (inbox === undefined) {
			return [];
		}

		if (type === 'delete') {
			all = all.filter(other => other !== inbox);
			return [{event: {type: 'inbox.deleted', inbox_id: inbox.id}, after: all}];
		}

		const count = inbox.message_count + 1;
		all = all.map(other => (other === inbox ? {...inbox, message_count: count} : other));
		return [{event: received(`m${number}`, {inbox_id: inbox.id}, count), after: all}];
	});
}

test('no event is lost while the inboxes are loaded', () => {
	const change = fc.record({type: fc.constantFrom('create', 'delete', 'receive'), index: fc.nat(5)});
	fc.assert(
		fc.property(fc.array(change, {maxLength: 20}), fc.nat(20), fc.nat(20), (changes, createdIndex, delay) => {
			const history = historyOf(changes);
			// Number of events before the daemon creates the response, and before the page receives it.
			const createdAt = Math.min(createdIndex, history.length);
			const receivedAt = Math.min(createdAt + delay, history.length);
			const publish = (state: WebState, {event}: Step): WebState => ({...state, ...withFeed(state, [event])});
			const start: WebState = {...initialState({screen: 'inboxes'}), ...readAnew(initialState({screen: 'inboxes'}))};
			const waiting = history.slice(0, receivedAt).reduce(publish, start);
			const response = history[createdAt - 1]?.after ?? [inboxBody('in0')];
			const read = {...waiting, ...withReadInboxes(waiting, response), inboxesRevision: waiting.revision};
			const end = history.slice(receivedAt).reduce(publish, read);
			expect(end.inboxes.all).toEqual(history.at(-1)?.after ?? [inboxBody('in0')]);
			expect(end.inboxEvents).toEqual([]);
		}),
	);
});
