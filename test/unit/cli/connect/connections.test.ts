import {mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {setProfile} from '../../../../src/cli/connect/profiles.js';
import type {ClientDeps} from '../../../../src/cli/context.js';
import {chooseClients} from '../../../../src/cli/create-context.js';
import {keepCredentials, keepProfile, type Profile, readSettingsFile} from '../../../../src/config/settings-file.js';
import {resolvePaths} from '../../../../src/runtime/paths.js';
import {httpStub, type StubRequest} from '../../../helpers/http-stub.js';
import {tempDir} from '../../../helpers/temp-dir.js';

type Stub = Awaited<ReturnType<typeof httpStub>>;

let remote: Stub;
let local: Stub;
let home: string;
/** Number of requests for the local daemon; each would start it. */
let starts: number;

beforeEach(async () => {
	remote = await httpStub(answer);
	local = await httpStub(answer);
	home = await tempDir();
	starts = 0;
	await keepCredentials(paths().settingsFile, path.join(home, 'data'), {userId: 'me', apiKey: 'tbx_live_local'});
});

function answer({method, url}: StubRequest) {
	const emptyList = url.endsWith('/teams') ? [] : {inboxes: [], users: []};
	return {body: method === 'POST' ? {id: 'k1', key: 'tbx_live_made'} : emptyList};
}

function paths() {
	return resolvePaths({TINBOX_HOME: home});
}

function clientDeps(env: NodeJS.ProcessEnv = {}): ClientDeps {
	return {
		env,
		paths: paths(),
		async daemon() {
			starts++;
			const data_dir = path.join(home, 'data');
			const smtp = {host: '127.0.0.1', port: 1};
			return {
				pid: 1,
				birth: '',
				version: '1',
				url: local.url,
				https_url: null,
				smtp,
				smtps: null,
				domain: 'x',
				data_dir,
				store: null,
				settings: {},
			};
		},
	};
}

async function saveProfile(name: string, profile: Partial<Profile> = {}): Promise<void> {
	await keepProfile(paths().settingsFile, name, {token: `token-of-${name}`, apiKey: `tbx_live_${name}`, ...profile});
}

/** The daemon and the credentials that commands use; `profile` is the value of --profile. */
async function connectionOf(env: NodeJS.ProcessEnv = {}, profile?: string): Promise<object> {
	if (profile !== undefined) {
		setProfile(env, profile);
	}

	const connections = chooseClients(clientDeps(env));
	await (await connections.api()).inboxes.list();
	const account = await connections.account().catch(() => undefined);
	await account?.teams.list();
	const requests = [...remote.requests.splice(0), ...local.requests.splice(0)];
	return {
		at: connections.remoteUrl() ?? 'local',
		key: requests.find(({url}) => url.startsWith('/v1/inboxes'))?.headers['x-api-key'],
		token: requests.find(({url}) => url === '/v1/teams')?.headers.authorization?.slice('Bearer '.length),
		starts,
	};
}

describe('commands connect to', () => {
	const variables = () => ({TINBOX_URL: remote.url, TINBOX_API_KEY: 'tbx_live_env', TINBOX_TOKEN: 'token-of-env'});

	test('the local daemon as the local user by default', async () => {
		expect(await connectionOf({TINBOX_TOKEN: 'given'})).toMatchObject({
			at: 'local',
			key: 'tbx_live_local',
			token: 'given',
		});
	});

	test('the daemon of the default profile after a login', async () => {
		await saveProfile('default', {url: remote.url});
		expect(await connectionOf()).toEqual({
			at: remote.url,
			key: 'tbx_live_default',
			token: 'token-of-default',
			starts: 0,
		});
	});

	test('the daemon of the profile in TINBOX_PROFILE', async () => {
		await saveProfile('default', {url: remote.url});
		await saveProfile('ann', {url: remote.url});
		const env = {TINBOX_PROFILE: 'ann'};
		expect(await connectionOf(env)).toMatchObject({key: 'tbx_live_ann', token: 'token-of-ann', starts: 0});
	});

	test('the local daemon with the credentials of a profile without a URL', async () => {
		await saveProfile('ann');
		const env = {TINBOX_PROFILE: 'ann'};
		expect(await connectionOf(env)).toMatchObject({at: 'local', key: 'tbx_live_ann', token: 'token-of-ann'});
	});

	test('TINBOX_URL rather than the profile in TINBOX_PROFILE', async () => {
		await saveProfile('ann');
		expect(await connectionOf({...variables(), TINBOX_PROFILE: 'ann'})).toEqual({
			at: remote.url,
			key: 'tbx_live_env',
			token: 'token-of-env',
			starts: 0,
		});
	});

	test('the daemon of a profile with the credentials of the environment', async () => {
		await saveProfile('default', {url: remote.url});
		const {TINBOX_URL: _, ...credentials} = variables();
		expect(await connectionOf(credentials)).toMatchObject({
			at: remote.url,
			key: 'tbx_live_env',
			token: 'token-of-env',
		});
	});

	test('the profile of --profile rather than the environment', async () => {
		await saveProfile('ann');
		const env = {...variables(), TINBOX_PROFILE: 'bob'};
		expect(await connectionOf(env, 'ann')).toMatchObject({at: 'local', key: 'tbx_live_ann', token: 'token-of-ann'});
	});

	test('the local daemon as the local user with --profile local after a login', async () => {
		await saveProfile('default', {url: remote.url});
		expect(await connectionOf({}, 'local')).toMatchObject({at: 'local', key: 'tbx_live_local'});
	});
});

test('operator commands prefer the readable operator token file to a user token', async () => {
	await saveProfile('ann');
	await mkdir(path.join(home, 'data'));
	await writeFile(path.join(home, 'data', 'operator-token'), 'the-operator\n');
	for (const env of [{TINBOX_TOKEN: 'token-of-ann'}, {TINBOX_PROFILE: 'ann'}]) {
		const {users} = await chooseClients(clientDeps(env)).operator();
		await users.list();
		expect(local.requests.splice(0)[0]?.headers.authorization).toBe('Bearer the-operator');
	}
});

describe('a profile', () => {
	test('is rejected if it does not exist', () => {
		for (const name of ['ann', 'constructor']) {
			expect(() => chooseClients(clientDeps({TINBOX_PROFILE: name}))).toThrow(`There is no profile "${name}".`);
		}
	});

	test.each(['a b', '-ann', '__proto__/', 'x'.repeat(65)])('cannot have the name %j', name => {
		expect(() => chooseClients(clientDeps({TINBOX_PROFILE: name}))).toThrow(`Invalid profile name "${name}".`);
	});

	test('without an API key creates a single key for concurrent commands', async () => {
		await keepProfile(paths().settingsFile, 'ann', {url: remote.url, token: 'token-of-ann'});
		const apis = Array.from({length: 4}, async () => chooseClients(clientDeps({TINBOX_PROFILE: 'ann'})).api());
		await Promise.all(apis);
		expect(remote.requests.map(({method, url, body}) => [method, url, body])).toEqual([
			['POST', '/v1/inboxes/keys', '{"name":"tinbox CLI"}'],
		]);
		expect(readSettingsFile(paths().settingsFile).profiles).toEqual({
			ann: {url: remote.url, token: 'token-of-ann', apiKey: 'tbx_live_made', keyId: 'k1'},
		});
	});
});

test.each([
	'http://ann:secret@127.0.0.1:8025/v1',
	'http://:secret@127.0.0.1:8025',
	'http://ann:sec/secret@127.0.0.1',
	'ann:secret@127.0.0.1:8025',
])('TINBOX_URL with a password, %s, is rejected without printing the password', url => {
	const choose = () => chooseClients(clientDeps({TINBOX_URL: url}));
	expect(choose).toThrow(
		/^TINBOX_URL must be the URL of a tinbox API .*, without user and password, got ".*127\.0\.0\.1/,
	);
	expect(choose).not.toThrow(/secret/);
});
