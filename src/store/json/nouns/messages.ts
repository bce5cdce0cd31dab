import {offsetOf, type Page} from '../../../contract/page.js';
import {conditionsOf, holds, type SummaryFilter} from '../../../domain/filter.js';
import type {Message} from '../../../domain/message.js';
import type {MessageStore} from '../../store.js';
import type {Spool} from '../spool.js';
import type {Change} from '../state/change.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';

export function createMessageStore(state: State, writer: Writer, spool: Spool): MessageStore {
	const {messages} = state.tables;
	return {
		add: async mail => {
			const change: Change = [
				['put', 'sources', {id: mail.source.id, place: null}],
				...mail.messages.map(message => ['put', 'messages', message] as const),
				...mail.deliveries.map(delivery => ['put', 'deliveries', delivery] as const),
			];
			try {
				await writer.commit(change, spool.inlineBytes(mail.source));
			} catch (error) {
				await spool.discard(mail.source);
				throw error;
			}
		},
		get: async id => messages.get(id),
		list: async (inboxId, filter, page) => select(state, inboxId, filter, page),
		count: async inboxId => state.messagesOfInbox.sizeOf(inboxId),
		delete: async id => messages.has(id) && writer.commit([['delete', 'messages', id]]),
	};
}

/** The page of what matches in the inbox, newest first; looks no further than the page needs. */
function select(state: State, inboxId: string, filter: SummaryFilter, page: Page): readonly Message[] {
	const {messages} = state.tables;
	const {after, since = ''} = filter;
	const conditions = conditionsOf(filter);
	const isAll = conditions.length === 0 && after === undefined && since === '';
	const isKnown = after !== undefined && messages.get(after)?.inboxId === inboxId;
	const rows: Message[] = [];
	let toSkip = isAll ? 0 : offsetOf(page);
	for (const id of state.messagesOfInbox.newestFirst(inboxId, isAll ? offsetOf(page) : 0)) {
		// Ids tell the time: they serve when the message itself, and so its place in the order, is gone.
		if (after !== undefined && (isKnown ? id === after : id <= after)) {
			break;
		}

		const message = messages.get(id);
		if (message && message.receivedAt >= since && holds(conditions, message) && toSkip-- <= 0) {
			rows.push(message);
			if (rows.length === page.limit) {
				break;
			}
		}
	}

	return rows;
}
