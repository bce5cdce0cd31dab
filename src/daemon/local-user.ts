import type {DaemonSettings} from '../config/settings.js';
import {SettingError} from '../config/settings-file.js';
import {AppError} from '../domain/errors.js';
import type {Services} from '../http/services.js';
import {localUser} from '../runtime/local-user.js';

/**
 * Gives the local user what the settings ask for before anyone calls: an API key known beforehand, and an inbox for all mail
 * that no other inbox takes, unless there is one. Throws a `SettingError` when the key is another user's.
 */
export async function equipLocalUser(
	{apiKey, catchAll}: Pick<DaemonSettings, 'apiKey' | 'catchAll'>,
	{users, keys, inboxes}: Pick<Services, 'users' | 'keys' | 'inboxes'>,
): Promise<void> {
	if (apiKey === null && !catchAll) {
		return;
	}

	const user = await users.ensure({...localUser(), plan: 'business'});
	if (apiKey !== null && !(await keys.give(user, apiKey))) {
		throw new SettingError('The API key in --api-key or TINBOX_API_KEY belongs to another user. Choose another key.');
	}

	if (catchAll) {
		await inboxes
			.create(user, {name: 'catch-all', claim: '*', teamId: null, ttlSeconds: null})
			.catch((error: unknown) => {
				if (!(error instanceof AppError && error.code === 'address_taken')) {
					throw error;
				}
			});
	}
}
