import {AppError} from '../../../domain/errors.js';
import type {KeyStore} from '../../key-store.js';
import type {Change} from '../state/change.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {assertUser, rowsOf} from './rows.js';

export function createKeyStore(state: State, writer: Writer): KeyStore {
	const {keys} = state.tables;
	return {
		create: async (key, limit) =>
			writer.exclusive(key.userId, async () => {
				assertUser(state, key.userId);
				if (state.keys.ofUser.sizeOf(key.userId) >= limit) {
					throw new AppError('plan_limit', `The user has ${limit} API keys, the maximum. Revoke one first.`);
				}

				// What the one that it replaces has made goes with that.
				const replaced: Change = keys.has(key.id) ? [['delete', 'keys', key.id]] : [];
				await writer.commit([...replaced, ['put', 'keys', key]]);
			}),
		byHash: async hash => state.keys.ofHash.get(hash),
		list: async userId => rowsOf(keys, state.keys.ofUser.newestFirst(userId)),
		delete: async (userId, id) =>
			writer.exclusive(userId, async () => keys.get(id)?.userId === userId && writer.commit([['delete', 'keys', id]])),
		touch: async uses => {
			await writer.commit([...uses].map(([id, lastUsedAt]) => ['patch', 'keys', id, {lastUsedAt}]));
		},
	};
}
