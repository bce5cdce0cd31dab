import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {EventBody} from '../../../../../src/contract/events.js';
import type {InboxBody} from '../../../../../src/contract/inboxes.js';
import {readAnew, withFeed, withReadInboxes} from '../../../../../src/ui/web/actions/feed.js';
import {initialState, type WebState} from '../../../../../src/ui/web/state/state.js';
import {inboxBody, received} from '../../tui/bodies.js';

type Step = {readonly event: EventBody; readonly after: readonly InboxBody[]};

/** History of a daemon: events, and the inboxes after each of them. */
function historyOf(wanted: ReadonlyArray<{readonly does: string; readonly which: number}>): readonly Step[] {
	let all: readonly InboxBody[] = [inboxBody('in0')];
	return wanted.flatMap(({does, which}, index): readonly Step[] => {
		const chosen = all[which % Math.max(1, all.length)];
		if (does === 'create') {
			const inbox = inboxBody(`in${index + 1}`);
			all = [inbox, ...all];
			return [{event: {type: 'inbox.created', inbox}, after: all}];
		}

		if (chosen === undefined) {
			return [];
		}

		if (does === 'delete') {
			all = all.filter(inbox => inbox !== chosen);
			return [{event: {type: 'inbox.deleted', inbox_id: chosen.id}, after: all}];
		}

		const count = chosen.message_count + 1;
		all = all.map(inbox => (inbox === chosen ? {...inbox, message_count: count} : inbox));
		return [{event: received(`m${index}`, {inbox_id: chosen.id}, count), after: all}];
	});
}

test('no event is lost while the inboxes are read', () => {
	const step = fc.record({does: fc.constantFrom('create', 'delete', 'mail'), which: fc.nat(5)});
	fc.assert(
		fc.property(fc.array(step, {maxLength: 20}), fc.nat(20), fc.nat(20), (wanted, madeAt, cameAfter) => {
			const history = historyOf(wanted);
			const made = Math.min(madeAt, history.length);
			const came = Math.min(made + cameAfter, history.length);
			const tell = (state: WebState, {event}: Step): WebState => ({...state, ...withFeed(state, [event])});
			const start: WebState = {...initialState({screen: 'inboxes'}), ...readAnew(initialState({screen: 'inboxes'}))};
			const waiting = history.slice(0, came).reduce(tell, start);
			const answer = history[made - 1]?.after ?? [inboxBody('in0')];
			const read = {...waiting, ...withReadInboxes(waiting, answer), inboxesRevision: waiting.revision};
			const end = history.slice(came).reduce(tell, read);
			expect(end.inboxes.all).toEqual(history.at(-1)?.after ?? [inboxBody('in0')]);
			expect(end.inboxEvents).toEqual([]);
		}),
	);
});
