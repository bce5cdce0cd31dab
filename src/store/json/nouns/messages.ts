import {offsetOf, type Page} from '../../../contract/page.js';
import {conditionsOf, holds, type SummaryFilter} from '../../../domain/filter.js';
import type {Message} from '../../../domain/message.js';
import {Slices} from '../../../lib/slices.js';
import type {MessageStore} from '../../store.js';
import type {Spool} from '../spool.js';
import type {Change} from '../state/change.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {putsOf} from './deliveries.js';

export function createMessageStore(state: State, writer: Writer, spool: Spool): MessageStore {
	const {messages} = state.tables;
	const slices = new Slices();
	return {
		add: async mail => {
			const change: Change = [
				['put', 'sources', {id: mail.source.id, place: null}],
				...mail.messages.map(message => ['put', 'messages', message] as const),
				...putsOf(mail.deliveries),
			];
			try {
				await writer.commit(change, spool.inlineBytes(mail.source));
			} catch (error) {
				await spool.discard(mail.source);
				throw error;
			}
		},
		get: async id => messages.get(id),
		list: async (inboxId, filter, page) => select(state, slices, inboxId, filter, page),
		count: async inboxId => state.messagesOfInbox.sizeOf(inboxId),
		delete: async id => messages.has(id) && writer.commit([['delete', 'messages', id]]),
	};
}

/**
 * The page of what matches in the inbox, newest first; looks no further than the page needs. Texts, which can be many and
 * long, are looked through in slices.
 */
async function select(
	state: State,
	slices: Slices,
	inboxId: string,
	filter: SummaryFilter,
	page: Page,
): Promise<readonly Message[]> {
	const {after, since = ''} = filter;
	const conditions = conditionsOf(filter);
	if (conditions.length === 0) {
		const isAll = after === undefined && since === '';
		const ids = state.messagesOfInbox.newestFirst(inboxId, isAll ? offsetOf(page) : 0);
		return take(inRange(state, inboxId, ids, after, since), isAll ? 0 : offsetOf(page), page.limit);
	}

	// Rows can go between slices; they are passed over.
	const rows = inRange(state, inboxId, [...state.messagesOfInbox.newestFirst(inboxId)], after, since);
	const owner = state.tables.inboxes.get(inboxId)?.ownerId ?? inboxId;
	return slices.run(owner, matching(rows, conditions, page));
}

function* inRange(
	{tables: {messages}}: State,
	inboxId: string,
	ids: Iterable<string>,
	after: string | undefined,
	since: string,
): Generator<Message> {
	const isKnown = after !== undefined && messages.get(after)?.inboxId === inboxId;
	for (const id of ids) {
		// Ids tell the time: they serve when the message itself, and so its place in the order, is gone.
		if (after !== undefined && (isKnown ? id === after : id <= after)) {
			break;
		}

		const message = messages.get(id);
		if (message && message.receivedAt >= since) {
			yield message;
		}
	}
}

function take(rows: Iterable<Message>, offset: number, limit: number): readonly Message[] {
	const taken: Message[] = [];
	let toSkip = offset;
	for (const row of rows) {
		if (toSkip-- <= 0 && taken.push(row) === limit) {
			break;
		}
	}

	return taken;
}

/** As `take`, of those for which all conditions hold. Each step looks at one row. */
function* matching(
	rows: Iterable<Message>,
	conditions: ReturnType<typeof conditionsOf>,
	page: Page,
): Generator<undefined, readonly Message[]> {
	const found: Message[] = [];
	let toSkip = offsetOf(page);
	for (const row of rows) {
		if (holds(conditions, row) && toSkip-- <= 0 && found.push(row) === page.limit) {
			break;
		}

		yield;
	}

	return found;
}
