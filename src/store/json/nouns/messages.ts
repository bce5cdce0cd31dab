import {offsetOf} from '../../../contract/constants.js';
import type {FeedItem} from '../../../domain/feed.js';
import {conditionsOf, type SummaryFilter} from '../../../domain/mail/filter.js';
import type {Message} from '../../../domain/mail/message.js';
import {Slices} from '../../../lib/queue/event-loop.js';
import type {EventStore, InboxScope, MessageRange, MessageStore} from '../../port.js';
import {type ScanResult, scan} from '../../rules/messages.js';
import {inlineBytes} from '../../staging.js';
import type {Change, Delete} from '../state/change.js';
import type {State} from '../state/state.js';
import type {IdsBelow} from '../state/timeline.js';
import type {Writer} from '../writer.js';
import type {Evictions} from './evictions.js';
import type {KeepReceipt} from './sending.js';
import type {Spool} from './sources.js';
import {putsOf} from './webhooks.js';

/** Messages that one commit deletes, so that it is short. */
const messagesPerCommit = 500;

type MessageParts = {
	readonly spool: Spool;
	readonly events: Pick<EventStore, 'append'>;
	readonly keepReceipt: KeepReceipt;
	readonly evictions: Evictions;
};

export function createMessageStore(
	state: State,
	writer: Writer,
	{spool, events, keepReceipt, evictions}: MessageParts,
): MessageStore {
	const {messages} = state.tables;
	const slices = new Slices();
	return {
		add: async mail => {
			const change: Change = [
				['put', 'sources', {id: mail.source.id, place: null}],
				...mail.messages.map(message => ['put', 'messages', message] as const),
				...putsOf(mail.deliveries),
				...(mail.bounces ?? []).map(bounce => ['put', 'bounces', bounce] as const),
			];
			let evicted: readonly FeedItem[] = [];
			const commit = async (more: Change) => {
				evicted = await evictions.store([...change, ...more], mail.messages, inlineBytes(mail.source));
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
		list: async (inboxId, range, page) => take(behind(state, inboxId, range, 0, offsetOf(page)), page.limit),
		listAll: async (scope, now, range, limit) =>
			slices.run(scope.userId, newestOfAll(state, {scope, now, range, limit})),
		walk: (inboxId, filter, seen) => walk(state, slices, inboxId, filter, seen),
		newest: async () => state.messagesOfInbox.lastPosition,
		count: async inboxId => state.messagesOfInbox.sizeOf(inboxId),
		evicted: async inboxId => state.tables.inboxes.get(inboxId)?.evicted ?? 0,
		delete: async id => messages.has(id) && writer.commit([['delete', 'messages', id]]),
		deleteAll: async (inboxId, upTo) => deleteMessages(idsUpTo(state, inboxId, upTo), writer),
		nextEviction: async () => evictions.next(),
		evict: async now => evictions.evict(now),
	};
}

/** Deletes what the inbox has by now, in commits that are short; what comes meanwhile stays. */
async function deleteMessages(ids: Iterable<string>, writer: Writer): Promise<void> {
	let change: Delete[] = [];
	for (const id of ids) {
		if (change.push(['delete', 'messages', id]) === messagesPerCommit) {
			await writer.commit(change);
			change = [];
		}
	}

	await writer.commit(change);
}

/** The ids of an inbox, newest first, from that one on. */
function* idsUpTo({tables: {messages}, messagesOfInbox}: State, inboxId: string, upTo?: string): Generator<string> {
	if (upTo !== undefined && messages.get(upTo)?.inboxId === inboxId) {
		yield upTo;
	}

	for (const part of messagesOfInbox.blocks(inboxId, 0, upTo)) {
		yield* part.newestFirst();
	}
}

/** The messages behind the place, newest first, without the newest `skip`. Rows may come and go while it is read. */
function* behind(
	{tables: {messages}, messagesOfInbox}: State,
	inboxId: string,
	{after, before, since = ''}: MessageRange,
	seen = 0,
	skip = 0,
): Generator<Message> {
	const place = after === undefined ? seen : Math.max(seen, messagesOfInbox.positionOf(inboxId, after));
	let toSkip = skip;
	for (const {length, earliest, latest, newestFirst} of messagesOfInbox.blocks(inboxId, place, before)) {
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

function take(rows: Iterable<Message>, limit: number): readonly Message[] {
	const taken: Message[] = [];
	for (const row of rows) {
		if (taken.push(row) === limit) {
			break;
		}
	}

	return taken;
}

/** Looks through texts, which can be many and long, in slices. */
async function* walk(
	state: State,
	slices: Slices,
	inboxId: string,
	filter: SummaryFilter,
	seen?: number,
): AsyncGenerator<readonly Message[]> {
	const conditions = conditionsOf(filter);
	const owner = state.tables.inboxes.get(inboxId)?.ownerId ?? inboxId;
	const rows = behind(state, inboxId, filter, seen);
	for (let step: ScanResult = {matches: [], isLast: false}; !step.isLast; ) {
		step = await slices.run(owner, scan(rows, conditions));
		yield step.matches;
	}
}

/** What is asked for of the mail of all inboxes in a scope. */
type Asked = {
	readonly scope: InboxScope;
	readonly now: string;
	readonly range: MessageRange;
	readonly limit: number;
};

/** The rest of the ids of a part of an inbox, the greatest last; undefined while it was not looked into. */
type Run = {readonly next: string; readonly part: IdsBelow; readonly rest?: string[]};

/** Greater than every id. */
const end = '\u{10FFFF}';

/** Merges what the inboxes have, an inbox or a message at each step. Rows may come and go meanwhile. */
function* newestOfAll(
	state: State,
	{scope, now, range: {after = '', before = end, since = ''}, limit}: Asked,
): Generator<undefined, readonly Message[]> {
	const runs: Run[] = [];
	for (const inboxId of inboxesIn(state, scope, now)) {
		for (const part of state.messagesOfInbox.below(inboxId, before)) {
			if (part.greatest > after && part.latest >= since) {
				runs.push({next: part.greatest, part});
			}
		}

		yield;
	}

	// The greatest last.
	runs.sort((a, b) => (a.next < b.next ? -1 : a.next > b.next ? 1 : 0));
	const rows: Message[] = [];
	for (let run = runs.pop(); run && run.next > after && rows.length < limit; run = runs.pop()) {
		const {part, rest = part.sorted()} = run;
		const message = run.rest && state.tables.messages.get(run.next);
		if (message && message.receivedAt >= since) {
			rows.push(message);
		}

		const next = rest.pop();
		if (next !== undefined) {
			insert(runs, {next, part, rest});
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

/** Puts it behind all that are less. */
function insert(runs: Run[], run: Run): void {
	let low = 0;
	let high = runs.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((runs[middle]?.next ?? '') < run.next) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	runs.splice(low, 0, run);
}
