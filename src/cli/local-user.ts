import {userInfo} from 'node:os';
import {type Client, createClient} from '../client/index.js';
import {type Credentials, readSettingsFile} from '../config/settings-file.js';
import type {Paths} from '../runtime/paths.js';
import {withStartLock} from '../runtime/start-lock.js';
import type {DaemonState} from '../runtime/state-file.js';
import {operatorToken} from './operator-token.js';

/** What users recognise the CLI's own keys by in a list. */
export const keyName = 'tinbox CLI';

/** How long the token that buys the key has to live, in seconds. */
const tokenLifetime = 60;

/**
 * Lets the local user in: the user of the operating system, on the largest plan, and one API key, kept in the settings.
 * Of many commands at once one does the work and the others use what it kept. `refused` is what does not open the
 * daemon any more.
 */
export async function makeCredentials(
	{url, data_dir}: Pick<DaemonState, 'url' | 'data_dir'>,
	{settingsFile, startLock}: Pick<Paths, 'settingsFile' | 'startLock'>,
	refused?: Credentials,
): Promise<Credentials> {
	return withStartLock(startLock, async () => {
		const kept = readSettingsFile(settingsFile).credentials?.[data_dir];
		if (kept && kept.apiKey !== refused?.apiKey) {
			return kept;
		}

		const operator = createClient({url, token: operatorToken(data_dir)});
		const userId = await localUserId(operator);
		const {token} = await operator.users.createToken(userId, {expires_in: tokenLifetime});
		const {key} = await createClient({url, token}).keys.create({name: keyName});
		const made = {userId, apiKey: key};
		const {keepCredentials} = await import('../config/write-settings.js');
		keepCredentials(settingsFile, data_dir, made);
		return made;
	});
}

async function localUserId({users}: Client): Promise<string> {
	const name = systemUserName();
	const email = `${name.replace(/[\s@\p{Cc}]/gu, '-')}@localhost`;
	const known = (await users.list()).users.find(user => user.email.toLowerCase() === email.toLowerCase());
	return (known ?? (await users.create({name, email, plan: 'business'}))).id;
}

function systemUserName(): string {
	try {
		return userInfo().username.trim().slice(0, 64) || 'local';
	} catch {
		// In a container the process may run as a number that no name belongs to.
		return 'local';
	}
}
