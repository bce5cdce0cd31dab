import {offsetOf} from '../../../contract/constants.js';
import type {FeedItem} from '../../../domain/feed.js';
import type {PendingBounce} from '../../../domain/mail/bounce.js';
import {conditionsOf, type SummaryFilter} from '../../../domain/mail/filter.js';
import type {Message} from '../../../domain/mail/message.js';
import {TimeSlicer} from '../../../lib/queue/event-loop.js';
import type {BounceStore, EventStore, InboxScope, MessageRange, MessageStore} from '../../port.js';
import {type ScanResult, scan} from '../../rules/messages.js';
import {inlineBytes} from '../../staging.js';
import type {Change} from '../state/change.js';
import type {State} from '../state/state.js';
import {batches, slice} from '../state/table.js';
import {type IdsBelow, partitionPoint} from '../state/timeline.js';
import type {Writer} from '../writer.js';
import type {Evictions} from './evictions.js';
import type {KeepReceipt} from './sending.js';
import type {Spool} from './sources.js';
import {putsOf} from './webhooks.js';

/** Maximum number of messages that one commit deletes. */
const messagesPerCommit = 500;

type MessageParts = {
	readonly spool: Spool;
	readonly events: Pick<EventStore, 'append'>;
	readonly keepReceipt: KeepReceipt;
	readonly evictions: Evictions;
};

/** Messages in the JSON store. */
export function createMessageStore(
	state: State,
	writer: Writer,
	{spool, events, keepReceipt, evictions}: MessageParts,
): MessageStore {
	const {messages} = state.tables;
	const slices = new TimeSlicer();
	return {
		add: async mail => {
			const change: Change = [
				['put', 'sources', {id: mail.source.id, position: null}],
				...mail.messages.map(message => ['put', 'messages', message] as const),
				...putsOf(mail.deliveries),
				...(mail.bounces ?? []).map(bounce => ['put', 'bounces', bounce] as const),
			];
			let evicted: readonly FeedItem[] = [];
			const commit = async (more: Change) => {
				evicted = await evictions.commitMail([...change, ...more], mail.messages, inlineBytes(mail.source));
			};
			try {
				await (mail.receipt ? keepReceipt(mail.receipt, commit) : commit([]));
			} catch (error) {
				await spool.discard(mail.source);
				throw error;
			}

			await events.append([...(mail.events ?? []), ...evicted]);
		},
		get: async id => messages.get(id),
		list: async (inboxId, range, page) => slice(messagesAfter(state, inboxId, range, 0, offsetOf(page)), 0, page.limit),
		listAll: async (scope, now, range, limit) =>
			slices.run(scope.userId, newestOfAll(state, {scope, now, range, limit})),
		walk: (inboxId, filter, seen) => walk(state, slices, inboxId, filter, seen),
		newest: async () => state.messagesOfInbox.lastPosition,
		count: async inboxId => state.messagesOfInbox.sizeOf(inboxId),
		evicted: async inboxId => state.tables.inboxes.get(inboxId)?.evicted ?? 0,
		delete: async id => messages.has(id) && writer.commit([['delete', 'messages', id]]),
		deleteAll: async (inboxId, upTo) => {
			for (const ids of batches(idsUpTo(state, inboxId, upTo), messagesPerCommit)) {
				await writer.commit(ids.map(id => ['delete', 'messages', id]));
			}
		},
		nextEviction: async () => evictions.next(),
		evict: async now => evictions.evict(now),
	};
}

/** Ids of an inbox, newest first, from `upTo` on. */
function* idsUpTo({tables: {messages}, messagesOfInbox}: State, inboxId: string, upTo?: string): Generator<string> {
	if (upTo !== undefined && messages.get(upTo)?.inboxId === inboxId) {
		yield upTo;
	}

	for (const block of messagesOfInbox.blocks(inboxId, 0, upTo)) {
		yield* block.newestFirst();
	}
}

/**
 * Messages of an inbox after the position `seen`, newest first, without the first `skip`. Rows may change during the iteration.
 */
function* messagesAfter(
	{tables: {messages}, messagesOfInbox}: State,
	inboxId: string,
	{after, before, since = ''}: MessageRange,
	seen = 0,
	skip = 0,
): Generator<Message> {
	const position = after === undefined ? seen : Math.max(seen, messagesOfInbox.positionOf(inboxId, after));
	let toSkip = skip;
	for (const {length, earliest, latest, newestFirst} of messagesOfInbox.blocks(inboxId, position, before)) {
		if (latest < since) {
			continue;
		}

		if (length <= toSkip && earliest >= since) {
			toSkip -= length;
			continue;
		}

		for (const id of newestFirst()) {
			const message = messages.get(id);
			if (message && message.receivedAt >= since && toSkip-- <= 0) {
				yield message;
			}
		}
	}
}

/** Compares the messages of an inbox with a filter in small steps, since there may be many long texts. */
async function* walk(
	state: State,
	slices: TimeSlicer,
	inboxId: string,
	filter: SummaryFilter,
	seen?: number,
): AsyncGenerator<readonly Message[]> {
	const conditions = conditionsOf(filter);
	const owner = state.tables.inboxes.get(inboxId)?.ownerId ?? inboxId;
	const rows = messagesAfter(state, inboxId, filter, seen);
	for (let step: ScanResult = {matches: [], isLast: false}; !step.isLast; ) {
		step = await slices.run(owner, scan(rows, conditions));
		yield step.matches;
	}
}

/** Query for the newest messages of all inboxes in a scope. */
type AllMailQuery = {
	readonly scope: InboxScope;
	readonly now: string;
	readonly range: MessageRange;
	readonly limit: number;
};

/**
 * A block of an inbox during the merge. `next` is its greatest remaining id, or a bound for it while `rest` is undefined, since
 * the block is not sorted yet.
 */
type Run = {readonly next: string; readonly block: IdsBelow; readonly rest?: string[]};

/** Greater than every id. */
const maxId = '\u{10FFFF}';

/** Merges the messages of all inboxes in a scope, one inbox or one message per step. Rows may change meanwhile. */
function* newestOfAll(
	state: State,
	{scope, now, range: {after = '', before = maxId, since = ''}, limit}: AllMailQuery,
): Generator<undefined, readonly Message[]> {
	const runs: Run[] = [];
	for (const inboxId of inboxesIn(state, scope, now)) {
		for (const block of state.messagesOfInbox.below(inboxId, before)) {
			if (block.greatest > after && block.latest >= since) {
				runs.push({next: block.greatest, block});
			}
		}

		yield;
	}

	// Ascending, so that `pop` returns the greatest.
	runs.sort((a, b) => (a.next < b.next ? -1 : a.next > b.next ? 1 : 0));
	const rows: Message[] = [];
	for (let run = runs.pop(); run && run.next > after && rows.length < limit; run = runs.pop()) {
		const {block, rest = block.sorted()} = run;
		const message = run.rest && state.tables.messages.get(run.next);
		if (message && message.receivedAt >= since) {
			rows.push(message);
		}

		const next = rest.pop();
		if (next !== undefined) {
			insert(runs, {next, block, rest});
		}

		yield;
	}

	return rows;
}

function inboxesIn(state: State, {userId, teamIds}: InboxScope, now: string): Iterable<string> {
	const ids = new Set(state.inboxesOfOwner.newestFirst(userId));
	for (const teamId of teamIds) {
		for (const id of state.inboxesOfTeam.newestFirst(teamId)) {
			ids.add(id);
		}
	}

	for (const id of state.expiries.in({userId, teamIds}, now)) {
		ids.delete(id);
	}

	return [...ids].filter(id => state.tables.inboxes.has(id));
}

/** Inserts a run in ascending order. */
function insert(runs: Run[], run: Run): void {
	runs.splice(
		partitionPoint(runs, ({next}) => next < run.next),
		0,
		run,
	);
}

/** Bounces in the JSON store. Leases are kept in memory, since no other process uses the files. */
export function createBounceStore({tables, bounces}: State, writer: Writer): BounceStore {
	const leased = new Set<string>();
	return {
		lease: async (now, {all, ofOne}) => {
			const due: PendingBounce[] = [];
			const countOf = new Map<string, number>();
			for (const id of bounces.byTime.until(now)) {
				const bounce = leased.has(id) ? undefined : tables.bounces.get(id);
				const count = 1 + (countOf.get(bounce?.ownerId ?? '') ?? 0);
				if (!bounce || count > ofOne) {
					continue;
				}

				countOf.set(bounce.ownerId, count);
				leased.add(id);
				if (due.push(bounce) === all) {
					break;
				}
			}

			return due;
		},
		finish: async id => {
			const isEffective =
				leased.has(id) && tables.bounces.has(id) && (await writer.commit([['delete', 'bounces', id]]));
			leased.delete(id);
			return isEffective;
		},
		release: async id => {
			leased.delete(id);
		},
		nextDue: async after => bounces.byTime.next(after),
	};
}
