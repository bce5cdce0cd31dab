import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {EventBody} from '../../../../../src/contract/events.js';
import type {InboxBody} from '../../../../../src/contract/inboxes.js';
import type {MessageSummaryBody} from '../../../../../src/contract/messages.js';
import {withInboxes} from '../../../../../src/ui/core/inboxes.js';
import {emptyMessageList, type ListRead, withListRead} from '../../../../../src/ui/core/message-list.js';
import {readAnew, withFeed} from '../../../../../src/ui/web/actions/feed.js';
import {
	type ListQuery,
	listRead,
	shownList,
	shownRows,
	updatedList,
	withAnswer,
	withView,
} from '../../../../../src/ui/web/actions/message-list.js';
import {mailRoute, type Route} from '../../../../../src/ui/web/state/route.js';
import {initialState, rowsPerRead, type WebState} from '../../../../../src/ui/web/state/state.js';

const inboxIds = ['a', 'b'] as const;

/** Two inboxes, and a page that receives events and responses with delay. */
class Simulation {
	readonly #inboxes = new Map<string, MessageSummaryBody[]>(inboxIds.map(id => [id, []]));
	#number = 0;
	#unpublished: Array<() => EventBody> = [];
	/** Pending request, with its response after the daemon created it. */
	#pending: {readonly query: ListQuery; readonly read: ListRead; response?: readonly MessageSummaryBody[]} | undefined;
	state: WebState;

	constructor(route: Route) {
		this.state = initialState(route);
		this.reconnect();
	}

	/** Receives a message. `back` makes its id smaller than the previous id. */
	receive(inboxId: string, back = 0): void {
		const number = ++this.#number;
		const row: MessageSummaryBody = {
			id: `${String(number * 10 - back * 11).padStart(6, '0')}-${number}`,
			inbox_id: inboxId,
			from: 'app@example.com',
			from_name: null,
			to: 'you@tinbox.test',
			subject: number % 3 === 0 ? 'Reset' : 'Hello',
			size: 1,
			received_at: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
		};
		this.#messagesIn(inboxId).unshift(row);
		this.#unpublished.push(() => ({
			type: 'message.received',
			message: row,
			message_count: this.#messagesIn(inboxId).length,
		}));
	}

	delete(inboxId: string, index: number): void {
		const rows = this.#messagesIn(inboxId);
		const [deleted] = rows.length === 0 ? [] : rows.splice(index % rows.length, 1);
		if (deleted) {
			this.#unpublished.push(() => ({
				type: 'message.deleted',
				inbox_id: inboxId,
				message_id: deleted.id,
				message_count: this.#messagesIn(inboxId).length,
			}));
		}
	}

	empty(inboxId: string): void {
		this.#messagesIn(inboxId).splice(0);
		this.#unpublished.push(() => ({
			type: 'messages.deleted',
			inbox_id: inboxId,
			message_count: this.#messagesIn(inboxId).length,
		}));
	}

	/** Delivers the first `count` events to the page, without arrivals that were deleted since. */
	publish(count: number): void {
		const events = this.#unpublished
			.splice(0, count)
			.map(createEvent => createEvent())
			.filter(
				event => event.type !== 'message.received' || this.#messagesIn(event.message.inbox_id).includes(event.message),
			);
		this.#update(state => withFeed(state, events));
	}

	/** Connects the feed again with possibly missed events. */
	reconnect(): void {
		this.#unpublished = [];
		this.#update(state => ({
			...readAnew(state),
			inboxes: withInboxes(
				state.inboxes,
				inboxIds.map(
					id => ({id, name: id, email_address: id, message_count: this.#messagesIn(id).length}) as InboxBody,
				),
			),
		}));
	}

	scroll(start: number): void {
		this.#update(state => updatedList(state, list => withView(list, {start, end: start + 12})));
	}

	/** Sends the next request, creates its response, or delivers the response. False if nothing is missing. */
	advance(): boolean {
		const pending = this.#pending;
		if (pending === undefined) {
			this.#pending = listRead(this.state);
			return this.#pending !== undefined;
		}

		if (pending.response === undefined) {
			pending.response = this.#respond(pending);
			return true;
		}

		this.#pending = undefined;
		const {query, read, response} = pending;
		const wanted = listRead(this.state);
		const isWanted = wanted && readKey(wanted.read) === readKey(read);
		if (isWanted) {
			this.#update(state => updatedList(state, list => withAnswer(list, query, read, response)));
		}

		return true;
	}

	/** Rows that the complete list must contain. */
	get rows(): readonly MessageSummaryBody[] {
		const {route} = this.state;
		return route.screen === 'mail' ? this.#matching(route) : [];
	}

	/** Delivers all events and sends requests until nothing is missing. */
	settle(): void {
		this.publish(Number.POSITIVE_INFINITY);
		let steps = 0;
		while (this.advance()) {
			expect(steps++, JSON.stringify(listRead(this.state))).toBeLessThan(300);
		}
	}

	#messagesIn(inboxId: string): MessageSummaryBody[] {
		return this.#inboxes.get(inboxId) ?? [];
	}

	#matching({inboxId, filter}: ListQuery): readonly MessageSummaryBody[] {
		const all = inboxId === undefined ? inboxIds.flatMap(id => this.#messagesIn(id)) : this.#messagesIn(inboxId);
		const found = all.filter(({subject}) => subject.includes(filter.q ?? ''));
		return inboxId === undefined ? found.toSorted((one, other) => (one.id < other.id ? 1 : -1)) : found;
	}

	#respond({query, read}: {readonly query: ListQuery; readonly read: ListRead}): readonly MessageSummaryBody[] {
		const rows = this.#matching(query);
		const limit = rowsPerRead;
		switch (read.kind) {
			case 'page':
				return rows.slice((read.page - 1) * limit, read.page * limit);
			case 'newest':
				return rows.slice(0, limit);
			case 'older': {
				const index = rows.findIndex(({id}) => id === read.before);
				return rows.filter(({id}, other) => (index < 0 ? id < read.before : other > index)).slice(0, limit);
			}

			case 'arrivals':
				return rows.filter(({received_at: at}) => at >= read.after).slice(0, limit);
		}
	}

	#update(update: (state: WebState) => Partial<WebState>): void {
		this.state = {...this.state, ...update(this.state)};
	}
}

/** Identifies a request apart from the page in view. */
const readKey = (read: ListRead) => JSON.stringify({...read, changes: 0, page: 0});

type Step = (simulation: Simulation) => void;

const inboxId = fc.constantFrom(...inboxIds);
const step: fc.Arbitrary<Step> = fc.oneof(
	{weight: 6, arbitrary: inboxId.map(id => (simulation: Simulation) => simulation.receive(id))},
	{
		weight: 2,
		arbitrary: fc.tuple(inboxId, fc.integer({min: 1, max: 130})).map(([id, count]) => (simulation: Simulation) => {
			for (let index = 0; index < count; index++) {
				simulation.receive(id, index % 7 === 3 ? 1 : 0);
			}
		}),
	},
	{
		weight: 4,
		arbitrary: fc.tuple(inboxId, fc.nat(200)).map(
			([id, index]) =>
				(simulation: Simulation) =>
					simulation.delete(id, index),
		),
	},
	{weight: 1, arbitrary: inboxId.map(id => (simulation: Simulation) => simulation.empty(id))},
	{
		weight: 6,
		arbitrary: fc.integer({min: 1, max: 40}).map(count => (simulation: Simulation) => simulation.publish(count)),
	},
	{weight: 8, arbitrary: fc.constant((simulation: Simulation) => void simulation.advance())},
	{weight: 4, arbitrary: fc.nat(260).map(start => (simulation: Simulation) => simulation.scroll(start))},
	{weight: 1, arbitrary: fc.constant((simulation: Simulation) => simulation.reconnect())},
);

describe.each<[what: string, route: Route]>([
	['an inbox', mailRoute('a')],
	['all mail', mailRoute()],
	['matches in an inbox', mailRoute('a', {q: 'Reset'})],
	['matches in all inboxes', mailRoute(undefined, {q: 'Reset'})],
])('the list of %s', (_, route) => {
	test('shows every message for any interleaving of events and responses', () => {
		fc.assert(
			fc.property(fc.array(step, {maxLength: 60}), steps => {
				const simulation = new Simulation(route);
				for (const run of steps) {
					run(simulation);
				}

				simulation.settle();
				const {length} = simulation.rows;
				// Scrolls from one end to the other, like a user.
				for (let start = 0; start < length + 12; start += 9) {
					simulation.scroll(start);
					simulation.settle();
					const {top, rows, total, isComplete} = shownRows(simulation.state);
					const shown = Array.from({length: 12}, (_, index) => rows[start + index - top]?.id);
					const expected = Array.from({length: 12}, (_, index) => simulation.rows[start + index]?.id);
					expect(shown.filter(Boolean)).toEqual(expected.filter(Boolean));
					expect(isComplete ? total : length).toBe(length);
				}
			}),
			{numRuns: 200},
		);
	});
});

describe('the list of an inbox', () => {
	const simulate = (count: number) => {
		const simulation = new Simulation(mailRoute('a'));
		for (let index = 0; index < count; index++) {
			simulation.receive('a');
		}

		simulation.settle();
		return simulation;
	};

	test('requests only the rows in view', () => {
		const simulation = simulate(1000);
		simulation.scroll(500);
		simulation.settle();
		const {top, rows, total} = shownRows(simulation.state);
		expect([top, rows.length, total]).toEqual([500, rowsPerRead, 1000]);
	});

	test('counts new messages above the view until the view reaches the top', () => {
		const simulation = simulate(100);
		simulation.scroll(20);
		simulation.receive('a');
		simulation.receive('b');
		simulation.receive('a');
		simulation.publish(3);
		expect(shownList(simulation.state)).toMatchObject({above: 2, view: {start: 22, end: 34}});
		simulation.scroll(1);
		expect(shownList(simulation.state).above).toBe(1);
		simulation.scroll(0);
		simulation.receive('a');
		simulation.publish(1);
		expect(shownList(simulation.state)).toMatchObject({above: 0, view: {start: 0}});
	});

	test('hides messages with a pending delete and shows them again after an undo', () => {
		const simulation = simulate(60);
		const [first, second] = simulation.rows;
		const removal = {id: first?.id ?? '', kind: 'message', inboxId: 'a', what: ''} as const;
		const shown = shownRows({...simulation.state, removals: [removal]});
		expect([shown.total, shown.rows[0]]).toEqual([59, second]);
		expect(shownRows(simulation.state).rows[0]).toBe(first);
		const mail = {...removal, id: 'a', kind: 'mail', upTo: first?.id} as const;
		expect(shownRows({...simulation.state, removals: [mail]})).toMatchObject({total: 0, rows: []});
		simulation.receive('a');
		simulation.publish(1);
		expect(shownRows({...simulation.state, removals: [mail]})).toMatchObject({total: 1, rows: [simulation.rows[0]]});
	});

	test('is reloaded if an older page after a deleted cursor contains only known rows', () => {
		const {rows} = simulate(rowsPerRead);
		const list = {...emptyMessageList, revision: 0, rows};
		const scope = {inboxId: 'a', isFiltered: false, isCounted: true};
		const read = {changes: 0, revision: 0, limit: rowsPerRead, kind: 'older', before: 'deleted'} as const;
		expect(withListRead(list, scope, read, rows)).toMatchObject({revision: -1, rows});
	});
});
