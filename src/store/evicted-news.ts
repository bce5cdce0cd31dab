import type {FeedItem, InboxThen} from '../domain/feed.js';

/** How many messages that an inbox evicts together are told of one by one. */
const maxTold = 50;

/** What tells of messages that an inbox evicted. */
export function evictedNews({id, ownerId, teamId}: InboxThen, messageIds: readonly string[]): readonly FeedItem[] {
	const inbox = {id, ownerId, teamId};
	return messageIds.length > maxTold
		? [{type: 'messages.deleted', inbox, isEvicted: true}]
		: messageIds.map(messageId => ({type: 'message.deleted', messageId, inbox, isEvicted: true}));
}
