import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {takeViolations} from '../../../compat/api/response-check.js';
import {openTinbox} from '../../../helpers/tinbox.js';

/** Answers as a tinbox does, with a field that is not described. */
async function askWrongVariant(): Promise<void> {
	const server = createServer((_, response) => {
		response.setHeader('X-Content-Type-Options', 'nosniff');
		response.setHeader('Content-Type', 'application/json');
		response.end(JSON.stringify({plans: [], surprise: 1}));
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	const {port} = server.address() as AddressInfo;
	await (await fetch(`http://127.0.0.1:${port}/v1/plans`, {headers: {Connection: 'close'}})).text();
}

test.fails('an answer with a field that is not described fails the test that asked for it', askWrongVariant);

test('what is wrong is told with its request, once', async () => {
	await (await openTinbox()).request('GET', '/plans');
	await askWrongVariant();
	expect(await takeViolations()).toEqual(['GET /plans 200: data must NOT have additional properties']);
	expect(await takeViolations()).toEqual([]);
});
