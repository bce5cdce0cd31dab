import {expect, test} from 'vitest';
import {createClient} from '../../src/client/suite.js';
import {messageBody} from '../helpers/bodies.js';
import {httpStub} from '../helpers/http-stub.js';

test('a wait for a code is one request', async () => {
	const row = messageBody({codes: ['493028']});
	const stub = await httpStub(() => ({body: [row]}));
	const client = createClient({url: stub.url, apiKey: 'key'});
	expect((await client.messages.wait('in1', {from: 'Shop'})).codes).toEqual(['493028']);
	const [, seconds = ''] = /wait=(\d+)/.exec(stub.requests[0]?.url ?? '') ?? [];
	expect(Number(seconds), 'within what test runners give a test').toBeLessThan(5);
	expect(stub.requests.map(({url}) => url.replace(/wait=\d+/, 'wait=n'))).toEqual([
		'/v1/inboxes/in1/messages?from=Shop&limit=1&wait=n',
	]);
});
