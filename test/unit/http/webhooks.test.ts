import {beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import type {Resources} from '../../../src/daemon/resources.js';
import type {AttemptResult, SendWebhook} from '../../../src/domain/webhooks/delivery.js';
import {createTargetPolicy} from '../../../src/domain/webhooks/target.js';
import {type Accounts, openAccounts} from '../../helpers/accounts.js';
import {openApi} from '../../helpers/api.js';
import {openTinbox} from '../../helpers/tinbox.js';

const at = '2026-01-01T00:00:00.000Z';
const hook = 'http://127.0.0.1:9/hook';
const anyId = expect.stringMatching(/^[0-9a-f-]{36}$/);
const endpointBody = {
	id: anyId,
	url: hook,
	format: 'tinbox',
	verification_key: null,
	events: ['message.received'],
	is_active: true,
	created_at: at,
};

let accounts: Accounts;
beforeEach(async () => {
	accounts = await openAccounts();
});

type Call = (method: string, path: string, body?: unknown) => Promise<{status: number; body: unknown}>;

type ApiOptions = Partial<Resources> & {readonly send?: SendWebhook};

/** Opens the API and returns a function that creates a user with an API key. */
async function open({send, ...own}: ApiOptions = {}): Promise<(name: string) => Promise<Call>> {
	const api = await openApi(accounts, {...own, ...(send && {sender: {send, close: async () => {}}})});
	onTestFinished(() => api.close());
	return async name => {
		const user = await accounts.user(name);
		const {raw} = await accounts.services.keys.create(user, 'key');
		return async (method, path, body) => {
			const response = await fetch(`${api.url}/webhooks${path}`, {
				method,
				headers: {'X-API-Key': raw, ...(body !== undefined && {'Content-Type': 'application/json'})},
				...(body !== undefined && {body: JSON.stringify(body)}),
			});
			return {status: response.status, body: await response.json()};
		};
	};
}

async function openAs(name: string, options?: ApiOptions): Promise<Call> {
	return (await open(options))(name);
}

async function create(call: Call, fields: object = {}): Promise<{id: string; secret: string}> {
	const {status, body} = await call('POST', '', {url: hook, ...fields});
	expect(status).toBe(201);
	return body as {id: string; secret: string};
}

describe('POST /webhooks', () => {
	test('returns 201 with the endpoint and a generated secret', async () => {
		const call = await openAs('ann');
		expect(await call('POST', '', {url: hook})).toEqual({
			status: 201,
			body: {...endpointBody, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)},
		});
	});

	test('accepts a secret and events', async () => {
		const call = await openAs('ann');
		expect(await call('POST', '', {url: hook, events: ['message.received'], secret: 's3cret'})).toEqual({
			status: 201,
			body: {...endpointBody, secret: 's3cret'},
		});
	});

	test.each([
		{body: {}, field: 'url', message: 'is required'},
		{body: {url: 7}, field: 'url', message: 'must be a string'},
		{body: {url: 'nonsense'}, field: 'url', message: 'must be an absolute URL such as "https://example.com/hook"'},
		{
			body: {url: 'nonsense', format: 'ses', events: ['fault.hit']},
			field: 'url',
			message: 'must be an absolute URL such as "https://example.com/hook"',
		},
		{body: {url: 'ftp://example.com'}, field: 'url', message: 'must begin with "http://" or "https://"'},
		{body: {url: 'http://a:b@example.com'}, field: 'url', message: 'must not contain a user name or a password'},
		{body: {url: 'http://gone.invalid'}, field: 'url', message: 'names a host that does not exist'},
		{
			body: {url: 'http://169.254.169.254/latest'},
			field: 'url',
			message: 'points to 169.254.169.254, where webhooks are not allowed',
		},
		{
			body: {url: 'http://0xa9fea9fe/latest'},
			field: 'url',
			message: 'points to 169.254.169.254, where webhooks are not allowed',
		},
		{body: {url: hook, events: []}, field: 'events', message: 'must have at least one event'},
		{
			body: {url: hook, events: ['message.sent']},
			field: 'events.0',
			message:
				'must be "message.received" or "fault.hit" or "email.delivered" or "email.bounced" or "email.complained" or "email.opened"',
		},
		{
			body: {url: hook, events: ['message.received', 'message.received']},
			field: 'events',
			message: 'must not repeat an event',
		},
		{body: {url: hook, events: 'message.received'}, field: 'events', message: 'must be an array'},
		{body: {url: hook, secret: ''}, field: 'secret', message: 'must not be empty'},
		{
			body: {url: hook, secret: 'whsec_?'},
			field: 'secret',
			message: 'must have base64 after "whsec_". Omit the prefix for a plain-text secret',
		},
		{body: {url: hook, active: true}, field: 'active', message: 'is unknown'},
	])('returns 400 for $body, naming $field', async ({body, field, message}) => {
		const call = await openAs('ann');
		expect(await call('POST', '', body)).toEqual({
			status: 400,
			body: {
				title: 'Bad Request',
				status: 400,
				code: 'invalid_input',
				detail: `"${field}" ${message}.`,
				errors: [{field, message}],
			},
		});
		expect(await call('GET', '')).toEqual({status: 200, body: {endpoints: []}});
	});

	test('returns 400 for a private host if the API is open to the network', async () => {
		const allows = createTargetPolicy({localAllowed: false});
		const call = await openAs('ann', {allows, findHost: async () => ['8.8.8.8', '10.0.0.7']});
		for (const [url, address] of [
			[hook, '127.0.0.1'],
			['http://[::1]/', '::1'],
			['http://intranet.example/', '10.0.0.7'],
		]) {
			expect(await call('POST', '', {url})).toMatchObject({
				status: 400,
				body: {
					errors: [
						{
							field: 'url',
							message: `points to ${address}, where webhooks are not allowed, unless the daemon is started with --webhook-allow ${address}`,
						},
					],
				},
			});
		}
	});

	test('returns 400 for an unknown host', async () => {
		const call = await openAs('ann', {findHost: async () => []});
		expect(await call('POST', '', {url: 'http://nowhere.example/'})).toMatchObject({
			status: 400,
			body: {errors: [{field: 'url', message: 'names a host that does not exist: nowhere.example'}]},
		});
	});
});

test('GET /webhooks lists the endpoints of the caller without secrets', async () => {
	const as = await open();
	const [ann, bob] = [await as('ann'), await as('bob')];
	await create(ann);
	await create(ann, {url: `${hook}/2`});
	await create(bob);
	expect(await ann('GET', '')).toEqual({
		status: 200,
		body: {endpoints: [{...endpointBody, url: `${hook}/2`}, endpointBody]},
	});
});

describe('GET /webhooks/{id}', () => {
	test('returns the endpoint with its 20 most recent deliveries, newest first', async () => {
		const call = await openAs('ann');
		const {id} = await create(call);
		const ids: string[] = [];
		for (let count = 0; count < 22; count += 1) {
			const {body} = await call('POST', `/${id}/test`);
			ids.unshift((body as {delivery: {id: string}}).delivery.id);
		}

		const delivery = {
			event: 'message.received',
			status: 'delivered',
			attempts: 1,
			response_status: 200,
			created_at: at,
		};
		expect(await call('GET', `/${id}`)).toEqual({
			status: 200,
			body: {...endpointBody, id, recent_deliveries: ids.slice(0, 20).map(each => ({id: each, ...delivery}))},
		});
	});
});

describe('PUT /webhooks/{id}', () => {
	test('changes the given fields and returns the endpoint without its secret', async () => {
		const call = await openAs('ann');
		const {id} = await create(call);
		const url = 'http://127.0.0.1:10/';
		expect(await call('PUT', `/${id}`, {url, is_active: false, secret: 'new'})).toEqual({
			status: 200,
			body: {...endpointBody, id, url, is_active: false},
		});
		expect(await call('PUT', `/${id}`, {})).toEqual({status: 200, body: {...endpointBody, id, url, is_active: false}});
		expect((await accounts.store.endpoints.get(id))?.secret).toBe('new');
	});

	test.each([
		{body: {url: 'nonsense'}, field: 'url'},
		{body: {url: 'http://169.254.169.254'}, field: 'url'},
		{body: {events: []}, field: 'events'},
		{body: {is_active: 'no'}, field: 'is_active'},
		{body: {secret: 'whsec_?'}, field: 'secret'},
	])('returns 400 for $body, naming $field, and changes nothing', async ({body, field}) => {
		const call = await openAs('ann');
		const {id, secret} = await create(call);
		expect(await call('PUT', `/${id}`, body)).toMatchObject({status: 400, body: {errors: [{field}]}});
		expect(await accounts.store.endpoints.get(id)).toMatchObject({url: hook, isActive: true, secret});
	});
});

test('DELETE /webhooks/{id} removes the endpoint with its deliveries', async () => {
	const call = await openAs('ann');
	const {id} = await create(call);
	const {body} = await call('POST', `/${id}/test`);
	expect(await call('DELETE', `/${id}`)).toEqual({
		status: 200,
		body: {message: 'The webhook endpoint and its deliveries were deleted.'},
	});
	expect(await call('GET', `/${id}`)).toMatchObject({status: 404});
	expect(await accounts.store.deliveries.get((body as {delivery: {id: string}}).delivery.id)).toBeUndefined();
});

describe('POST /webhooks/{id}/test', () => {
	test('sends the sample event and returns its delivery', async () => {
		const sent: unknown[] = [];
		const call = await openAs('ann', {
			send: async ({url, headers, body}) => {
				sent.push({url, event: headers['X-Tinbox-Event'], body: JSON.parse(body)});
				return {ok: true, status: 202, body: 'thanks'};
			},
		});
		const {id} = await create(call);
		expect(await call('POST', `/${id}/test`)).toEqual({
			status: 200,
			body: {
				delivery: {
					id: anyId,
					event: 'message.received',
					status: 'delivered',
					attempts: 1,
					response_status: 202,
					response_body: 'thanks',
					created_at: at,
				},
			},
		});
		const sample = {
			test: true,
			inbox_id: expect.any(String),
			message_id: expect.any(String),
			from: expect.any(String),
			to: [expect.any(String)],
			subject: expect.any(String),
			timestamp: at,
		};
		expect(sent).toEqual([{url: hook, event: 'message.received', body: sample}]);
		expect(await call('GET', `/${id}/deliveries`)).toMatchObject({
			body: {deliveries: [{payload: sample, webhook_endpoint_id: id}]},
		});
	});

	test('returns 200 and "failed" if the receiver fails', async () => {
		const call = await openAs('ann', {send: async () => ({ok: false, status: null, body: 'connect ECONNREFUSED'})});
		const {id} = await create(call);
		expect(await call('POST', `/${id}/test`)).toMatchObject({
			status: 200,
			body: {
				delivery: {status: 'failed', attempts: 1, response_status: null, response_body: 'connect ECONNREFUSED'},
			},
		});
	});
});

describe('GET /webhooks/{id}/deliveries', () => {
	test('returns zero pages if there are no deliveries', async () => {
		const call = await openAs('ann');
		const {id} = await create(call);
		expect(await call('GET', `/${id}/deliveries`)).toEqual({
			status: 200,
			body: {deliveries: [], pagination: {page: 1, limit: 20, total: 0, pages: 0}},
		});
	});

	test('returns deliveries newest first, in pages and by filter', async () => {
		const outcomes: AttemptResult[] = [true, false, true].map(ok => ({ok, status: ok ? 200 : 500, body: 'x'}));
		const call = await openAs('ann', {send: async () => outcomes.shift() ?? {ok: true, status: 200, body: 'x'}});
		const {id} = await create(call);
		for (let count = 0; count < 3; count += 1) {
			await call('POST', `/${id}/test`);
		}

		const statuses = async (query: string) => {
			const {body} = await call('GET', `/${id}/deliveries?${query}`);
			const {deliveries, pagination} = body as {deliveries: {status: string}[]; pagination: unknown};
			return {statuses: deliveries.map(({status}) => status), pagination};
		};
		expect(await statuses('limit=2')).toEqual({
			statuses: ['delivered', 'failed'],
			pagination: {page: 1, limit: 2, total: 3, pages: 2},
		});
		expect(await statuses('limit=2&page=2')).toEqual({
			statuses: ['delivered'],
			pagination: {page: 2, limit: 2, total: 3, pages: 2},
		});
		expect(await statuses('status=failed')).toEqual({
			statuses: ['failed'],
			pagination: {page: 1, limit: 20, total: 1, pages: 1},
		});
		expect(await statuses('event=message.received&limit=1000')).toEqual({
			statuses: ['delivered', 'failed', 'delivered'],
			pagination: {page: 1, limit: 100, total: 3, pages: 1},
		});
	});

	test('returns the deliveries of a message', async () => {
		const tinbox = await openTinbox();
		const {user, key} = await tinbox.user('ann');
		const {inbox} = await tinbox.services.inboxes.create(user, {
			name: null,
			teamId: null,
			address: null,
			ttlSeconds: null,
		});
		const {messages, webhooks} = apiClient({url: tinbox.url, apiKey: key});
		const {id} = await webhooks.create({url: hook});
		await tinbox.deliver(inbox.address, 'Subject: one\r\n\r\n');
		await tinbox.deliver(inbox.address, 'Subject: two\r\n\r\n');
		const [, one] = await messages.list(inbox.id);
		const {deliveries, pagination} = await webhooks.deliveries(id, {message_id: one?.id});
		expect(deliveries.map(({payload}) => payload)).toMatchObject([{message: {subject: 'one'}}]);
		expect(pagination.total).toBe(1);
		expect((await webhooks.deliveries(id, {message_id: 'none'})).deliveries).toEqual([]);
	});

	test.each(['page=0', 'limit=none', 'status=lost', 'event=message.sent'])('returns 400 for ?%s', async query => {
		const call = await openAs('ann');
		const {id} = await create(call);
		expect(await call('GET', `/${id}/deliveries?${query}`)).toMatchObject({
			status: 400,
			body: {errors: [{field: query.split('=')[0]}]},
		});
	});
});

test('GET /webhooks/{id}/deliveries/{deliveryId} returns the delivery as in the list', async () => {
	const call = await openAs('ann', {send: async () => ({ok: false, status: 503, body: 'Later.'})});
	const {id} = await create(call);
	await call('POST', `/${id}/test`);
	const {body} = await call('GET', `/${id}/deliveries`);
	const [delivery] = (body as {deliveries: {id: string}[]}).deliveries;
	expect(delivery).toMatchObject({status: 'failed', response_body: 'Later.', payload: {test: true}});
	expect(await call('GET', `/${id}/deliveries/${delivery?.id}`)).toEqual({status: 200, body: delivery});
});

test('POST /webhooks/{id}/deliveries/{deliveryId}/redeliver makes one more attempt with the same id and body', async () => {
	const sent: string[] = [];
	const call = await openAs('ann', {
		send: async ({headers, body}) => {
			sent.push(`${headers['webhook-id']} ${body}`);
			return {ok: sent.length > 1, status: sent.length > 1 ? 200 : 500, body: ''};
		},
	});
	const {id} = await create(call);
	const {body} = await call('POST', `/${id}/test`);
	const {delivery} = body as {delivery: {id: string}};
	expect(delivery).toMatchObject({status: 'failed', attempts: 1});
	expect(await call('POST', `/${id}/deliveries/${delivery.id}/redeliver`)).toEqual({
		status: 200,
		body: {delivery: {...delivery, status: 'delivered', attempts: 2, response_status: 200}},
	});
	expect(sent[1]).toBe(sent[0]);
});

describe('the endpoint of another user', () => {
	test.each([
		['GET', ''],
		['PUT', ''],
		['DELETE', ''],
		['GET', '/deliveries'],
		['POST', '/test'],
		['GET', '/deliveries/{delivery}'],
		['POST', '/deliveries/{delivery}/redeliver'],
	])('is not found with %s %s', async (method, path) => {
		const as = await open();
		const [ann, bob] = [await as('ann'), await as('bob')];
		const {id} = await create(ann);
		const {body} = await ann('POST', `/${id}/test`);
		const {delivery} = body as {delivery: {id: string}};
		const answer = await bob(method, `/${id}${path.replace('{delivery}', delivery.id)}`);
		expect(answer).toMatchObject({
			status: 404,
			body: {code: 'not_found', detail: `You have no webhook endpoint "${id}".`},
		});
		expect(await ann('GET', `/${id}`)).toMatchObject({status: 200, body: {recent_deliveries: [{attempts: 1}]}});
	});

	test('has no deliveries of a different endpoint', async () => {
		const call = await openAs('ann');
		const [one, two] = [await create(call), await create(call)];
		const {body} = await call('POST', `/${one.id}/test`);
		const {delivery} = body as {delivery: {id: string}};
		const none = {status: 404, body: {detail: `This endpoint has no delivery "${delivery.id}".`}};
		expect(await call('GET', `/${two.id}/deliveries/${delivery.id}`)).toMatchObject(none);
		expect(await call('POST', `/${two.id}/deliveries/${delivery.id}/redeliver`)).toMatchObject(none);
	});
});
