import type {Client} from '../../../client/index.js';
import type {UserBody} from '../../../contract/users.js';
import {Exit, exitCodes} from '../../exit.js';

/** The user with this id or email address. */
export async function findUser({users}: Pick<Client, 'users'>, text: string): Promise<UserBody> {
	const all = (await users.list()).users;
	const found = all.find(({id}) => id === text) ?? all.find(({email}) => email.toLowerCase() === text.toLowerCase());
	if (!found) {
		throw new Exit(exitCodes.notFound, 'not_found', `There is no user "${text}".`, {
			hint: 'See who there is: tinbox users list',
		});
	}

	return found;
}
