import {AppError} from '../../domain/errors.js';
import type {FeedItem, InboxSnapshot} from '../../domain/feed.js';

/** Maximum number of messages that get an event each when one inbox evicts them together. */
const maxSingleEvents = 50;

/** Throws `address_taken` if the address, or one that belongs to it, is another inbox's. */
export function assertAddressFree(address: string, isTaken: boolean): void {
	if (isTaken) {
		throw new AppError('address_taken', `The address ${address} is taken. Choose another one.`);
	}
}

/** Throws `not_found` unless the inbox exists. */
export function assertInboxExists(inbox: unknown): asserts inbox {
	if (!inbox) {
		throw new AppError('not_found', 'The inbox was deleted.');
	}
}

/** Throws `too_many_faults` if an inbox, or the daemon (null), with `count` faults cannot have another one. */
export function checkFaultLimit(inboxId: string | null, count: number, limit: number): void {
	if (count >= limit) {
		const owner = inboxId === null ? 'The daemon' : 'The inbox';
		throw new AppError('too_many_faults', `${owner} has ${limit} faults, the maximum. Delete one first.`);
	}
}

/** The events for messages that an inbox evicted: one per message, or one for all of very many. */
export function evictionEvents(
	{id, ownerId, teamId}: InboxSnapshot,
	messageIds: readonly string[],
): readonly FeedItem[] {
	const inbox = {id, ownerId, teamId};
	return messageIds.length > maxSingleEvents
		? [{type: 'messages.deleted', inbox, isEvicted: true}]
		: messageIds.map(messageId => ({type: 'message.deleted', messageId, inbox, isEvicted: true}));
}
