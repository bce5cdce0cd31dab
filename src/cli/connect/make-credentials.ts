import {apiClient, type Client} from '../../client/index.js';
import {login} from '../../config/kinds.js';
import {variableOf} from '../../config/settings.js';
import {keepCredentials, keepProfile, readSettingsFile, type StoredCredentials} from '../../config/settings-file.js';
import {withLock} from '../../lib/io/process-lock.js';
import {localUser} from '../../runtime/local-user.js';
import type {Paths} from '../../runtime/paths.js';
import type {DaemonState} from '../../runtime/state-file.js';
import {localOperator} from '../create-context.js';
import {Exit, exitCodes} from '../output/exit.js';
import {readProfile} from './profiles.js';

/** The name of the CLI's own keys in a list. */
const keyName = 'tinbox CLI';

/** Lifetime of the token that creates the key, in seconds. */
const tokenLifetime = 60;

/**
 * Creates the local user, named after the user of the operating system and on the largest plan, with one API key that is
 * kept in the settings. Of many commands at once, one does the work and the others use its result. `refused` are
 * credentials that the daemon no longer accepts.
 */
export async function makeCredentials(
	{url, data_dir}: Pick<DaemonState, 'url' | 'data_dir'>,
	{settingsFile, startLock}: Pick<Paths, 'settingsFile' | 'startLock'>,
	refused?: StoredCredentials,
): Promise<StoredCredentials> {
	return withLock(startLock, async () => {
		const kept = readSettingsFile(settingsFile).credentials?.[data_dir];
		if (kept && kept.apiKey !== refused?.apiKey) {
			return kept;
		}

		const operator = localOperator({url, data_dir});
		const userId = await localUserId(operator);
		const {token} = await operator.users.createToken(userId, {expires_in: tokenLifetime});
		const {key} = await apiClient({url, token}).keys.create({name: keyName});
		const made = {userId, apiKey: key};
		await keepCredentials(settingsFile, data_dir, made);
		return made;
	});
}

async function localUserId({users}: Client): Promise<string> {
	const {name, email} = localUser();
	const known = (await users.list()).users.find(user => user.email.toLowerCase() === email.toLowerCase());
	return (known ?? (await users.create({name, email, plan: 'business'}))).id;
}

/**
 * The profile's API key. If it has none, one is created with its token and kept; of many commands at once, one does the
 * work and the others use its result.
 */
export async function makeProfileKey(
	name: string,
	url: string,
	paths: Pick<Paths, 'settingsFile' | 'startLock'>,
): Promise<string> {
	return withLock(paths.startLock, async () => {
		const profile = readProfile(name, paths);
		if (!profile) {
			throw new Exit(exitCodes.denied, 'unauthorized', `The profile "${name}" was logged out by another command.`);
		}

		if (profile.apiKey !== undefined) {
			return profile.apiKey;
		}

		const {id, key} = await apiClient({url, token: profile.token}).keys.create({name: keyName});
		await keepProfile(paths.settingsFile, name, {...profile, apiKey: key, keyId: id});
		return key;
	});
}

/** The variables by which other programs, the CLI among them, reach a daemon. */
export function connectionEnv(
	{url, smtp, smtps, settings}: Pick<DaemonState, 'url' | 'smtp' | 'smtps' | 'settings'>,
	apiKey: string,
): Readonly<Record<string, string>> {
	const auth = login.parse(settings[variableOf('smtpAuth')] ?? '');
	return {
		TINBOX_URL: url,
		TINBOX_API_KEY: apiKey,
		SMTP_HOST: smtp.host,
		SMTP_PORT: String(smtp.port),
		...(smtps && {SMTP_TLS_PORT: String(smtps.port)}),
		...(auth && {SMTP_USER: auth.user, SMTP_PASSWORD: auth.password}),
	};
}
