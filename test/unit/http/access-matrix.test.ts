import {afterAll, beforeAll, expect, test} from 'vitest';
import {createSecret} from '../../../src/domain/accounts/secrets.js';
import {operationGroups} from '../../../src/http/api/index.js';
import {type DescribedOperation, describeApi} from '../../../src/http/openapi/document.js';
import {signToken, validToken} from '../../helpers/forged-tokens.js';
import {responseText} from '../../helpers/response-text.js';
import {ClockedWorld} from './accounts/clocked-world.js';
import type {Headers, Person, Request} from './accounts/world.js';

/** Name of a security scheme in the OpenAPI document. */
type Scheme = 'apiKey' | 'token' | 'operatorToken' | 'sendKey';

/** User of a credential. `local` has the domain `localhost`, and `inbox` is the holder of a send key. */
type Holder = Person | 'local' | 'operator' | 'inbox';

/** Headers of a request, and the holder that they prove for each security scheme. */
type Credential = {readonly headers: Headers; readonly proves?: Partial<Record<Scheme, Holder>>};

type Operation = {
	readonly method: string;
	/** Path with `{name}` for parameters. */
	readonly path: string;
	readonly schemes: readonly Scheme[];
	readonly success: number;
	readonly body?: {readonly type: string; readonly example: unknown};
};

const operations = listOperations();

/** Values of path parameters by name, as names of the world; a new parameter needs an entry. */
const parameters: Readonly<Record<string, string>> = {
	inboxId: '{inbox}',
	messageId: '{message}',
	attachmentId: '1',
	faultId: '{fault}',
	endpointId: '{endpoint}',
	deliveryId: '{delivery}',
	provider: 'resend',
	templateId: '{template}',
	keyId: '{ownerKey}',
	sessionId: '{session}',
	teamId: '{team}',
	userId: '{member}',
};

/** Bodies for which the example of the document is not valid in the world. */
const bodies: Readonly<Record<string, object>> = {
	'POST /teams/invites/accept': {token: '{invite}'},
	'POST /inboxes/{inboxId}/messages/{messageId}/bounce': {to: 'smtp://127.0.0.1:9'},
	'POST /inboxes/{inboxId}/messages/{messageId}/complain': {to: 'smtp://127.0.0.1:9'},
	'POST /inboxes/{inboxId}/messages/{messageId}/autoreply': {to: 'smtp://127.0.0.1:9'},
	'POST /webhooks': {url: 'http://127.0.0.1:9/'},
};

const anybodyElse = [
	'no credential',
	'empty headers',
	'a random API key',
	'a random token',
	'a revoked API key',
	'a token of a deleted user',
	'an expired token',
	'a token with the algorithm "none"',
	'a token with a forged signature',
	'a token with changed claims',
	'the cookie of a web session',
	'the key of a web session without its cookie',
	'a whole web session outside of /app',
	'the secret of a web session as an API key',
	'an API key as Basic authentication',
] as const;
const others = [
	'a key of another tenant',
	'a token of another tenant',
	'a key of a team member',
	'a token of a team member',
	'a send key',
	'an operator token',
	'a key of another tenant and a token of the owner',
	'a key of the local user',
] as const;

type CredentialName = (typeof anybodyElse)[number] | (typeof others)[number];

let world: ClockedWorld;
let credentials: Readonly<Record<CredentialName, Credential>>;
beforeAll(async () => {
	world = await ClockedWorld.open();
	for (const who of ['owner', 'guest', 'member'] as const) {
		await world.giveKey(who);
	}

	await world.addTeamInbox('owner');
	await world.deliver(1);
	await world.addEndpoint(1);
	await world.addFault();
	await world.addTemplate('owner');
	await world.openWebSession('owner');
	await world.invite('somebody-else@example.com');
	credentials = await createCredentials();
});
afterAll(async () => world.close());

test('the document describes more than 70 operations, and each has a success and a known path', () => {
	expect(operations.length).toBeGreaterThan(70);
	for (const {path, success} of operations) {
		expect(success, path).toBeLessThan(300);
		for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
			expect([...Object.keys(parameters), 'token'], path).toContain(name);
		}
	}
});

test.each([...anybodyElse, ...others])('no operation is open to %s beyond what the document declares', async name => {
	const problems = await Promise.all(
		operations.map(async operation => {
			const expected = expectedStatuses(operation, credentials[name]);
			if (expected === undefined) {
				return [];
			}

			const {status, text, challenge} = await send(operation, credentials[name].headers);
			const isRight =
				expected.includes(status) &&
				(status !== 401 || isChallenge(challenge, operation.schemes)) &&
				(status >= 300 || !showsOwner(text, operation, credentials[name]));
			return isRight ? [] : [`${operation.method} ${operation.path}: ${status} ${challenge}, not ${expected}: ${text}`];
		}),
	);
	expect(problems.flat()).toEqual([]);
});

test('operations without declared security reveal nothing about a tenant', async () => {
	const open = operations.filter(({schemes, path}) => schemes.length === 0 && !path.includes('{token}'));
	for (const operation of open) {
		const {status, text} = await send(operation, {});
		expect([operation.path, status]).toEqual([operation.path, operation.success]);
		expect(showsOwner(text, operation, {headers: {}}), operation.path).toBe(false);
	}

	const previews = operations.filter(({path}) => path.includes('{token}'));
	expect(previews.length).toBeGreaterThanOrEqual(4);
	for (const operation of previews) {
		for (const token of [createSecret(), world.fill('{message}'), 'x', '..%2fmessages']) {
			const {status} = await send({...operation, path: operation.path.replace('{token}', token)}, {});
			expect([operation.path, status]).toEqual([operation.path, 404]);
		}
	}
});

function listOperations(): readonly Operation[] {
	const {paths} = describeApi(operationGroups);
	return Object.entries<Record<string, DescribedOperation>>(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, {security, responses, requestBody}]) => {
			const [body] = Object.entries(
				(requestBody?.content ?? {}) as Readonly<Record<string, {readonly example?: unknown}>>,
			);
			return {
				method: method.toUpperCase(),
				path,
				schemes: security.flatMap(scheme => Object.keys(scheme) as Scheme[]),
				success: Math.min(...Object.keys(responses).map(Number)),
				...(body && {body: {type: body[0], example: body[1].example}}),
			};
		}),
	);
}

async function send({method, path, body}: Operation, headers: Headers) {
	const values = method === 'PUT' ? {...parameters, templateId: 'own'} : parameters;
	const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
	const example = bodies[`${method} ${path}`] ?? body?.example;
	const isJson = body?.type === 'application/json';
	const response = await world.send(
		`${method} ${target}` as Request,
		headers,
		body && (isJson ? ((example ?? {}) as object) : 'Subject: Hi\n\n'),
	);
	const challenge = response.headers.get('WWW-Authenticate');
	return {status: response.status, text: await responseText(response), challenge};
}

/** Statuses with which an operation must answer a credential; undefined if the credential is right for it. */
function expectedStatuses({method, path, schemes, success}: Operation, {headers, proves = {}}: Credential) {
	// With the default setting, the sending API accepts any text as a key.
	const isAnyKey = /^Bearer ./.test(headers['Authorization'] ?? '') || (headers['X-API-Key'] ?? '') !== '';
	if (schemes.length === 0) {
		return undefined;
	}

	if (schemes.includes('sendKey') && isAnyKey) {
		return undefined;
	}

	// If a request has a key and a token, the key counts wherever keys are accepted.
	const [holder] = schemes.map(scheme => proves[scheme]).filter(who => who !== undefined);
	if (holder === undefined) {
		return [401];
	}

	if (holder === 'owner') {
		return undefined;
	}

	if (schemes.includes('operatorToken')) {
		const isOperatorOrLocal = holder === 'operator' || holder === 'local';
		return isOperatorOrLocal ? [success, 404] : [403];
	}

	// Templates are put by an id of the user's choice. A member of a team uses its inboxes, but may not change the team.
	const isOwn = !/\{/.test(path) || (method === 'PUT' && path.startsWith('/templates/'));
	const isTeam = path.startsWith('/teams/');
	if (holder === 'member' && path !== '/teams/invites/accept') {
		if (path.startsWith('/teams/{teamId}')) {
			return method === 'GET' ? [success] : [403];
		}

		return isOwn || path.startsWith('/inboxes/{inboxId}') ? [success, 404] : [404];
	}

	return isTeam ? [403, 404] : isOwn ? [success] : [404];
}

/** True if `WWW-Authenticate` names the schemes that the operation declares. */
function isChallenge(challenge: string | null, schemes: readonly Scheme[]): boolean {
	// The sending APIs answer as their providers do.
	if (schemes.includes('sendKey')) {
		return challenge === null;
	}

	const text = challenge ?? '';
	const hasBearer = schemes.some(scheme => scheme !== 'apiKey');
	return /^Bearer/.test(text) === hasBearer && text.includes('X-API-Key') === schemes.includes('apiKey');
}

/** True if a response to a stranger names something of the owner. */
function showsOwner(text: string, {path}: Operation, {proves = {}}: Credential): boolean {
	const holders = Object.values(proves);
	if (holders.some(holder => holder !== 'guest') || path === '/teams/invites/accept') {
		return false;
	}

	const names = ['owner', 'ownerKey', 'team', 'inbox', 'message', 'endpoint', 'delivery', 'session', 'fault'];
	return names.some(name => text.includes(world.fill(`{${name}}`)));
}

async function createCredentials(): Promise<typeof credentials> {
	const {accounts} = world;
	const {tokenSecret, now, services} = accounts;
	const nowS = now.getTime() / 1000;
	const owner = world.fill('{owner}');
	const key = async (who: Person) => (await world.headersOf(`${who}'s key`))['X-API-Key'] ?? '';
	const bearer = (token: string) => ({Authorization: `Bearer ${token}`});
	const session = await world.openWebSession('owner');
	const {Cookie: cookie, 'X-Tinbox-App': appKey} = session;
	const somebody = await services.users.create({name: 'x', email: 'x@example.com', plan: 'business'});
	const {key: ownKey, raw: revoked} = await services.keys.create(somebody, 'Revoked');
	const {token: ended} = await services.credentials.issueToken(somebody.id, 3600);
	await services.keys.revoke(somebody, ownKey.id);
	await services.users.delete(somebody.id);
	const local = await services.users.create({name: 'local', email: 'local@localhost', plan: 'business'});
	const {raw: localKey} = await services.keys.create(local, 'Local');
	const ownersInbox = await world.send('GET /inboxes/{inbox}/credentials', "owner's key");
	const {send_key: sendKey} = (await ownersInbox.json()) as {send_key: string};
	const claims = {sub: owner, iss: 'tinbox', aud: 'tinbox', iat: nowS, exp: nowS + 600};
	const [header, , signature] = validToken(tokenSecret, owner, nowS).split('.');
	const changed = Buffer.from(JSON.stringify({...claims, exp: nowS + 6000})).toString('base64url');
	return {
		'no credential': {headers: {}},
		'empty headers': {headers: {'X-API-Key': '', Authorization: ''}},
		'a random API key': {headers: {'X-API-Key': `tbx_live_${createSecret()}`}},
		'a random token': {headers: bearer(createSecret())},
		'a revoked API key': {headers: {'X-API-Key': revoked}},
		'a token of a deleted user': {headers: bearer(ended)},
		'an expired token': {headers: bearer(validToken(tokenSecret, owner, nowS - 3600))},
		'a token with the algorithm "none"': {headers: bearer(signToken({alg: 'none', typ: 'JWT'}, claims, tokenSecret))},
		'a token with a forged signature': {headers: bearer(validToken(`${tokenSecret}x`, owner, nowS))},
		'a token with changed claims': {headers: bearer(`${header}.${changed}.${signature}`)},
		'the cookie of a web session': {headers: {Cookie: cookie}},
		'the key of a web session without its cookie': {headers: {'X-Tinbox-App': appKey}},
		'a whole web session outside of /app': {headers: session},
		'the secret of a web session as an API key': {headers: {'X-API-Key': `tbx_web_${cookie.split('=')[1]}.${appKey}`}},
		'an API key as Basic authentication': {
			headers: {Authorization: `Basic ${Buffer.from(`api:${await key('owner')}`).toString('base64')}`},
		},
		'a key of another tenant': {headers: {'X-API-Key': await key('guest')}, proves: {apiKey: 'guest'}},
		'a token of another tenant': {headers: await world.headersOf("guest's token"), proves: {token: 'guest'}},
		'a key of a team member': {headers: {'X-API-Key': await key('member')}, proves: {apiKey: 'member'}},
		'a token of a team member': {headers: await world.headersOf("member's token"), proves: {token: 'member'}},
		'a send key': {headers: bearer(sendKey), proves: {sendKey: 'inbox'}},
		'an operator token': {headers: await world.headersOf('operator'), proves: {operatorToken: 'operator'}},
		'a key of another tenant and a token of the owner': {
			headers: {'X-API-Key': await key('guest'), ...(await world.headersOf("owner's token"))},
			proves: {apiKey: 'guest', token: 'owner'},
		},
		'a key of the local user': {headers: {'X-API-Key': localKey}, proves: {apiKey: 'local'}},
	};
}
