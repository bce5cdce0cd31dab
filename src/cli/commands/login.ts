import {type Command, Option} from 'commander';
import {ApiError} from '../../client/errors.js';
import {apiClient} from '../../client/index.js';
import {keepProfile, type Profile} from '../../config/settings-file.js';
import type {UserBody} from '../../contract/users.js';
import {withLock} from '../../lib/io/process-lock.js';
import {makeProfileKey} from '../connect/make-credentials.js';
import {localProfile, profileName, readProfile} from '../connect/profiles.js';
import {readSecret} from '../connect/read-secret.js';
import type {Context} from '../context.js';
import {apiUrl} from '../create-context.js';
import {addExamples} from '../options.js';
import {Exit, exitCodes, usageError} from '../output/exit.js';
import {note} from '../output/print.js';

type LoginFlags = {readonly url?: string; readonly tokenFile?: string; readonly apiKeyFile?: string};

export function fillLogin(command: Command, context: Context): void {
	addExamples(
		command,
		'tinbox login --url http://mail.example.com:8025/v1',
		'tinbox login --profile ann --token-file token.txt',
		'tinbox users token ann@example.com | tinbox login --profile ann',
	)
		.addOption(new Option('--url <url>', 'base URL of the API (default: the local daemon)').env('TINBOX_URL'))
		.option('--token-file <file>', 'file with the token from the operator (default: stdin)')
		.option('--api-key-file <file>', 'file with an API key (default: create a key)')
		.action(async (flags: LoginFlags) => login(flags, context));
}

async function login(flags: LoginFlags, context: Context): Promise<void> {
	const {io, env, paths} = context;
	const name = profileName(env);
	if (name === localProfile) {
		throw usageError(
			`The profile "${localProfile}" is the local user. It needs no login.`,
			'Use another name with --profile.',
		);
	}

	const remote = flags.url ? {url: apiUrl(flags.url, '--url or TINBOX_URL')} : {};
	const token = await readSecret(io, 'token', flags.tokenFile);
	const url = remote.url ?? (await context.daemon()).url;
	const user = await apiClient({url, token}).users.me('token');
	const key =
		flags.apiKeyFile === undefined
			? await keptKey(url, user, readProfile(name, paths), remote)
			: {apiKey: await ownKey(url, user, await readSecret(io, 'API key', flags.apiKeyFile))};
	await withLock(paths.startLock, async () => keepProfile(paths.settingsFile, name, {...remote, token, ...key}));
	note(io, `Logged in to ${url} as ${user.email}, in the profile "${name}".`);
	await makeProfileKey(name, url, paths).catch(error => {
		if (!(error instanceof ApiError && error.code === 'plan_limit')) {
			throw error;
		}

		note(io, `No API key was created. ${error.message} See your keys: tinbox keys list --profile ${name}`);
	});
}

/** The key that the profile already has, if it is of the same daemon and user and still valid. */
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

/** The key itself, checked to belong to the user. */
async function ownKey(url: string, user: UserBody, apiKey: string): Promise<string> {
	const owner = await ownerOf(url, apiKey);
	if (owner?.id !== user.id) {
		const whose = owner ? `belongs to ${owner.email}` : 'is unknown or was revoked';
		throw new Exit(exitCodes.denied, 'unauthorized', `The API key ${whose}, but the token belongs to ${user.email}.`);
	}

	return apiKey;
}

async function ownerOf(url: string, apiKey: string): Promise<UserBody | undefined> {
	return apiClient({url, apiKey})
		.users.me('key')
		.catch(error => {
			if (!(error instanceof ApiError && error.status === 401)) {
				throw error;
			}

			return undefined;
		});
}
