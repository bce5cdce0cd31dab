import {expect, test} from 'vitest';
import {createClient} from '../../../src/client/suite.js';
import {faultHitBody, messageBody, refusalBody} from '../../helpers/bodies.js';
import {httpStub} from '../../helpers/http-stub.js';

test('a wait for a code sends a single request', async () => {
	const row = messageBody({codes: ['493028']});
	const stub = await httpStub(() => ({body: [row]}));
	const client = createClient({url: stub.url, apiKey: 'key'});
	expect((await client.messages.wait('in1', {from: 'Shop'})).codes).toEqual(['493028']);
	const [, seconds = ''] = /wait=(\d+)/.exec(stub.requests[0]?.url ?? '') ?? [];
	expect(Number(seconds), 'below the default timeout of test runners').toBeLessThan(5);
	expect(stub.requests.map(({url}) => url.replace(/wait=\d+/, 'wait=n'))).toEqual([
		'/v1/inboxes/in1/messages?from=Shop&limit=1&wait=n',
	]);
});

test('a wait timeout reports near misses, fault hits and refusals', async () => {
	const misses = [
		{
			message: messageBody({subject: 'Other\x1b[31m', received_at: new Date().toISOString()}),
			reasons: ['It has no code.'],
		},
	];
	const clock = new Date(faultHitBody().time).toTimeString().slice(0, 8);
	const problems = {misses, refusals: [refusalBody()], hits: [faultHitBody()]};
	const bodies: Readonly<Record<string, object>> = {
		'/v1/inboxes/in1': {email_address: 'signup@tinbox.test'},
		'/v1/inboxes/in1/misses': problems,
	};
	const stub = await httpStub(({url}) => ({body: bodies[url.split('?', 1).join()] ?? []}));
	const client = createClient({url: stub.url, apiKey: 'key'});
	await expect(client.messages.wait('in1', {has: ['code']}, {timeoutMs: 0})).rejects.toMatchObject({
		name: 'TimeoutError',
		message: [
			'No message that has a code arrived at signup@tinbox.test within 0ms.',
			'Arrived, but did not match (closest first):',
			'  "Other" from shop@example.com, just now',
			'    It has no code.',
			`1 mail was answered 451 4.7.1 Greylisted, try again later by fault "greylist" at ${clock}.`,
			'1 mail was rejected recently: RCPT <nobody@tinbox.test>: no such inbox',
		].join('\n'),
	});
	expect(stub.requests.map(({url}) => url)).toContainEqual(
		expect.stringMatching(/^\/v1\/inboxes\/in1\/misses\?has=code&limit=5&since=\d{4}-/),
	);
});

test('a timeout of a wait for fault hits lists the hits so far', async () => {
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
			'Only 1 of 3 fault hits occurred within 0ms.',
			'Newest first:',
			'  2026-01-01T12:00:00.000Z RCPT <b@x.test> from 127.0.0.1: answered 451 4.7.1 Later after 2 s',
		].join('\n'),
	});
	expect(stub.requests.at(-1)?.url).toBe('/v1/inboxes/in1/faults/f1/hits?limit=3');
});
