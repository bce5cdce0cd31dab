import {expect, test} from 'vitest';
import {HostResolver} from '../../../src/lib/io/resolver.js';
import {createFindHost} from '../../../src/outbound/webhook-sender.js';

const findHost = createFindHost(new HostResolver());

test('a host of this machine has its addresses', async () => {
	expect([['127.0.0.1'], ['::1'], ['127.0.0.1', '::1'], ['::1', '127.0.0.1']]).toContainEqual(
		await findHost('localhost', 'ann'),
	);
});

test('a host that does not exist has none, or is unknown where no names are known at all', async () => {
	expect([[], 'unknown']).toContainEqual(await findHost('nowhere.invalid', 'ann'));
});
