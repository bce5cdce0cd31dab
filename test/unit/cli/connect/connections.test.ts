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

let elsewhere: Stub;
let here: Stub;
let home: string;
/** How often the daemon of this machine was asked for, which would start it. */
let starts: number;

beforeEach(async () => {
	elsewhere = await httpStub(answer);
	here = await httpStub(answer);
	home = await tempDir();
	starts = 0;
	await keepCredentials(paths().settingsFile, path.join(home, 'data'), {userId: 'me', apiKey: 'tbx_live_local'});
});

function answer({method, url}: StubRequest) {
	const nothing = url.endsWith('/teams') ? [] : {inboxes: [], users: []};
	return {body: method === 'POST' ? {id: 'k1', key: 'tbx_live_made'} : nothing};
}

function paths() {
	return resolvePaths({TINBOX_HOME: home});
}

function ground(env: NodeJS.ProcessEnv = {}): ClientDeps {
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
				url: here.url,
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

async function keep(name: string, profile: Partial<Profile> = {}): Promise<void> {
	await keepProfile(paths().settingsFile, name, {token: `token-of-${name}`, apiKey: `tbx_live_${name}`, ...profile});
}

/** Where the inbox commands and the account commands go, with which credentials. */
async function reached(env: NodeJS.ProcessEnv = {}, flag?: string): Promise<object> {
	if (flag !== undefined) {
		setProfile(env, flag);
	}

	const connections = chooseClients(ground(env));
	await (await connections.api()).inboxes.list();
	const account = await connections.account().catch(() => undefined);
	await account?.teams.list();
	const seen = [...elsewhere.requests.splice(0), ...here.requests.splice(0)];
	return {
		at: connections.remoteUrl() ?? 'here',
		key: seen.find(({url}) => url.startsWith('/v1/inboxes'))?.headers['x-api-key'],
		token: seen.find(({url}) => url === '/v1/teams')?.headers.authorization?.slice('Bearer '.length),
		starts,
	};
}

describe('commands reach', () => {
	const variables = () => ({TINBOX_URL: elsewhere.url, TINBOX_API_KEY: 'tbx_live_env', TINBOX_TOKEN: 'token-of-env'});

	test('the daemon of this machine as the local user when nobody says otherwise', async () => {
		expect(await reached({TINBOX_TOKEN: 'given'})).toMatchObject({at: 'here', key: 'tbx_live_local', token: 'given'});
	});

	test('what the login without a name keeps, once there is one', async () => {
		await keep('default', {url: elsewhere.url});
		expect(await reached()).toEqual({
			at: elsewhere.url,
			key: 'tbx_live_default',
			token: 'token-of-default',
			starts: 0,
		});
	});

	test('the profile that TINBOX_PROFILE names', async () => {
		await keep('default', {url: elsewhere.url});
		await keep('ann', {url: elsewhere.url});
		const env = {TINBOX_PROFILE: 'ann'};
		expect(await reached(env)).toMatchObject({key: 'tbx_live_ann', token: 'token-of-ann', starts: 0});
	});

	test('the daemon of this machine by a profile without an address', async () => {
		await keep('ann');
		const env = {TINBOX_PROFILE: 'ann'};
		expect(await reached(env)).toMatchObject({at: 'here', key: 'tbx_live_ann', token: 'token-of-ann'});
	});

	test('what TINBOX_URL says, whatever TINBOX_PROFILE names', async () => {
		await keep('ann');
		expect(await reached({...variables(), TINBOX_PROFILE: 'ann'})).toEqual({
			at: elsewhere.url,
			key: 'tbx_live_env',
			token: 'token-of-env',
			starts: 0,
		});
	});

	test('the daemon of a profile with other credentials from the environment', async () => {
		await keep('default', {url: elsewhere.url});
		const {TINBOX_URL: _, ...credentials} = variables();
		expect(await reached(credentials)).toMatchObject({
			at: elsewhere.url,
			key: 'tbx_live_env',
			token: 'token-of-env',
		});
	});

	test('what --profile names, whatever the environment says', async () => {
		await keep('ann');
		const env = {...variables(), TINBOX_PROFILE: 'bob'};
		expect(await reached(env, 'ann')).toMatchObject({at: 'here', key: 'tbx_live_ann', token: 'token-of-ann'});
	});

	test('the local user by the name "local", whoever is logged in', async () => {
		await keep('default', {url: elsewhere.url});
		expect(await reached({}, 'local')).toMatchObject({at: 'here', key: 'tbx_live_local'});
	});
});

test('whoever can read the operator token is the operator, also with the token of a user at hand', async () => {
	await keep('ann');
	await mkdir(path.join(home, 'data'));
	await writeFile(path.join(home, 'data', 'operator-token'), 'the-operator\n');
	for (const env of [{TINBOX_TOKEN: 'token-of-ann'}, {TINBOX_PROFILE: 'ann'}]) {
		const {users} = await chooseClients(ground(env)).operator();
		await users.list();
		expect(here.requests.splice(0)[0]?.headers.authorization).toBe('Bearer the-operator');
	}
});

describe('a profile', () => {
	test('that nobody logged in to is refused, with the way in', () => {
		for (const name of ['ann', 'constructor']) {
			expect(() => chooseClients(ground({TINBOX_PROFILE: name}))).toThrow(`There is no profile "${name}".`);
		}
	});

	test.each(['a b', '-ann', '__proto__/', 'x'.repeat(65)])('cannot be called %j', name => {
		expect(() => chooseClients(ground({TINBOX_PROFILE: name}))).toThrow(`Invalid profile name "${name}".`);
	});

	test('without an API key gets one, however many commands ask for it at once', async () => {
		await keepProfile(paths().settingsFile, 'ann', {url: elsewhere.url, token: 'token-of-ann'});
		const apis = Array.from({length: 4}, async () => chooseClients(ground({TINBOX_PROFILE: 'ann'})).api());
		await Promise.all(apis);
		expect(elsewhere.requests.map(({method, url, body}) => [method, url, body])).toEqual([
			['POST', '/v1/inboxes/keys', '{"name":"tinbox CLI"}'],
		]);
		expect(readSettingsFile(paths().settingsFile).profiles).toEqual({
			ann: {url: elsewhere.url, token: 'token-of-ann', apiKey: 'tbx_live_made', keyId: 'k1'},
		});
	});
});

test.each([
	'http://ann:secret@127.0.0.1:8025/v1',
	'http://:secret@127.0.0.1:8025',
	'http://ann:sec/secret@127.0.0.1',
	'ann:secret@127.0.0.1:8025',
])('an address with a login, %s, is refused without it', url => {
	const choose = () => chooseClients(ground({TINBOX_URL: url}));
	expect(choose).toThrow(
		/^TINBOX_URL must be the URL of a tinbox API .*, without user and password, got ".*127\.0\.0\.1/,
	);
	expect(choose).not.toThrow(/secret/);
});
