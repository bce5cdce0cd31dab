import type {PendingBounce} from '../../../domain/mail/bounce.js';
import {Agenda} from './agenda.js';
import type {TableName, TableRows} from './change.js';
import {Groups} from './indexes.js';
import {Table} from './table.js';

/** What is asked of bounces. */
export class BounceIndexes {
	readonly byTime = new Agenda<PendingBounce>(({dueAt}) => dueAt);
	readonly ofMessage = new Groups<PendingBounce>(({messageId}) => [messageId]);
}

type BounceState = {
	readonly bounces: BounceIndexes;
	readonly tables: {readonly [T in TableName]: Table<TableRows[T]>};
};

/** Bounces, which are kept only for messages that are there. `state` is asked once it is whole. */
export function createBounceTable(state: BounceState) {
	return new Table<PendingBounce>({
		indexes: [state.bounces.byTime, state.bounces.ofMessage],
		admit: bounce => (state.tables.messages.has(bounce.messageId) ? bounce : undefined),
	});
}

/** Removes those for a message, of which there are few. */
export function dropBounces(messageId: string, {bounces, tables}: BounceState): void {
	for (const id of [...bounces.ofMessage.oldestFirst(messageId)]) {
		tables.bounces.delete(id);
	}
}
