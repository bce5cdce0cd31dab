import {canonicalAddress} from '../../../domain/address.js';
import {AppError} from '../../../domain/errors.js';
import type {User} from '../../../domain/user.js';
import type {UserStore} from '../../store.js';
import type {Database} from '../database.js';
import {columnText} from '../row-text.js';

type Row = {readonly row: User};

export function postgresUsers(database: Database): Pick<UserStore, 'create' | 'get'> {
	return {
		create: async user => {
			const created = await database.run(
				sql => sql`
					insert into users (id, email, row)
					values (${user.id}, ${columnText(canonicalAddress(user.email))}, ${sql.json(user)})
					on conflict (email) do nothing
				`,
			);
			if (created.count === 0) {
				throw new AppError('email_taken', `There is a user with the email ${user.email} already. Choose another one.`);
			}
		},
		get: async id => {
			const [found] = await database.run(sql => sql<Row[]>`select row from users where id = ${id}`);
			return found?.row;
		},
	};
}
