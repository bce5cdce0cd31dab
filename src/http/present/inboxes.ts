import type {InboxBody, InboxListBody} from '../../contract/inboxes.js';
import type {Page} from '../../contract/page.js';
import type {CountedInbox, CountedInboxes} from '../../services/inboxes/inboxes.js';

export function inboxBody({inbox, messageCount}: CountedInbox): InboxBody {
	return {
		id: inbox.id,
		email_address: inbox.address,
		name: inbox.name,
		message_count: messageCount,
		team_id: inbox.teamId,
		expires_at: inbox.expiresAt,
		created_at: inbox.createdAt,
	};
}

export function inboxListBody({inboxes, total}: CountedInboxes, {page, limit}: Page): InboxListBody {
	return {inboxes: inboxes.map(inboxBody), total, page, limit};
}
