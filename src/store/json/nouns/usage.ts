import type {Store} from '../../port.js';
import type {State} from '../state/state.js';

export function createUsage(state: State): Store['usage'] {
	const {tables, inboxesOfOwner, endpointsOfUser, teamsOfOwner, messagesOfOwner, bytesOfOwner, unfinishedOfUser} =
		state;
	return async userId =>
		userId === undefined
			? {
					inboxes: tables.inboxes.size,
					endpoints: tables.endpoints.size,
					teams: tables.teams.size,
					messages: messagesOfOwner.total,
					bytes: bytesOfOwner.total,
					deliveries: unfinishedOfUser.total,
				}
			: {
					inboxes: inboxesOfOwner.sizeOf(userId),
					endpoints: endpointsOfUser.sizeOf(userId),
					teams: teamsOfOwner.of(userId),
					messages: messagesOfOwner.of(userId),
					bytes: bytesOfOwner.of(userId),
					deliveries: unfinishedOfUser.of(userId),
				};
}
