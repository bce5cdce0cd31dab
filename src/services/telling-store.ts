import type {DeliveryStore, InboxStore, MessageStore, Store, TeamStore, UserStore} from '../store/store.js';
import type {Change, Events} from './events.js';

/**
 * The store, which tells of each change once it is durable, whoever made it. A message is told of when its header was
 * read. The parts of the store must be objects of functions that need no `this`.
 */
export function tellingStore(store: Store, events: Events): Store {
	return {
		...store,
		users: tellingUsers(store, events),
		teams: tellingTeams(store, events),
		inboxes: tellingInboxes(store, events),
		messages: tellingMessages(store, events),
		deliveries: tellingDeliveries(store, events),
	};
}

const scope: readonly Change[] = [{type: 'scope'}];

function tellingUsers({users}: Store, events: Events): UserStore {
	return {
		...users,
		async delete(id) {
			const isDeleted = await users.delete(id);
			events.tell(scope);
			return isDeleted;
		},
	};
}

function tellingTeams({teams}: Store, events: Events): TeamStore {
	return {
		...teams,
		async delete(id) {
			const isDeleted = await teams.delete(id);
			events.tell(scope);
			return isDeleted;
		},
		async removeMember(teamId, userId) {
			const isRemoved = await teams.removeMember(teamId, userId);
			events.tell(scope);
			return isRemoved;
		},
		async accept(tokenHash, member) {
			const team = await teams.accept(tokenHash, member);
			events.tell(scope);
			return team;
		},
	};
}

function tellingInboxes({inboxes}: Store, events: Events): InboxStore {
	return {
		...inboxes,
		async create(inbox) {
			await inboxes.create(inbox);
			events.tell([{type: 'inbox.created', inbox}]);
		},
		async update(id, patch) {
			const inbox = await inboxes.update(id, patch);
			if (inbox) {
				events.tell([...(patch.teamId === undefined ? [] : scope), {type: 'inbox.changed', inbox}]);
			}

			return inbox;
		},
		async delete(id) {
			const inbox = await inboxes.get(id);
			const isDeleted = await inboxes.delete(id);
			if (inbox && isDeleted) {
				events.tell([{type: 'inbox.deleted', inbox}]);
			}

			return isDeleted;
		},
	};
}

/** What is told is read before the change and told right after it, so that it is told in the order of the commits. */
function tellingMessages({messages, inboxes}: Store, events: Events): MessageStore {
	const withInbox = async (messageId: string) => {
		const message = await messages.get(messageId);
		const inbox = message && (await inboxes.get(message.inboxId));
		return message && inbox ? [{message, inbox}] : [];
	};
	return {
		...messages,
		async describe(summaries) {
			const found = events.isWatched ? await Promise.all([...summaries.keys()].map(withInbox)) : undefined;
			await messages.describe(summaries);
			events.tell(
				found?.flat().map(({message, inbox}) => {
					const summary = summaries.get(message.id) ?? message.summary;
					return {type: 'message.received', message: {...message, summary}, inbox};
				}),
			);
		},
		async delete(id) {
			const found = await withInbox(id);
			const isDeleted = await messages.delete(id);
			if (isDeleted) {
				events.tell(found.map(({message, inbox}) => ({type: 'message.deleted', message, inbox})));
			}

			return isDeleted;
		},
	};
}

function tellingDeliveries({deliveries, endpoints}: Store, events: Events): DeliveryStore {
	return {
		...deliveries,
		async put(rows) {
			const found = events.isWatched ? await Promise.all(rows.map(row => endpoints.get(row.endpointId))) : undefined;
			await deliveries.put(rows);
			events.tell(
				found?.flatMap((endpoint, index) => {
					const delivery = rows[index];
					return endpoint && delivery ? [{type: 'delivery.changed', delivery, userId: endpoint.userId}] : [];
				}),
			);
		},
	};
}
