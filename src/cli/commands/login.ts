import {type Command, Option} from 'commander';
import {ApiError} from '../../client/errors.js';
import {createClient} from '../../client/index.js';
import type {Profile} from '../../config/settings-file.js';
import type {UserBody} from '../../contract/users.js';
import {withStartLock} from '../../runtime/start-lock.js';
import type {Context} from '../context.js';
import {addExamples} from '../examples.js';
import {Exit, exitCodes, usageError} from '../exit.js';
import {note} from '../output.js';
import {makeProfileKey} from '../profile-key.js';
import {localProfile, profileName, readProfile} from '../profiles.js';
import {readSecret} from '../read-secret.js';

export type LoginOptions = {readonly url?: string; readonly tokenFile?: string; readonly apiKeyFile?: string};

export function fillLogin(command: Command, context: Context, run = runLogin): void {
	addExamples(
		command,
		'tinbox login --url http://mail.example.com:8025/v1',
		'tinbox login --profile ann --token-file token.txt',
		'tinbox users token ann@example.com | tinbox login --profile ann',
	)
		.addOption(new Option('--url <url>', 'address of the API (default: the daemon of this machine)').env('TINBOX_URL'))
		.option('--token-file <file>', 'where the token is that the operator gave you (default: on stdin)')
		.option('--api-key-file <file>', 'use the API key in this file (default: a new one of the CLI’s own)')
		.action(async (options: LoginOptions) => run(options, context));
}

export async function runLogin(options: LoginOptions, context: Context): Promise<void> {
	const {io, env, paths} = context;
	const name = profileName(env);
	if (name === localProfile) {
		throw usageError(`"${localProfile}" is the local user, who needs no login.`, 'Choose another name with --profile.');
	}

	const remote = options.url ? {url: apiUrl(options.url)} : {};
	const token = await readSecret(io, 'token', options.tokenFile);
	const url = remote.url ?? (await context.daemon()).url;
	const user = await createClient({url, token}).users.me('token');
	const key =
		options.apiKeyFile === undefined
			? await keptKey(url, user, readProfile(name, paths), remote)
			: {apiKey: await ownKey(url, user, await readSecret(io, 'API key', options.apiKeyFile))};
	const {keepProfile} = await import('../../config/write-settings.js');
	await withStartLock(paths.startLock, async () => keepProfile(paths.settingsFile, name, {...remote, token, ...key}));
	note(io, `Logged in to ${url} as ${user.email}, in the profile "${name}".`);
	await makeProfileKey(name, url, paths).catch(error => {
		if (!(error instanceof ApiError && error.code === 'plan_limit')) {
			throw error;
		}

		note(io, `There is no API key for inboxes yet. ${error.message} See them: tinbox keys list --profile ${name}`);
	});
}

/** Newcomers type the address without the version, which belongs to it. */
function apiUrl(text: string): string {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
		throw usageError(`--url must be the address of an API such as http://127.0.0.1:8025/v1, got "${text}".`);
	}

	return url.origin + (url.pathname === '/' ? '/v1' : url.pathname.replace(/\/$/, ''));
}

/** The key that the profile has already, if this is the same daemon and user and it still opens. */
async function keptKey(
	url: string,
	user: UserBody,
	before: Profile | undefined,
	{url: remoteUrl}: Pick<Profile, 'url'>,
): Promise<Pick<Profile, 'apiKey' | 'keyId'>> {
	if (before?.apiKey === undefined || before.url !== remoteUrl) {
		return {};
	}

	const {token: _, url: __, ...key} = before;
	return (await ownerOf(url, before.apiKey))?.id === user.id ? key : {};
}

/** The key itself, once it is sure that it belongs to the user. */
async function ownKey(url: string, user: UserBody, apiKey: string): Promise<string> {
	const owner = await ownerOf(url, apiKey);
	if (owner?.id !== user.id) {
		const whose = owner ? `belongs to ${owner.email}` : 'is unknown or was revoked';
		throw new Exit(exitCodes.denied, 'unauthorized', `The API key ${whose}; the token is that of ${user.email}.`);
	}

	return apiKey;
}

async function ownerOf(url: string, apiKey: string): Promise<UserBody | undefined> {
	return createClient({url, apiKey})
		.users.me('key')
		.catch(error => {
			if (!(error instanceof ApiError && error.status === 401)) {
				throw error;
			}

			return undefined;
		});
}
