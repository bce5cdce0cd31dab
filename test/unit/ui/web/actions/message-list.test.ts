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

/** Two inboxes, and a page that hears of them late. */
class World {
	readonly #inboxes = new Map<string, MessageSummaryBody[]>(inboxIds.map(id => [id, []]));
	#number = 0;
	#untold: Array<() => EventBody> = [];
	/** Pending request, and its answer once it was computed. */
	#asked: {readonly query: ListQuery; readonly read: ListRead; answer?: readonly MessageSummaryBody[]} | undefined;
	state: WebState;

	constructor(route: Route) {
		this.state = initialState(route);
		this.begin();
	}

	/** Receives a mail. `back` makes its id smaller than the previous one. */
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
		this.#of(inboxId).unshift(row);
		this.#untold.push(() => ({type: 'message.received', message: row, message_count: this.#of(inboxId).length}));
	}

	delete(inboxId: string, index: number): void {
		const rows = this.#of(inboxId);
		const [gone] = rows.length === 0 ? [] : rows.splice(index % rows.length, 1);
		if (gone) {
			this.#untold.push(() => ({
				type: 'message.deleted',
				inbox_id: inboxId,
				message_id: gone.id,
				message_count: this.#of(inboxId).length,
			}));
		}
	}

	empty(inboxId: string): void {
		this.#of(inboxId).splice(0);
		this.#untold.push(() => ({
			type: 'messages.deleted',
			inbox_id: inboxId,
			message_count: this.#of(inboxId).length,
		}));
	}

	/** Delivers the first `count` events to the page, without arrivals that were deleted since. */
	tell(count: number): void {
		const events = this.#untold
			.splice(0, count)
			.map(told => told())
			.filter(event => event.type !== 'message.received' || this.#of(event.message.inbox_id).includes(event.message));
		this.#update(state => withFeed(state, events));
	}

	/** The connection is made anew, and nobody knows what was missed. */
	begin(): void {
		this.#untold = [];
		this.#update(state => ({
			...readAnew(state),
			inboxes: withInboxes(
				state.inboxes,
				inboxIds.map(id => ({id, name: id, email_address: id, message_count: this.#of(id).length}) as InboxBody),
			),
		}));
	}

	scroll(start: number): void {
		this.#update(state => updatedList(state, list => withView(list, {start, end: start + 12})));
	}

	/** The page asks for what it lacks, the daemon answers, or the answer arrives. */
	read(): boolean {
		const asked = this.#asked;
		if (asked === undefined) {
			this.#asked = listRead(this.state);
			return this.#asked !== undefined;
		}

		if (asked.answer === undefined) {
			asked.answer = this.#answer(asked);
			return true;
		}

		this.#asked = undefined;
		const {query, read, answer} = asked;
		const wanted = listRead(this.state);
		const isWanted = wanted && sameRead(wanted.read) === sameRead(read);
		if (isWanted) {
			this.#update(state => updatedList(state, list => withAnswer(list, query, read, answer)));
		}

		return true;
	}

	/** Expected rows. */
	get rows(): readonly MessageSummaryBody[] {
		const {route} = this.state;
		return route.screen === 'mail' ? this.#listed(route) : [];
	}

	/** Hears of everything, and reads until nothing lacks. */
	settle(): void {
		this.tell(Number.POSITIVE_INFINITY);
		let steps = 0;
		while (this.read()) {
			expect(steps++, JSON.stringify(listRead(this.state))).toBeLessThan(300);
		}
	}

	#of(inboxId: string): MessageSummaryBody[] {
		return this.#inboxes.get(inboxId) ?? [];
	}

	#listed({inboxId, filter}: ListQuery): readonly MessageSummaryBody[] {
		const all = inboxId === undefined ? inboxIds.flatMap(id => this.#of(id)) : this.#of(inboxId);
		const found = all.filter(({subject}) => subject.includes(filter.q ?? ''));
		return inboxId === undefined ? found.toSorted((one, other) => (one.id < other.id ? 1 : -1)) : found;
	}

	#answer({query, read}: {readonly query: ListQuery; readonly read: ListRead}): readonly MessageSummaryBody[] {
		const rows = this.#listed(query);
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

/** Whatever page is in view by now. */
const sameRead = (read: ListRead) => JSON.stringify({...read, changes: 0, page: 0});

type Step = (world: World) => void;

const inboxId = fc.constantFrom(...inboxIds);
const step: fc.Arbitrary<Step> = fc.oneof(
	{weight: 6, arbitrary: inboxId.map(id => (world: World) => world.receive(id))},
	{
		weight: 2,
		arbitrary: fc.tuple(inboxId, fc.integer({min: 1, max: 130})).map(([id, count]) => (world: World) => {
			for (let mail = 0; mail < count; mail++) {
				world.receive(id, mail % 7 === 3 ? 1 : 0);
			}
		}),
	},
	{
		weight: 4,
		arbitrary: fc.tuple(inboxId, fc.nat(200)).map(
			([id, index]) =>
				(world: World) =>
					world.delete(id, index),
		),
	},
	{weight: 1, arbitrary: inboxId.map(id => (world: World) => world.empty(id))},
	{weight: 6, arbitrary: fc.integer({min: 1, max: 40}).map(count => (world: World) => world.tell(count))},
	{weight: 8, arbitrary: fc.constant((world: World) => void world.read())},
	{weight: 4, arbitrary: fc.nat(260).map(start => (world: World) => world.scroll(start))},
	{weight: 1, arbitrary: fc.constant((world: World) => world.begin())},
);

describe.each<[what: string, route: Route]>([
	['an inbox', mailRoute('a')],
	['all mail', mailRoute()],
	['matches in an inbox', mailRoute('a', {q: 'Reset'})],
	['matches in all inboxes', mailRoute(undefined, {q: 'Reset'})],
])('the list of %s', (_, route) => {
	test('the list shows every message, however events and answers interleave', () => {
		fc.assert(
			fc.property(fc.array(step, {maxLength: 60}), steps => {
				const world = new World(route);
				for (const take of steps) {
					take(world);
				}

				world.settle();
				const {length} = world.rows;
				// From one end to the other, as a person would.
				for (let start = 0; start < length + 12; start += 9) {
					world.scroll(start);
					world.settle();
					const {top, rows, total, isComplete} = shownRows(world.state);
					const shown = Array.from({length: 12}, (_, index) => rows[start + index - top]?.id);
					const expected = Array.from({length: 12}, (_, index) => world.rows[start + index]?.id);
					expect(shown.filter(Boolean)).toEqual(expected.filter(Boolean));
					expect(isComplete ? total : length).toBe(length);
				}
			}),
			{numRuns: 200},
		);
	});
});

describe('the list of an inbox', () => {
	const worldOf = (count: number) => {
		const world = new World(mailRoute('a'));
		for (let mail = 0; mail < count; mail++) {
			world.receive('a');
		}

		world.settle();
		return world;
	};

	test('the list of an inbox reads only the part in view', () => {
		const world = worldOf(1000);
		world.scroll(500);
		world.settle();
		const {top, rows, total} = shownRows(world.state);
		expect([top, rows.length, total]).toEqual([500, rowsPerRead, 1000]);
	});

	test('arrivals above the view are counted until the view reaches the top', () => {
		const world = worldOf(100);
		world.scroll(20);
		world.receive('a');
		world.receive('b');
		world.receive('a');
		world.tell(3);
		expect(shownList(world.state)).toMatchObject({above: 2, view: {start: 22, end: 34}});
		world.scroll(1);
		expect(shownList(world.state).above).toBe(1);
		world.scroll(0);
		world.receive('a');
		world.tell(1);
		expect(shownList(world.state)).toMatchObject({above: 0, view: {start: 0}});
	});

	test('pending deletes are not listed, and undone ones are listed again', () => {
		const world = worldOf(60);
		const [first, second] = world.rows;
		const removal = {id: first?.id ?? '', kind: 'message', inboxId: 'a', what: ''} as const;
		const shown = shownRows({...world.state, removals: [removal]});
		expect([shown.total, shown.rows[0]]).toEqual([59, second]);
		expect(shownRows(world.state).rows[0]).toBe(first);
		const mail = {...removal, id: 'a', kind: 'mail', upTo: first?.id} as const;
		expect(shownRows({...world.state, removals: [mail]})).toMatchObject({total: 0, rows: []});
		world.receive('a');
		world.tell(1);
		expect(shownRows({...world.state, removals: [mail]})).toMatchObject({total: 1, rows: [world.rows[0]]});
	});

	test('a list is read again if an older page after a deleted cursor holds only known rows', () => {
		const {rows} = worldOf(rowsPerRead);
		const list = {...emptyMessageList, revision: 0, rows};
		const scope = {inboxId: 'a', isFiltered: false, isCounted: true};
		const read = {changes: 0, revision: 0, limit: rowsPerRead, kind: 'older', before: 'deleted'} as const;
		expect(withListRead(list, scope, read, rows)).toMatchObject({revision: -1, rows});
	});
});
