import {expect, test} from 'vitest';
import type {RefusalBody} from '../../../src/contract/daemon.js';
import {describeRefusal} from '../../../src/contract/descriptions.js';

const refusal: RefusalBody = {
	time: '2026-01-01T00:00:00.000Z',
	client: {host: '127.0.0.1', helo: null},
	stage: 'connect',
	address: null,
	reply: null,
	reason: 'too many',
};

test.each<[Partial<RefusalBody>, string]>([
	[{}, 'CONNECT from 127.0.0.1: too many'],
	[{stage: 'rcpt', address: 'a@b.test'}, 'RCPT <a@b.test>: too many'],
	[{stage: 'tls'}, 'TLS from 127.0.0.1: too many (see: tinbox help tls)'],
])('the line for refusal %j is "%s"', (own, line) => {
	expect(describeRefusal({...refusal, ...own})).toBe(line);
});
