import {AppError} from '../../../domain/errors.js';
import {canonicalAddress} from '../../../domain/mail/address.js';
import type {UserStore} from '../../store.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';

export function createUserStore(state: State, writer: Writer): UserStore {
	const {users} = state.tables;
	return {
		create: async user =>
			writer.exclusive('new users', async () => {
				if (state.userOfEmail.get(canonicalAddress(user.email))) {
					throw new AppError('email_taken', `The email ${user.email} is already taken. Choose another one.`);
				}

				await writer.commit([['put', 'users', user]]);
			}),
		get: async id => users.get(id),
		byEmail: async email => state.userOfEmail.get(canonicalAddress(email)),
		list: async () => [...users.values()].reverse(),
		update: async (id, patch) =>
			writer.exclusive(id, async () => {
				await writer.commit([['patch', 'users', id, patch]]);
				return users.get(id);
			}),
		delete: async id => writer.delete(id, () => (users.has(id) ? [['delete', 'users', id]] : [])),
	};
}
