import {createClient} from '../client/index.js';
import type {Paths} from '../runtime/paths.js';
import {withStartLock} from '../runtime/start-lock.js';
import {Exit, exitCodes} from './exit.js';
import {keyName} from './local-user.js';
import {readProfile} from './profiles.js';

/**
 * The profile's API key. If it has none, one is made with its token and kept; of many commands at once one does the work
 * and the others use what it kept.
 */
export async function makeProfileKey(
	name: string,
	url: string,
	paths: Pick<Paths, 'settingsFile' | 'startLock'>,
): Promise<string> {
	return withStartLock(paths.startLock, async () => {
		const profile = readProfile(name, paths);
		if (!profile) {
			throw new Exit(exitCodes.denied, 'unauthorized', `Somebody logged the profile "${name}" out in the meantime.`);
		}

		if (profile.apiKey !== undefined) {
			return profile.apiKey;
		}

		const {id, key} = await createClient({url, token: profile.token}).keys.create({name: keyName});
		const {keepProfile} = await import('../config/write-settings.js');
		keepProfile(paths.settingsFile, name, {...profile, apiKey: key, keyId: id});
		return key;
	});
}
