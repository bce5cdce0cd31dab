import type {Command} from 'commander';
import {apiClient} from '../../client/index.js';
import {forgetProfile, type Profile} from '../../config/settings-file.js';
import {reasonOf} from '../../lib/errors.js';
import {withLock} from '../../lib/io/process-lock.js';
import {profileName, readProfile} from '../connect/profiles.js';
import type {Context} from '../context.js';
import {addHelpNote} from '../help/layout.js';
import {note} from '../output/print.js';

export function fillLogout(command: Command, context: Context): void {
	addHelpNote(command, 'Revokes the API key that the login created. A key from --api-key-file stays valid.').action(
		async () => logout(context),
	);
}

async function logout(context: Context): Promise<void> {
	const {io, env, paths} = context;
	const name = profileName(env);
	const profile = readProfile(name, paths);
	if (!profile) {
		note(io, `The profile "${name}" has no login.`);
		return;
	}

	await revokeKey(profile, context).catch(error =>
		note(io, `Could not revoke the API key ${profile.keyId}; it is still valid. ${reasonOf(error)}`),
	);
	await withLock(paths.startLock, async () => forgetProfile(paths.settingsFile, name));
	note(io, `Logged out of the profile "${name}".`);
}

async function revokeKey({url, token, keyId}: Profile, {daemon}: Pick<Context, 'daemon'>): Promise<void> {
	if (keyId !== undefined) {
		await apiClient({url: url ?? (await daemon()).url, token}).keys.revoke(keyId);
	}
}
