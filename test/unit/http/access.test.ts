import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {createSecret} from '../../../src/domain/accounts/secrets.js';
import {createRouter} from '../../../src/http/api/index.js';
import {Polls} from '../../../src/http/server/polls.js';
import {Accounts} from '../../helpers/accounts.js';
import {openApi} from '../../helpers/api.js';
import {forgedTokens, validToken} from '../../helpers/forged-tokens.js';
import {silent} from '../../helpers/resources.js';
import {responseText} from '../../helpers/response-text.js';
import {ClockedWorld} from './accounts/clocked-world.js';
import type {Caller, Headers, Request} from './accounts/world.js';
import {noConnections} from './routes.js';

/** Credentials that a route accepts; `either` is a token or a key. */
type Kind = 'operator' | 'token' | 'key' | 'either';

type Route = {
	/** Method and path as in the specification, with `{name}` for the ids of the world. */
	readonly request: Request;
	readonly kind: Kind;
};

const bodies: Readonly<Record<string, object | string>> = {
	'POST /users': {name: 'New', email: 'new@example.com'},
	'POST /teams': {name: 'Blue'},
	'PUT /teams/{team}': {name: 'Green'},
	'POST /teams/{team}/invite': {email: 'new@example.com'},
	'POST /teams/invites/accept': {token: '{invite}'},
	'POST /inboxes/{inbox}/messages': 'Subject: Hi\n\n',
	'POST /inboxes/{inbox}/messages/check': 'Subject: Hi\n\n',
	'POST /inboxes/{inbox}/sources': {sources: ['U3ViamVjdDogSGkKCg==']},
	'POST /inboxes/{inbox}/messages/{message}/bounce': {to: 'smtp://127.0.0.1:9'},
	'POST /inboxes/{inbox}/messages/{message}/complain': {to: 'smtp://127.0.0.1:9'},
	'POST /inboxes/{inbox}/messages/{message}/autoreply': {to: 'smtp://127.0.0.1:9'},
	'PUT /templates/resend/{template}': {html: 'Hi'},
	'POST /webhooks': {url: 'http://127.0.0.1:9/'},
	'POST /inboxes/{inbox}/faults': {stage: 'rcpt', reply: '451 Later'},
};

/** Status of a successful request, if it is not 200. */
const successes: Readonly<Record<string, number>> = {
	'POST /users': 201,
	'POST /users/{member}/tokens': 201,
	'POST /teams': 201,
	'POST /teams/{team}/invite': 201,
	'POST /inboxes/keys': 201,
	'POST /web-sessions/links': 201,
	'POST /inboxes': 201,
	'POST /inboxes/{inbox}/messages': 201,
	'POST /inboxes/{inbox}/messages/{message}/preview': 201,
	'POST /inboxes/{inbox}/messages/{message}/bounce': 201,
	'POST /inboxes/{inbox}/messages/{message}/complain': 201,
	'POST /inboxes/{inbox}/messages/{message}/autoreply': 201,
	'DELETE /inboxes/{inbox}': 204,
	'DELETE /inboxes/{inbox}/messages': 204,
	'DELETE /inboxes/{inbox}/messages/{message}': 204,
	'POST /webhooks': 201,
	'POST /inboxes/{inbox}/faults': 201,
	'DELETE /inboxes/{inbox}/faults': 204,
	'DELETE /inboxes/{inbox}/faults/{fault}': 204,
};

/** Routes with a caller other than the owner, or a stranger other than the guest. */
const rightCallers: Readonly<Record<string, Caller>> = {'POST /teams/invites/accept': "guest's token"};
const otherCallers: Readonly<Record<string, Caller>> = {'POST /teams/invites/accept': "admin's token"};

/** Caller that owns all data, for each kind of credentials. */
const ownerOf = {operator: 'operator', token: "owner's token", key: "owner's key"} as const;

const routes = await everyRoute();

describe.each(routes)('$request', ({request, kind}) => {
	let world: ClockedWorld;
	let revoked: Readonly<Record<Kind, Headers>>;
	beforeAll(async () => {
		world = await openPopulated();
		revoked = await revokedCredentials(world);
	});
	afterAll(async () => world.close());

	const body = bodies[request];
	const success = successes[request] ?? 200;
	const send = async (headers: Caller | Headers, to = request) => {
		const response = await world.send(to, headers, body);
		const text = await responseText(response);
		return {status: response.status, text, challenge: response.headers.get('WWW-Authenticate')};
	};
	const expectRefusal = async (headers: Headers) => {
		const {status, text, challenge} = await send(headers);
		expect([status, JSON.parse(text).code], JSON.stringify(headers)).toEqual([401, 'unauthorized']);
		expect(challenge).toMatch(
			{operator: /^Bearer/, token: /^Bearer/, key: /X-API-Key/, either: /^Bearer.*X-API-Key/}[kind],
		);
	};

	test('rejects a request without credentials', async () => {
		await expectRefusal({});
		await expectRefusal({'X-API-Key': '', Authorization: ''});
	});

	test('rejects malformed credentials', async () => {
		for (const text of ['Bearer', 'Bearer ', 'Bearer a b', 'Basic YTpi', 'a.b.c', 'tbx_live_', 'undefined']) {
			await expectRefusal({'X-API-Key': text, Authorization: text});
		}
	});

	test('rejects valid credentials of another kind', async () => {
		const opening = acceptedKinds(kind);
		for (const other of (['operator', 'token', 'key'] as const).filter(other => !opening.includes(other))) {
			const headers = await world.headersOf(ownerOf[other]);
			await expectRefusal(headers);
			const secret = other === 'key' ? headers['X-API-Key'] : headers['Authorization']?.slice('Bearer '.length);
			await expectRefusal(kind === 'key' ? {'X-API-Key': secret ?? ''} : {Authorization: `Bearer ${secret}`});
		}
	});

	test('rejects an expired token', async () => {
		const {tokenSecret, now} = world.accounts;
		const issuedS = now.getTime() / 1000 - 3600;
		await expectRefusal({Authorization: `Bearer ${validToken(tokenSecret, world.fill('{owner}'), issuedS)}`});
	});

	test('rejects revoked credentials', async () => {
		await expectRefusal(revoked[kind]);
	});

	if (kind !== 'operator') {
		test('does not expose data of one user to another', async () => {
			const {status, text} = await send(otherCallers[request] ?? (kind === 'key' ? "guest's key" : "guest's token"));
			expect(status).toBe(strangerStatus(request, success));
			if (status < 300) {
				for (const name of ['owner', 'ownerKey', 'team', 'inbox', 'message', 'endpoint', 'delivery', 'session']) {
					expect(text).not.toContain(world.fill(`{${name}}`));
				}
			}
		});
	}

	test('rejects below /app any request without a complete web session of the app', async () => {
		const session = await world.openWebSession('owner');
		const {Cookie: cookie, 'X-Tinbox-App': appKey} = session;
		const guests = await world.openWebSession('guest');
		const [key, token] = [await world.headersOf("owner's key"), await world.headersOf("owner's token")];
		const operator = await world.headersOf('operator');
		const app = {'X-Tinbox-App': '1'};
		const asKey = {'X-API-Key': `tbx_web_${cookie.split('=')[1]}.${appKey}`};
		const wrong: readonly Headers[] = [
			...[key, token, operator, asKey, {}].flatMap(headers =>
				[app, {'X-Tinbox-App': appKey}].map(by => ({...headers, ...by})),
			),
			{...session, Cookie: cookie.replace(/.$/, last => (last === 'x' ? 'y' : 'x'))},
			{...session, 'X-Tinbox-App': createSecret()},
			{...session, Cookie: guests.Cookie},
			{...session, 'X-Tinbox-App': guests['X-Tinbox-App']},
			{...session, Cookie: cookie.replace('=', '="').concat('"')},
			{...session, Cookie: `${guests.Cookie}; ${guests.Cookie}`},
			{...session, Cookie: cookie.replace(/_\d+=/, '=')},
			{...session, Cookie: cookie.replace('tinbox', 'Tinbox')},
			{...session, Cookie: `x${cookie}`},
		];
		for (const headers of wrong) {
			const {status, text} = await send(headers, inApp(request));
			expect([status, JSON.parse(text).code], JSON.stringify(headers)).toEqual([401, 'unauthorized']);
		}

		for (const headers of [{Cookie: cookie}, {Cookie: cookie, ...key, ...token}, {...session, 'X-Tinbox-App': ''}]) {
			const {status} = await send(headers, inApp(request));
			expect(status, JSON.stringify(headers)).toBe(request.startsWith('GET ') ? 401 : 403);
		}

		for (const headers of [session, {...session, ...asKey}]) {
			expect((await send(headers)).status).toBe(401);
		}
	});

	test('treats a web session below /app like an API key', async () => {
		const isOpen = kind === 'key' || kind === 'either';
		const own = isOpen && request.startsWith('DELETE ') ? await openPopulated() : world;
		const guests = await own.openWebSession('guest');
		const session = await own.openWebSession('owner');
		const others = {...(await own.headersOf('operator')), ...(await own.headersOf("owner's key"))};
		const asGuest = await own.send(inApp(request), {...others, ...guests}, body);
		// A session cannot create a login link.
		const isLinkCreation = request === 'POST /web-sessions/links';
		expect(asGuest.status).toBe(isOpen ? (isLinkCreation ? 403 : strangerStatus(request, success)) : 401);
		expect(await responseText(asGuest)).not.toContain(own.fill('{message}'));
		const asOwner = await own.send(inApp(request), session, body);
		expect(asOwner.status, await responseText(asOwner)).toBe(isOpen ? (isLinkCreation ? 403 : success) : 401);
		if (own !== world) {
			await own.close();
		}
	});

	test('accepts the right credentials', async () => {
		for (const right of acceptedKinds(kind)) {
			await world.openWebSession('owner');
			const {status, text} = await send(rightCallers[request] ?? ownerOf[right]);
			expect(status, text).toBe(success);
		}
	});
});

describe('a token', () => {
	let world: ClockedWorld;
	beforeAll(async () => {
		world = await ClockedWorld.open();
	});
	afterAll(async () => world.close());

	test('that is forged or malformed is rejected', async () => {
		const {tokenSecret, now} = world.accounts;
		const forged = forgedTokens(tokenSecret, world.fill('{owner}'), now.getTime() / 1000);
		expect(forged.length).toBeGreaterThanOrEqual(30);
		for (const [what, token] of forged) {
			expect(await world.status('GET /teams', {Authorization: `Bearer ${token}`}), what).toBe(401);
		}
	});

	test('with a valid signature and claims is accepted', async () => {
		const {tokenSecret, now} = world.accounts;
		const token = validToken(tokenSecret, world.fill('{owner}'), now.getTime() / 1000);
		expect(await world.status('GET /teams/{team}', {Authorization: `Bearer ${token}`})).toBe(200);
	});
});

/**
 * Every route except the public ones, routes for the operator and the local user, and routes whose address is a
 * secret.
 */
async function everyRoute(): Promise<readonly Route[]> {
	const accounts = await Accounts.open();
	const api = await openApi(accounts);
	const polls = new Polls(api.services, noConnections, silent);
	const {stack} = createRouter(api.services, {polls, connections: noConnections});
	await api.close();
	await accounts.close();
	return stack
		.flatMap(({methods, path}) => methods.map(method => ({method, path: String(path).replace(/^\/v1/, '')})))
		.filter(
			({method, path}) =>
				method !== 'HEAD' &&
				!['/health', '/ready', '/openapi.json', '/refusals', '/nodes'].includes(path) &&
				!['/previews', '/faults'].some(start => path.startsWith(start)),
		)
		.map(({method, path}) => ({request: `${method} ${withPlaceholders(path)}` as Request, kind: kindOf(path)}));
}

/** Converts `/teams/:teamId/members/:userId` to `/teams/{team}/members/{member}`. */
function withPlaceholders(path: string): string {
	const names: Readonly<Record<string, string>> = {user: 'member', key: 'ownerKey'};
	return path.replace(':provider', 'resend').replaceAll(/:(\w+)Id\b/g, (_, name: string) => `{${names[name] ?? name}}`);
}

/** Kinds of credentials that a route accepts. */
function acceptedKinds(kind: Kind): ReadonlyArray<keyof typeof ownerOf> {
	return kind === 'either' ? ['token', 'key'] : [kind];
}

function kindOf(path: string): Kind {
	if (['/users/me', '/plans', '/web-sessions', '/web-sessions/:sessionId'].includes(path)) {
		return 'either';
	}

	if (path.startsWith('/users')) {
		return 'operator';
	}

	return path.startsWith('/teams') || path.startsWith('/inboxes/keys') ? 'token' : 'key';
}

/** Status for a stranger: success without an id in the path, else 403 for teams and 404 for all others. */
function strangerStatus(request: Request, success: number): number {
	// The caller chooses the id.
	if (request.startsWith('PUT /templates/')) {
		return success;
	}

	if (request.includes('/teams/')) {
		return 403;
	}

	return request.includes('{') ? 404 : success;
}

/** The same request below the path of the web app. */
function inApp(request: Request): Request {
	return request.replace(' ', ' /../app/v1') as Request;
}

/** Opens a world with one object of each kind, all owned by the owner. */
async function openPopulated(): Promise<ClockedWorld> {
	const world = await ClockedWorld.open();
	await world.giveKey('owner');
	await world.addTeamInbox('owner');
	await world.deliver(1);
	await world.addEndpoint(1);
	await world.addFault();
	await world.addTemplate('owner');
	await world.openWebSession('owner');
	await world.invite('guest@example.com');
	return world;
}

async function revokedCredentials({accounts}: ClockedWorld): Promise<Readonly<Record<Kind, Headers>>> {
	const {credentials, keys, users} = accounts.services;
	const user = await accounts.user('somebody');
	const {key, raw} = await keys.create(user, 'Revoked');
	const {token} = await credentials.issueToken(user.id, 3600);
	await keys.revoke(user, key.id);
	await users.delete(user.id);
	return {
		operator: {Authorization: `Bearer ${createSecret()}`},
		token: {Authorization: `Bearer ${token}`},
		key: {'X-API-Key': raw},
		either: {Authorization: `Bearer ${token}`},
	};
}
