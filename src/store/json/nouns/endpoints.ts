import type {EndpointStore} from '../../store.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {assertUser, rowsOf} from './rows.js';

export function createEndpointStore(state: State, writer: Writer): EndpointStore {
	const {endpoints} = state.tables;
	const ownerOf = (id: string) => endpoints.get(id)?.userId ?? '';
	const listOf = (userId: string) => rowsOf(endpoints, state.endpointsOfUser.newestFirst(userId));
	return {
		create: async endpoint =>
			writer.exclusive(endpoint.userId, async () => {
				assertUser(state, endpoint.userId);
				await writer.commit([['put', 'endpoints', endpoint]]);
			}),
		get: async id => endpoints.get(id),
		listOf: async userId => listOf(userId),
		subscribed: async (userIds, event) =>
			[...new Set(userIds)].flatMap(listOf).filter(({isActive, events}) => isActive && events.includes(event)),
		update: async (id, patch) =>
			writer.exclusive(ownerOf(id), async () => {
				await writer.commit([['patch', 'endpoints', id, patch]]);
				return endpoints.get(id);
			}),
		delete: async id => writer.delete(ownerOf(id), () => (endpoints.has(id) ? [['delete', 'endpoints', id]] : [])),
	};
}
