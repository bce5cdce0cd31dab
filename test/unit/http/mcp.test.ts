import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import {describe, expect, test, vi} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {Agent} from '../../helpers/mcp.js';
import {mail, openTinbox, type Tinbox, type TinboxOptions} from '../../helpers/tinbox.js';

const address = ({url}: Tinbox) => url.replace(/\/v1$/, '/mcp');

async function openWorld(options: TinboxOptions = {}) {
	const tinbox = await openTinbox(options);
	const {key} = await tinbox.user('ann', 'localhost');
	return {tinbox, key, client: apiClient({url: tinbox.url, apiKey: key})};
}

const connect = (url: string, headers: Record<string, string>) =>
	Agent.connect(new StreamableHTTPClientTransport(new URL(url), {requestInit: {headers}}) as Transport);

/** Sends a message like a client without the SDK. */
async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
	return fetch(url, {
		method: 'POST',
		headers: {'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers},
		body: typeof body === 'string' ? body : JSON.stringify(body),
	});
}

/** Starts a session and returns its headers and a function that creates tool calls. */
async function begin(url: string, key: string) {
	const begun = await post(url, initialize, {'X-API-Key': key});
	await begun.text();
	return {
		headers: {'X-API-Key': key, 'Mcp-Session-Id': begun.headers.get('Mcp-Session-Id') ?? ''},
		call: (id: number, name: string, args: object) => ({
			jsonrpc: '2.0',
			id,
			method: 'tools/call',
			params: {name, arguments: args},
		}),
	};
}

const initialize = {
	jsonrpc: '2.0',
	id: 1,
	method: 'initialize',
	params: {protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {name: 'x', version: '1'}},
};

const list = {jsonrpc: '2.0', id: 2, method: 'tools/list'};

test.each([
	['X-API-Key', (key: string) => ({'X-API-Key': key})],
	['Authorization', (key: string) => ({Authorization: `Bearer ${key}`})],
])('an agent signs up in three tool calls, with its key in %s', async (_, headers) => {
	const {tinbox, key} = await openWorld();
	const agent = await connect(address(tinbox), headers(key));
	const inbox = await agent.createInbox();
	const code = agent.call('get_code', {inbox});
	await vi.waitFor(() => expect(tinbox.services.quotas.polls.held).toBe(1));
	await tinbox.deliver(inbox, mail('Verify', 'Your verification code is 493028.'));
	expect((await code).object['code']).toBe('493028');
	expect(await agent.call('delete_inbox', {inbox})).toMatchObject({isError: false});
});

test('a session sees the inboxes that it created and the inboxes named in its URL', async () => {
	const {tinbox, key, client} = await openWorld();
	await client.inboxes.create({name: 'given'});
	const headers = {'X-API-Key': key};
	const [one, other, selected, all] = await Promise.all([
		connect(address(tinbox), headers),
		connect(address(tinbox), headers),
		connect(`${address(tinbox)}?inbox=given`, headers),
		connect(`${address(tinbox)}?inbox=all`, headers),
	]);
	const inbox = await one.createInbox();
	const sees = async (agent: Agent, name: string) => !(await agent.call('list_messages', {inbox: name})).isError;
	expect([await sees(one, inbox), await sees(one, 'given')]).toEqual([true, false]);
	expect([await sees(other, inbox), await sees(other, 'given')]).toEqual([false, false]);
	expect([await sees(selected, inbox), await sees(selected, 'given')]).toEqual([false, true]);
	expect([await sees(all, inbox), await sees(all, 'given')]).toEqual([true, true]);
	await expect(connect(`${address(tinbox)}?inbox=nobody`, headers)).rejects.toThrow('There is no inbox');
	await expect(connect(`${address(tinbox)}?inboxes=given`, headers)).rejects.toThrow('is unknown');
});

test('optional tools are available only if the daemon allows them', async () => {
	const names = async (options: TinboxOptions) => {
		const {tinbox, key} = await openWorld(options);
		const agent = await connect(address(tinbox), {'X-API-Key': key});
		return (await agent.client.listTools()).tools.map(({name}) => name);
	};
	expect(await names({})).toHaveLength(7);
	expect(await names({settings: {mcpAllow: ['send']}})).toContain('send_mail');
});

describe('an MCP wait', () => {
	test('ends when its client disconnects', async () => {
		const {tinbox, key} = await openWorld();
		const agent = await connect(address(tinbox), {'X-API-Key': key});
		const inbox = await agent.createInbox();
		const wait = agent.call('wait_for_message', {inbox, timeout: 50}).catch(() => 'left');
		await vi.waitFor(() => expect(tinbox.services.quotas.polls.held).toBe(1));
		await agent.client.close();
		expect(await wait).toBe('left');
		await vi.waitFor(() => expect(tinbox.services.quotas.polls.held).toBe(0));
	});

	test('starts its response before there is a result', async () => {
		const {tinbox, key} = await openWorld();
		const url = address(tinbox);
		const {headers, call} = await begin(url, key);
		await (await post(url, call(2, 'create_inbox', {address: 'ann@localhost'}), headers)).text();
		const wait = await post(url, call(3, 'wait_for_message', {inbox: 'ann@localhost', timeout: 50}), headers);
		await tinbox.deliver('ann@localhost', mail('Hello'));
		expect((await wait.text()).trim()).toMatch(/^event: message\ndata: .*Hello/);
	});

	test('leaves nothing open after it was cancelled', async () => {
		const {tinbox, key} = await openWorld();
		const agent = await connect(address(tinbox), {'X-API-Key': key});
		const inbox = await agent.createInbox();
		const giveUp = new AbortController();
		const wait = agent.call('wait_for_message', {inbox, timeout: 50}, {signal: giveUp.signal}).catch(() => 'given up');
		await vi.waitFor(() => expect(tinbox.services.quotas.polls.held).toBe(1));
		giveUp.abort();
		expect(await wait).toBe('given up');
		const {polls, streams} = tinbox.services.quotas;
		await vi.waitFor(() => expect([polls.held, streams.held]).toEqual([0, 0]));
	});

	test('ends with an error result when the daemon stops', async () => {
		const {tinbox, key} = await openWorld();
		const agent = await connect(address(tinbox), {'X-API-Key': key});
		const inbox = await agent.createInbox();
		const wait = agent.call('wait_for_message', {inbox, timeout: 50});
		await vi.waitFor(() => expect(tinbox.services.quotas.polls.held).toBe(1));
		await Promise.all([
			tinbox.stopServer(),
			expect(wait).resolves.toMatchObject({isError: true, text: expect.stringContaining('is stopping')}),
		]);
	});
});

test('a message that is too long for the daemon is reported as too large', async () => {
	const {tinbox, key} = await openWorld();
	const agent = await connect(address(tinbox), {'X-API-Key': key});
	const inbox = await agent.createInbox();
	await tinbox.deliver(inbox, mail('Long', 'word '.repeat(1_800_000)));
	expect(await agent.call('get_message', {inbox})).toMatchObject({
		isError: true,
		text: 'The response is too large to read here. The user can save the message: tinbox messages save',
	});
});

describe('an MCP request', () => {
	test('without a valid key is rejected with the reason', async () => {
		const {tinbox} = await openWorld();
		for (const headers of [{}, {'X-API-Key': 'tbx_live_wrong'}, {Authorization: 'Bearer wrong'}]) {
			const response = await post(address(tinbox), initialize, headers);
			expect(response.status).toBe(401);
			expect(response.headers.get('WWW-Authenticate')).toContain('X-API-Key');
			expect(await response.json()).toMatchObject({code: 'unauthorized', detail: expect.stringMatching(/key/)});
		}
	});

	test('from a foreign page is rejected', async () => {
		const {tinbox, key} = await openWorld();
		const foreign = await post(address(tinbox), initialize, {'X-API-Key': key, Origin: 'https://evil.test'});
		expect(foreign.status).toBe(403);
	});
});

describe('the MCP endpoint', () => {
	test('has one session per client, which belongs to its key and ends with DELETE', async () => {
		const {tinbox, key} = await openWorld();
		const url = address(tinbox);
		const headers = {'X-API-Key': key};
		const begun = await post(url, initialize, headers);
		expect([begun.status, begun.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
		const session = {'Mcp-Session-Id': begun.headers.get('Mcp-Session-Id') ?? ''};
		await begun.text();
		expect((await post(url, list, {...headers, ...session})).status).toBe(200);
		expect(
			(await post(url, {jsonrpc: '2.0', method: 'notifications/initialized'}, {...headers, ...session})).status,
		).toBe(202);
		const {key: other} = await tinbox.user('bob');
		expect((await post(url, list, {'X-API-Key': other, ...session})).status).toBe(404);
		const end = async () => (await fetch(url, {method: 'DELETE', headers: {...headers, ...session}})).status;
		expect([await end(), await end()]).toEqual([204, 404]);
		expect((await post(url, list, {...headers, ...session})).status).toBe(404);
	});

	test('rejects requests without a session, malformed messages and unsupported methods', async () => {
		const {tinbox, key} = await openWorld();
		const url = address(tinbox);
		const headers = {'X-API-Key': key};
		const none = await post(url, list, headers);
		expect(none.status).toBe(400);
		expect(JSON.parse(await none.text()).detail).toContain('Send "initialize" first');
		expect((await post(url, '{', headers)).status).toBe(400);
		expect((await post(url, {...initialize, __proto__: null, constructor: 1}, headers)).status).toBe(400);
		expect((await post(url, initialize, {...headers, 'Content-Type': 'text/plain'})).status).toBe(415);
		expect((await post(url, initialize, {...headers, Accept: 'application/json'})).status).toBe(406);
		expect((await post(url, 'x'.repeat(2 ** 20 + 1), headers)).status).toBe(413);
		const stream = await fetch(url, {headers: {...headers, Accept: 'text/event-stream'}});
		expect([stream.status, stream.headers.get('Allow')]).toEqual([405, 'POST, DELETE']);
	});

	test('rejects a request with the id of an active request', async () => {
		const {tinbox, key} = await openWorld();
		const url = address(tinbox);
		const {headers, call} = await begin(url, key);
		const made = await post(url, call(2, 'create_inbox', {address: 'ann@localhost'}), headers);
		await made.text();
		const wait = await post(url, call(3, 'wait_for_message', {inbox: 'ann@localhost', timeout: 50}), headers);
		await vi.waitFor(() => expect(tinbox.services.quotas.polls.held).toBe(1));
		const repeated = await post(url, {...list, id: 3}, headers);
		expect([repeated.status, await repeated.text()]).toEqual([400, expect.stringContaining('the same \\"id\\"')]);
		expect((await post(url, [list, list], headers)).status).toBe(400);
		await tinbox.deliver('ann@localhost', mail('Hello'));
		expect(await wait.text()).toContain('Hello');
		expect((await post(url, {...list, id: 3}, headers)).status).toBe(200);
	});

	test('answers the other requests of a batch when one is cancelled', async () => {
		const {tinbox, key} = await openWorld();
		const url = address(tinbox);
		const {headers, call} = await begin(url, key);
		await (await post(url, call(2, 'create_inbox', {address: 'ann@localhost'}), headers)).text();
		const wait = (id: number, subject: string) =>
			call(id, 'wait_for_message', {inbox: 'ann@localhost', subject, timeout: 50});
		const both = await post(url, [wait(3, 'one'), wait(4, 'two'), wait(5, 'three')], headers);
		await vi.waitFor(() => expect(tinbox.services.quotas.polls.held).toBe(3));
		const giveUp = {jsonrpc: '2.0', method: 'notifications/cancelled', params: {requestId: 4}};
		expect((await post(url, giveUp, headers)).status).toBe(202);
		await vi.waitFor(() => expect(tinbox.services.quotas.polls.held).toBe(2));
		await tinbox.deliver('ann@localhost', mail('One'));
		await tinbox.deliver('ann@localhost', mail('Three'));
		const ids = [...(await both.text()).matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
		expect(ids.sort()).toEqual([3, 5]);
		await vi.waitFor(() => expect(tinbox.services.quotas.streams.held).toBe(0));
	});

	test('rejects a batch of more than 10 messages with a JSON-RPC error', async () => {
		const {tinbox, key} = await openWorld();
		const url = address(tinbox);
		const {headers, call} = await begin(url, key);
		const batch = (count: number) =>
			Array.from({length: count}, (_, index) => call(index, 'list_messages', {inbox: 'x'}));
		const tooLarge = await post(url, batch(11), headers);
		expect([tooLarge.status, await tooLarge.json()]).toEqual([
			400,
			{
				jsonrpc: '2.0',
				error: {code: -32_600, message: 'A batch can have at most 10 messages. Send several batches.'},
				id: null,
			},
		]);
		const largest = await post(url, batch(10), headers);
		expect([largest.status, (await largest.text()).match(/"id":\d/g)?.length]).toEqual([200, 10]);
	});

	test('ends the least recently used session above the maximum', async () => {
		const {tinbox, key} = await openWorld();
		const url = address(tinbox);
		const [first, second] = [await begin(url, key), await begin(url, key)];
		const status = async ({headers}: typeof first) => {
			const response = await post(url, list, headers);
			await response.text();
			return response.status;
		};
		for (let count = 2; count < 100; count++) {
			await begin(url, key);
		}

		expect(await status(first)).toBe(200);
		await begin(url, key);
		expect([await status(first), await status(second)]).toEqual([200, 404]);
	});
});
