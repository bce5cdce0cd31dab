import type {Inbox} from '../../domain/inbox.js';
import type {Message} from '../../domain/message.js';
import {type Delivery, newDelivery} from '../../domain/webhook.js';
import {eventBody} from '../../domain/webhook-request.js';
import type {Store} from '../../store/store.js';
import {memberIdsOf} from '../accounts/members.js';

/**
 * The deliveries that announce a message, to be stored in one commit with it: to the endpoints of the inbox's owner and,
 * for a team inbox, of every member.
 */
export async function announcementsOf(
	message: Message,
	{ownerId, teamId}: Inbox,
	store: Pick<Store, 'teams' | 'endpoints'>,
	now: Date,
): Promise<readonly Delivery[]> {
	const userIds = [ownerId, ...(await memberIdsOf(store.teams, teamId))];
	const endpoints = await store.endpoints.subscribed(userIds, 'message.received');
	const body = endpoints.length === 0 ? '' : eventBody(message);
	return endpoints.map(({id}) => newDelivery({endpointId: id, messageId: message.id, body}, now));
}
