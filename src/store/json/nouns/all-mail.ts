import type {Message} from '../../../domain/mail/message.js';
import type {InboxScope, MessageRange} from '../../store.js';
import type {State} from '../state/state.js';
import type {PartBelow} from '../state/timeline.js';

/** What is asked for of the mail of all inboxes in a scope. */
type Asked = {
	readonly scope: InboxScope;
	readonly now: string;
	readonly range: MessageRange;
	readonly limit: number;
};

/** The rest of the ids of a part of an inbox, the greatest last; undefined while it was not looked into. */
type Run = {readonly next: string; readonly part: PartBelow; readonly rest?: string[]};

/** Greater than every id. */
const end = '\u{10FFFF}';

/** Merges what the inboxes have, an inbox or a message at each step. Rows may come and go meanwhile. */
export function* newestOfAll(
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
