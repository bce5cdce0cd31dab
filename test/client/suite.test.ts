import {expect, test} from 'vitest';
import {createClient} from '../../src/client/suite.js';
import {faultHitBody, messageBody, refusalBody} from '../helpers/bodies.js';
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

test('a wait in vain says what did arrive, what faults did, and what was refused', async () => {
	const misses = [{message: messageBody({subject: 'Other\x1b[31m'}), reasons: ['It has no code.']}];
	const clock = new Date(faultHitBody().time).toTimeString().slice(0, 8);
	const answer = {misses, refusals: [refusalBody()], hits: [faultHitBody()]};
	const stub = await httpStub(({url}) => ({body: url.includes('/misses') ? answer : []}));
	const client = createClient({url: stub.url, apiKey: 'key'});
	await expect(client.messages.wait('in1', {has: ['code']}, {timeoutMs: 0})).rejects.toMatchObject({
		name: 'TimeoutError',
		message: [
			'No message with {"has":["code"]} came within 0 s.',
			'What did arrive:',
			'  "Other" from shop@example.com: It has no code.',
			`1 mail was answered 451 4.7.1 Greylisted, try again later by greylist, at ${clock}.`,
			'1 mail was refused meanwhile: RCPT <nobody@tinbox.test>: no inbox takes it',
		].join('\n'),
	});
	expect(stub.requests.at(-1)?.url).toMatch(/^\/v1\/inboxes\/in1\/misses\?has=code&limit=5&since=\d{4}-/);
});

test('a wait for hits in vain says which there were', async () => {
	const hit = {
		time: '2026-01-01T12:00:00.000Z',
		stage: 'rcpt',
		client: {host: '127.0.0.1', helo: 'app'},
		envelope: {from: 'a@x.test', to: ['b@x.test']},
		reply: '451 4.7.1 Later\x1b[31m',
		drop: null,
		delay_ms: 2000,
	};
	const stub = await httpStub(() => ({body: {hits: [hit], total: 1, page: 1, limit: 3}}));
	const client = createClient({url: stub.url, apiKey: 'key'});
	expect(await client.faults.wait('in1', {timeoutMs: 0})).toHaveLength(1);
	await expect(client.faults.wait('in1', {fault: 'f1', count: 3, timeoutMs: 0})).rejects.toMatchObject({
		name: 'TimeoutError',
		message: [
			'Only 1 of 3 hits came within 0 s.',
			'The newest:',
			'  2026-01-01T12:00:00.000Z RCPT <b@x.test> from 127.0.0.1: answered 451 4.7.1 Later after 2 s',
		].join('\n'),
	});
	expect(stub.requests.at(-1)?.url).toBe('/v1/inboxes/in1/faults/f1/hits?limit=3');
});
