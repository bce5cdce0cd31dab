import {expect, test} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {serveStopped} from '../../../src/daemon/start.js';
import {generateKey, hashSecret} from '../../../src/domain/accounts/secrets.js';
import {openJsonStore} from '../../../src/store/json/open.js';
import {silent} from '../../helpers/resources.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {startReceiver} from '../../helpers/webhook-receiver.js';
import {at, receive, someDelivery, someEndpoint, someInbox, someKey, someUser} from '../store/rows.js';

test('what a daemon left is there as it was when it ended: nothing expires, and no webhook is sent', async () => {
	const dir = await tempDir();
	const open = async () => openJsonStore({dir, log: silent});
	const receiver = await startReceiver(200);
	const left = await open();
	const user = someUser();
	await left.users.create(user);
	const key = generateKey();
	await left.keys.create(someKey(user.id, {hash: hashSecret(key)}), 1);
	const inbox = someInbox({ownerId: user.id, expiresAt: at(60)});
	await left.inboxes.create(inbox);
	await receive(left, inbox.id);
	const endpoint = someEndpoint({userId: user.id, url: receiver.url});
	await left.endpoints.create(endpoint);
	const delivery = someDelivery(endpoint.id);
	await left.deliveries.put([delivery]);
	await left.close();

	for (const _ of ['once', 'once more']) {
		const {url, stop} = await serveStopped(dir, new Date(at(30)), silent);
		const {messages} = apiClient({url, apiKey: key});
		expect(await messages.list(inbox.address)).toMatchObject([{subject: 'Hello', text: 'hello\n'}]);
		const ask = async (path: string) => fetch(url + path, {headers: {'X-API-Key': key}});
		expect(await (await ask('/health')).json(), 'no mail is taken').toEqual({
			status: 'ok',
			version: expect.any(String),
		});
		expect((await ask('/daemon')).status).toBe(503);
		await stop();
	}

	const after = await open();
	expect(await after.deliveries.get(delivery.id)).toEqual(delivery);
	await after.close();
	expect(receiver.requests).toEqual([]);
});
