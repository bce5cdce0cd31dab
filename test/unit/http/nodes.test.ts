import {once} from 'node:events';
import net from 'node:net';
import {expect, onTestFinished, test, vi} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {operatorToken} from '../../helpers/resources.js';
import {openTinbox} from '../../helpers/tinbox.js';

test('the operator and the local user can list the nodes with their open waits and sessions', async () => {
	const tinbox = await openTinbox();
	const [local, ann] = [await tinbox.user('ada', 'localhost'), await tinbox.user('ann')];
	const {url} = tinbox;
	const operator = apiClient({url, token: operatorToken}).nodes;
	const {nodes} = await operator.list();
	const address = `127.0.0.1:${tinbox.port}`;
	expect(nodes).toEqual([
		{
			...{id: 'node', name: 'host', version: '0.0.0', address, waits: 0, sessions: 0, state: 'up'},
			since: nodes[0]?.since,
			heartbeat_at: expect.any(String),
		},
	]);
	expect(await apiClient({url, apiKey: local.key}).nodes.list()).toMatchObject({nodes: [{id: 'node'}]});
	await expect(apiClient({url, apiKey: ann.key}).nodes.list()).rejects.toMatchObject({status: 403});
	expect((await fetch(`${url}/nodes`)).status).toBe(401);

	const {id} = await apiClient({url, apiKey: ann.key}).inboxes.create({});
	const controller = new AbortController();
	const socket = net.connect(tinbox.smtp);
	onTestFinished(() => void socket.destroy());
	await once(socket, 'data');
	const headers = {'X-API-Key': ann.key};
	const polls = fetch(`${url}/inboxes/${id}/messages?wait=30`, {headers, signal: controller.signal}).catch(() => {});
	await vi.waitFor(async () => expect(await operator.list()).toMatchObject({nodes: [{waits: 1, sessions: 1}]}), 10_000);
	controller.abort();
	await polls;
});

test('a node continues its heartbeat while its listeners stop', async () => {
	const tinbox = await openTinbox();
	await tinbox.stopServer();
	const [before] = await tinbox.store.nodes.list();
	await vi.waitFor(async () => {
		const [after] = await tinbox.store.nodes.list();
		expect(after?.heartbeatAt).not.toBe(before?.heartbeatAt);
		expect(after?.address).toBe(before?.address);
	}, 20_000);
});
