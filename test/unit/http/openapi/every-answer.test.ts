import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {takeViolations} from '../../../compat/api/response-check.js';
import {openTinbox} from '../../../helpers/tinbox.js';

/** Requests a response with an undocumented field. */
async function requestUndocumentedField(): Promise<void> {
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

test.fails('a response with an undocumented field fails the test that requested it', requestUndocumentedField);

test('a violation is reported once, with its request', async () => {
	await (await openTinbox()).request('GET', '/plans');
	await requestUndocumentedField();
	expect(await takeViolations()).toEqual(['GET /plans 200: data must NOT have additional properties']);
	expect(await takeViolations()).toEqual([]);
});
