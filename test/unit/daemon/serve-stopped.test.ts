import {expect, test} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {serveStopped} from '../../../src/daemon/start.js';
import {generateKey, hashSecret} from '../../../src/domain/accounts/secrets.js';
import {openJsonStore} from '../../../src/store/json/open.js';
import {silent} from '../../helpers/resources.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {startReceiver} from '../../helpers/webhook-receiver.js';
import {at, receive, someDelivery, someEndpoint, someInbox, someKey, someUser} from '../store/rows.js';

test('serving a stopped data folder expires no message and sends no webhook', async () => {
	const dir = await tempDir();
	const open = async () => openJsonStore({dir, log: silent});
	const receiver = await startReceiver(200);
	const before = await open();
	const user = someUser();
	await before.users.create(user);
	const key = generateKey();
	await before.keys.create(someKey(user.id, {hash: hashSecret(key)}), 1);
	const inbox = someInbox({ownerId: user.id, expiresAt: at(60)});
	await before.inboxes.create(inbox);
	await receive(before, inbox.id);
	const endpoint = someEndpoint({userId: user.id, url: receiver.url});
	await before.endpoints.create(endpoint);
	const delivery = someDelivery(endpoint.id);
	await before.deliveries.put([delivery]);
	await before.close();

	for (const _ of ['once', 'once more']) {
		const {url, stop} = await serveStopped(dir, new Date(at(30)), silent);
		const {messages} = apiClient({url, apiKey: key});
		expect(await messages.list(inbox.address)).toMatchObject([{subject: 'Hello', text: 'hello\n'}]);
		const request = async (path: string) => fetch(url + path, {headers: {'X-API-Key': key}});
		expect(await (await request('/health')).json(), 'no mail is taken').toEqual({
			status: 'ok',
			version: expect.any(String),
		});
		expect((await request('/daemon')).status).toBe(503);
		await stop();
	}

	const after = await open();
	expect(await after.deliveries.get(delivery.id)).toEqual(delivery);
	await after.close();
	expect(receiver.requests).toEqual([]);
});
