import {expect, test} from 'vitest';
import {apiClient, type Client} from '../../../src/client/index.js';
import {httpStub} from '../../helpers/http-stub.js';

const id = 'a/b ?';

/** A response body that contains every list and nested object. */
const everyList = {
	users: [],
	plans: [],
	keys: [],
	web_sessions: [],
	members: [],
	inboxes: [],
	misses: [],
	refusals: [],
	endpoints: [],
	recent_deliveries: [],
	deliveries: [],
	faults: [],
	hits: [],
	templates: [],
	nodes: [],
	delivery: {},
};

test.each<[string, string, (client: Client) => Promise<unknown>, object?]>([
	['token', 'POST /v1/users', ({users}) => users.create({name: 'n', email: 'e@x'}), {name: 'n', email: 'e@x'}],
	['token', 'GET /v1/users', ({users}) => users.list()],
	['token', 'GET /v1/users/me', ({users}) => users.me('token')],
	['key', 'GET /v1/users/me', ({users}) => users.me('key')],
	['key', 'GET /v1/plans', ({plans}) => plans.list()],
	['token', 'PATCH /v1/users/a%2Fb%20%3F', ({users}) => users.update(id, {name: 'n'}), {name: 'n'}],
	['token', 'DELETE /v1/users/a%2Fb%20%3F', ({users}) => users.delete(id)],
	['token', 'POST /v1/users/a%2Fb%20%3F/tokens', ({users}) => users.createToken(id, {expires_in: 5}), {expires_in: 5}],
	['token', 'POST /v1/inboxes/keys', ({keys}) => keys.create({name: 'n'}), {name: 'n'}],
	['token', 'GET /v1/inboxes/keys', ({keys}) => keys.list()],
	['token', 'DELETE /v1/inboxes/keys/a%2Fb%20%3F', ({keys}) => keys.revoke(id)],
	['key', 'POST /v1/web-sessions/links', ({webSessions}) => webSessions.createLink({inbox_id: 'i'}), {inbox_id: 'i'}],
	['key', 'GET /v1/web-sessions', ({webSessions}) => webSessions.list()],
	['key', 'DELETE /v1/web-sessions/a%2Fb%20%3F', ({webSessions}) => webSessions.end(id)],
	['token', 'POST /v1/teams', ({teams}) => teams.create({name: 'n'}), {name: 'n'}],
	['token', 'GET /v1/teams', ({teams}) => teams.list()],
	['token', 'GET /v1/teams/a%2Fb%20%3F', ({teams}) => teams.get(id)],
	['token', 'PUT /v1/teams/a%2Fb%20%3F', ({teams}) => teams.rename(id, {name: 'n'}), {name: 'n'}],
	['token', 'DELETE /v1/teams/a%2Fb%20%3F', ({teams}) => teams.delete(id)],
	['token', 'POST /v1/teams/a%2Fb%20%3F/invite', ({teams}) => teams.invite(id, {email: 'e@x'}), {email: 'e@x'}],
	['token', 'POST /v1/teams/invites/accept', ({teams}) => teams.accept({token: 't'}), {token: 't'}],
	['token', 'DELETE /v1/teams/a%2Fb%20%3F/members/u', ({teams}) => teams.removeMember(id, 'u')],
	['key', 'POST /v1/inboxes', ({inboxes}) => inboxes.create({name: 'n'}), {name: 'n'}],
	['key', 'GET /v1/inboxes?page=2&limit=5', ({inboxes}) => inboxes.list({page: 2, limit: 5})],
	['key', 'GET /v1/inboxes?email_address=a%40b', ({inboxes}) => inboxes.list({email_address: 'a@b'})],
	['key', 'GET /v1/inboxes/a%2Fb%20%3F', ({inboxes}) => inboxes.get(id)],
	['key', 'PATCH /v1/inboxes/a%2Fb%20%3F', ({inboxes}) => inboxes.update(id, {name: null}), {name: null}],
	['key', 'DELETE /v1/inboxes/a%2Fb%20%3F', ({inboxes}) => inboxes.delete(id)],
	['key', 'GET /v1/inboxes/i/messages?q=a+b&wait=3', ({messages}) => messages.list('i', {q: 'a b', wait: 3})],
	[
		'key',
		'GET /v1/inboxes/i/messages?header=X%3A+1&header=Y%3A+2',
		({messages}) => messages.list('i', {header: ['X: 1', 'Y: 2']}),
	],
	['key', 'GET /v1/inboxes/i/messages?page=3&fields=summary', ({messages}) => messages.summaries('i', {page: 3})],
	['key', 'GET /v1/messages?before=m&fields=summary', ({messages}) => messages.summariesOfAll({before: 'm'})],
	[
		'key',
		'GET /v1/inboxes/i/misses?subject=a&limit=5',
		({messages}) => messages.misses('i', {subject: 'a'}, {limit: 5}),
	],
	['key', 'GET /v1/nodes', ({nodes}) => nodes.list()],
	['key', 'GET /v1/refusals?limit=5', ({refusals}) => refusals.list({limit: 5})],
	['key', 'POST /v1/inboxes/i/faults', ({faults}) => faults.create('i', {stage: 'end'}), {stage: 'end'}],
	['key', 'GET /v1/inboxes/i/faults', ({faults}) => faults.list('i')],
	['key', 'GET /v1/faults', ({faults}) => faults.list(null)],
	['key', 'DELETE /v1/inboxes/i/faults', ({faults}) => faults.deleteAll('i')],
	['key', 'GET /v1/inboxes/i/faults/..', ({faults}) => faults.get('i', '..')],
	['key', 'DELETE /v1/faults/..', ({faults}) => faults.delete(null, '..')],
	['key', 'GET /v1/inboxes/i/faults/hits?page=2', ({faults}) => faults.hits('i', {page: 2})],
	['key', 'GET /v1/faults/f/hits?wait=3&count=2', ({faults}) => faults.hits(null, {fault: 'f', wait: 3, count: 2})],
	['key', 'GET /v1/inboxes/i/messages/..', ({messages}) => messages.get('i', '..')],
	['key', 'GET /v1/inboxes/i/messages/m?link=%2Fa%2F', ({messages}) => messages.get('i', 'm', {link: '/a/'})],
	['key', 'DELETE /v1/inboxes/i/messages/..', ({messages}) => messages.delete('i', '..')],
	['key', 'DELETE /v1/inboxes/i/messages?up_to=m', ({messages}) => messages.deleteAll('i', {up_to: 'm'})],
	['key', 'GET /v1/inboxes/i/messages/m/raw', ({messages}) => messages.raw('i', 'm')],
	['key', 'GET /v1/inboxes/i/messages/m/attachments/1', ({messages}) => messages.attachment('i', 'm', '1')],
	[
		'key',
		'PUT /v1/templates/resend/a%2Fb%20%3F',
		({templates}) => templates.put('resend', id, {html: 'h'}),
		{html: 'h'},
	],
	['key', 'GET /v1/templates', ({templates}) => templates.list()],
	['key', 'GET /v1/templates/ses/t', ({templates}) => templates.get('ses', 't')],
	['key', 'DELETE /v1/templates/ses/t', ({templates}) => templates.delete('ses', 't')],
	['key', 'POST /v1/webhooks', ({webhooks}) => webhooks.create({url: 'http://x'}), {url: 'http://x'}],
	['key', 'GET /v1/webhooks', ({webhooks}) => webhooks.list()],
	['key', 'GET /v1/webhooks/w', ({webhooks}) => webhooks.get('w')],
	['key', 'PUT /v1/webhooks/w', ({webhooks}) => webhooks.update('w', {is_active: false}), {is_active: false}],
	['key', 'DELETE /v1/webhooks/w', ({webhooks}) => webhooks.delete('w')],
	['key', 'GET /v1/webhooks/w/deliveries?page=2', ({webhooks}) => webhooks.deliveries('w', {page: 2})],
	['key', 'GET /v1/webhooks/w/deliveries/d', ({webhooks}) => webhooks.delivery('w', 'd')],
	['key', 'POST /v1/webhooks/w/test', ({webhooks}) => webhooks.test('w')],
	['key', 'POST /v1/webhooks/w/deliveries/d/redeliver', ({webhooks}) => webhooks.redeliver('w', 'd')],
])('the client authenticates with the %s for %s', async (auth, line, call, body) => {
	const {url, requests} = await httpStub(({method, url}) => ({
		body: method === 'GET' && /\/(?:teams|messages)(?:\?|$)/.test(url) ? [] : everyList,
	}));
	await call(apiClient({url, apiKey: 'the-key', token: 'the-token'}));
	expect(requests).toHaveLength(1);
	const [request] = requests;
	expect(`${request?.method} ${request?.url}`).toBe(line);
	expect(request?.headers['x-api-key']).toBe(auth === 'key' ? 'the-key' : undefined);
	expect(request?.headers.authorization).toBe(auth === 'token' ? 'Bearer the-token' : undefined);
	expect(request?.headers['content-type']).toBe(body && 'application/json');
	expect(request?.body).toBe(body ? JSON.stringify(body) : '');
});

test('the client uses the token for routes that accept both if it has no API key', async () => {
	const {url, requests} = await httpStub(() => ({body: everyList}));
	await apiClient({url, token: 'the-token'}).plans.list();
	expect(requests[0]?.headers.authorization).toBe('Bearer the-token');
});

test('an empty id is not found instead of addressing the collection', async () => {
	const {messages} = apiClient({url: 'http://127.0.0.1:1/v1'});
	await expect(async () => messages.delete('i', '')).rejects.toMatchObject({status: 404, code: 'not_found'});
});
