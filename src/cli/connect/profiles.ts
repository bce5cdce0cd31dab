import {type Profile, readSettingsFile} from '../../config/settings-file.js';
import type {Paths} from '../../runtime/paths.js';
import type {Context} from '../context.js';
import {Exit, exitCodes, usageError} from '../output/exit.js';

/** Default profile; without a login, commands run as the local user. */
const defaultProfile = 'default';

/** Profile name of the local daemon and the local user, which needs no login. */
export const localProfile = 'local';

export type NamedProfile = {readonly name: string; readonly profile: Profile};

/** Profile name from `--profile` or `TINBOX_PROFILE`. Throws a usage error if it is invalid. */
export function profileName(env: NodeJS.ProcessEnv): string {
	const name = env['TINBOX_PROFILE'] || defaultProfile;
	if (!/^\w[\w.@-]{0,63}$/.test(name)) {
		throw usageError(
			`Invalid profile name "${name}".`,
			'Use up to 64 letters, digits and ". @ _ -". Start with a letter or digit.',
		);
	}

	return name;
}

/** Sets the profile for this command and its child processes, overriding other connection variables. */
export function setProfile(env: NodeJS.ProcessEnv, name: string): void {
	env['TINBOX_PROFILE'] = name;
	for (const other of ['TINBOX_URL', 'TINBOX_API_KEY', 'TINBOX_TOKEN']) {
		delete env[other];
	}
}

export function readProfile(name: string, {settingsFile}: Pick<Paths, 'settingsFile'>): Profile | undefined {
	const {profiles = {}} = readSettingsFile(settingsFile);
	return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** Profile in use; undefined for the local user. Throws `Exit` if a named profile does not exist. */
export function chosenProfile({env, paths}: Pick<Context, 'env' | 'paths'>): NamedProfile | undefined {
	const name = profileName(env);
	if (name === localProfile) {
		return undefined;
	}

	const profile = readProfile(name, paths);
	if (!profile && name !== defaultProfile) {
		throw new Exit(exitCodes.denied, 'unauthorized', `There is no profile "${name}".`, {
			hint: `Log in with a token from the operator: tinbox login --profile ${name}`,
		});
	}

	return profile && {name, profile};
}
