import type {Command} from 'commander';
import {createClient} from '../../client/index.js';
import type {Profile} from '../../config/settings-file.js';
import {reasonOf} from '../../lib/reason-of.js';
import {withStartLock} from '../../runtime/start-lock.js';
import type {Context} from '../context.js';
import {note} from '../output.js';
import {profileName, readProfile} from '../profiles.js';

export function fillLogout(command: Command, context: Context, run = runLogout): void {
	command
		.addHelpText('after', '\nAn API key that the login made is revoked; one that you brought stays good.')
		.action(async () => run(context));
}

export async function runLogout(context: Context): Promise<void> {
	const {io, env, paths} = context;
	const name = profileName(env);
	const profile = readProfile(name, paths);
	if (!profile) {
		note(io, `Nobody is logged in, in the profile "${name}".`);
		return;
	}

	await revokeKey(profile, context).catch(error =>
		note(io, `The API key ${profile.keyId} is still good, for it could not be revoked. ${reasonOf(error)}`),
	);
	const {forgetProfile} = await import('../../config/write-settings.js');
	await withStartLock(paths.startLock, async () => forgetProfile(paths.settingsFile, name));
	note(io, `Logged out of the profile "${name}".`);
}

async function revokeKey({url, token, keyId}: Profile, {daemon}: Pick<Context, 'daemon'>): Promise<void> {
	if (keyId !== undefined) {
		await createClient({url: url ?? (await daemon()).url, token}).keys.revoke(keyId);
	}
}
