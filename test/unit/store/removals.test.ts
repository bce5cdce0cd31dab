import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Change, Put} from '../../../src/store/json/state/change.js';
import {State} from '../../../src/store/json/state/state.js';
import {
	at,
	noon,
	someDelivery,
	someEndpoint,
	someInbox,
	someInvite,
	someKey,
	someMessage,
	someTeam,
	someUser,
} from './rows.js';

/** Creates a change from the visible rows; `pick` selects one row. */
type Kind = (state: State, pick: Pick) => Change;
type Pick = <Row>(rows: Iterable<Row>) => Row | undefined;

const source = {id: 'source', size: 9, head: Buffer.from('Subject: x')};

const kinds: readonly Kind[] = [
	() => [['put', 'users', someUser()]],
	({tables}, pick) => ofOne(pick(tables.users.values()), ({id}) => ['put', 'keys', someKey(id)]),
	({tables}, pick) => ofOne(pick(tables.users.values()), ({id}) => ['put', 'teams', someTeam(id)]),
	({tables}, pick) => ofOne(pick(tables.users.values()), ({id}) => ['put', 'endpoints', someEndpoint({userId: id})]),
	({tables}, pick) => ofOne(pick(visible(tables.teams)), ({id}) => ['put', 'invites', someInvite(id)]),
	({tables}, pick) => {
		const user = pick(tables.users.values());
		const member = user && ({userId: user.id, role: 'member', joinedAt: noon} as const);
		const team = pick(visible(tables.teams).filter(({members}) => members.every(({userId}) => userId !== user?.id)));
		return member && team ? [['put', 'teams', {...team, members: [...team.members, member]}]] : [];
	},
	({tables}, pick) => {
		const teamId = pick(visible(tables.teams))?.id ?? null;
		return ofOne(pick(tables.users.values()), ({id}) => ['put', 'inboxes', someInbox({ownerId: id, teamId})]);
	},
	({tables}, pick) => {
		const teamId = pick(visible(tables.teams))?.id ?? null;
		return ofOne(pick(visible(tables.inboxes)), ({id}) => ['patch', 'inboxes', id, {teamId}]);
	},
	({tables}, pick) => {
		const messages = [...tables.inboxes.values()].map(({id}) => someMessage(id, source));
		const message = pick(messages);
		const deliveries = [...tables.endpoints.values()].map(({id}) => someDelivery(id, {messageId: message?.id ?? null}));
		return [
			['put', 'sources', {id: source.id, position: null}],
			...messages.map(row => ['put', 'messages', row] as const),
			...deliveries.map(row => ['put', 'deliveries', row] as const),
		];
	},
	({tables}, pick) =>
		ofOne(pick(tables.deliveries.values()), ({id}) => [
			'patch',
			'deliveries',
			id,
			{status: 'dead', nextAttemptAt: null},
		]),
	({tables}, pick) => ofOne(pick(tables.messages.values()), ({id}) => ['delete', 'messages', id]),
	({tables}, pick) => ofOne(pick(tables.users.values()), ({id}) => ['delete', 'users', id]),
	({tables}, pick) => ofOne(pick(tables.inboxes.values()), ({id}) => ['delete', 'inboxes', id]),
	({tables}, pick) => ofOne(pick(tables.endpoints.values()), ({id}) => ['delete', 'endpoints', id]),
	({tables}, pick) => ofOne(pick(tables.teams.values()), ({id}) => ['delete', 'teams', id]),
	({tables}, pick) => ofOne(pick(tables.inboxes.values()), ({id}) => ['evict', 'messages', id, {keep: 1, most: 2}]),
	({tables}, pick) =>
		ofOne(pick(tables.messages.values()), ({inboxId, id}) => ['evict', 'messages', inboxId, {upTo: id}]),
];

/** Two users, with teams, endpoints, inboxes in the teams, and mail. */
const initialSteps = [0, 0, 2, 2, 3, 3, 6, 6, 6, 6, 8, 8].map((kind, place) => ({kind, place}));

const step = fc.oneof(
	{weight: 3, arbitrary: fc.record({kind: fc.nat(kinds.length - 1), place: fc.nat(50)})},
	{weight: 1, arbitrary: fc.record({rest: fc.integer({min: -4, max: -1}), steps: fc.integer({min: 1, max: 4})})},
);

test('removing deleted rows in steps between other changes leads to the same state as removing them at once', () => {
	fc.assert(
		fc.property(fc.array(step, {minLength: 5, maxLength: 40}), steps => {
			const state = new State();
			const rests: Iterator<unknown>[] = [];
			const replayed = new State();
			for (const each of [...initialSteps, ...steps]) {
				if ('kind' in each) {
					const change =
						kinds[each.kind]?.(state, rows => [...rows].at(each.place % Math.max(1, [...rows].length))) ?? [];
					const rest = state.startChange(change, null).rest[Symbol.iterator]();
					if (change.some(([verb]) => verb === 'delete')) {
						rests.push(rest);
					}

					replayed.apply(change);
				} else {
					const rest = rests.at(each.rest);
					for (let count = 0; count < each.steps; count++) {
						rest?.next();
					}
				}
			}

			for (const rest of rests) {
				while (!rest.next().done) {
					// Runs to completion.
				}
			}

			const restored = new State();
			restored.restore(
				Object.entries(state.tables).flatMap(([table, rows]) =>
					[...rows.values()].map(row => ['put', table, row] as Put),
				),
			);
			expect(contentOf(state)).toEqual(contentOf(replayed));
			expect(contentOf(state)).toEqual(contentOf(restored));
		}),
		{numRuns: 300},
	);
});

function ofOne<Row>(row: Row | undefined, opOf: (row: Row) => Change[number]): Change {
	return row === undefined ? [] : [opOf(row)];
}

function visible<Row extends {readonly id: string}>(table: {values(): Iterable<Row>; has(id: string): boolean}): Row[] {
	return [...table.values()].filter(({id}) => table.has(id));
}

/** All rows, and the results of the indexes. */
function contentOf(state: State) {
	const {tables, messagesOfOwner, bytesOfOwner, unfinishedOfUser, finishedOfUser, queues} = state;
	const rows = Object.values(tables).map(table => [...table.values()].sort((a, b) => (a.id < b.id ? -1 : 1)));
	const users = [...tables.users.values()].map(({id}) => [
		...[messagesOfOwner.of(id), bytesOfOwner.of(id), unfinishedOfUser.of(id), finishedOfUser.of(id)],
		...[state.keys.ofUser.sizeOf(id), state.teamsOfMember.sizeOf(id), state.inboxesOfOwner.sizeOf(id)],
	]);
	const totals = [messagesOfOwner, bytesOfOwner, unfinishedOfUser, finishedOfUser].map(({total}) => total);
	return {rows, users, totals, due: [...queues.users(at(9))], next: queues.next('')};
}
