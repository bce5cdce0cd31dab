import {expect, test} from 'vitest';
import {HostResolver} from '../../../src/lib/io/resolver.js';
import {createFindHost} from '../../../src/outbound/webhook-sender.js';

const findHost = createFindHost(new HostResolver());

test('a local host name resolves to its addresses', async () => {
	expect([['127.0.0.1'], ['::1'], ['127.0.0.1', '::1'], ['::1', '127.0.0.1']]).toContainEqual(
		await findHost('localhost', 'ann'),
	);
});

test('a nonexistent host has no addresses, or is unknown without a name server', async () => {
	expect([[], 'unknown']).toContainEqual(await findHost('nowhere.invalid', 'ann'));
});
