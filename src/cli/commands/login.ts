import {type Command, Option} from 'commander';
import {ApiError} from '../../client/errors.js';
import {apiClient} from '../../client/index.js';
import {forgetProfile, keepProfile, type Profile} from '../../config/settings-file.js';
import {keyPrefixLength} from '../../contract/constants.js';
import {fieldsOf} from '../../contract/field-names.js';
import type {UserBody} from '../../contract/users.js';
import {reasonOf} from '../../lib/errors.js';
import {withLock} from '../../lib/io/process-lock.js';
import {makeProfileKey, readSecret} from '../connect/credentials.js';
import {localProfile, profileName, readProfile} from '../connect/profiles.js';
import type {Access, Context} from '../context.js';
import {apiUrl} from '../create-context.js';
import {addExamples, addHelpNote} from '../options.js';
import {Exit, exitCodes, usageError} from '../output/exit.js';
import {note} from '../output/print.js';
import {fillShow} from './list-show-delete.js';

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

/** Existing key of the profile, if it is valid for the same daemon and user. */
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

/** Returns the key. Throws `Exit` if it does not belong to the user. */
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

/** User and credentials in use. */
type Whoami = UserBody & {
	readonly url: string;
	readonly profile: string | null;
	/** Prefix of the API key, as in `keys list`. */
	readonly key_prefix: string | null;
	readonly token_expires_at: string | null;
};

const fields = fieldsOf<Whoami>()('id name email plan created_at url profile key_prefix token_expires_at');

export function fillWhoami(command: Command, context: Context): void {
	fillShow(command, context, {fields, find: async () => whoami(context)});
}

async function whoami(context: Context): Promise<Whoami> {
	const access = await context.access();
	const {url, profile, apiKey, token} = access;
	return {
		...(await userOf(access, context)),
		url,
		profile,
		key_prefix: apiKey?.slice(0, keyPrefixLength) ?? null,
		token_expires_at: token === null ? null : expiryOf(token),
	};
}

/** User of the token or API key. Prints a note if one of them is rejected. Throws if all are rejected. */
async function userOf({apiKey, token}: Access, {io, api, account}: Context): Promise<UserBody> {
	const answers = await Promise.allSettled([
		...(token === null ? [] : [account().then(({users}) => users.me('token'))]),
		...(apiKey === null && token !== null ? [] : [api().then(({users}) => users.me('key'))]),
	]);
	const reasons = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []));
	const [user] = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []));
	if (!user) {
		throw reasons[0];
	}

	for (const reason of reasons) {
		note(io, reasonOf(reason));
	}

	return user;
}

/** Expiry time of a JWT (RFC 7519, section 4.1.4); null for other tokens. */
function expiryOf(token: string): string | null {
	try {
		const {exp} = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
		return new Date(exp * 1000).toISOString();
	} catch {
		return null;
	}
}
