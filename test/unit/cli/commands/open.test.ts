import {expect, test} from 'vitest';
import type {CreateWebSessionLink} from '../../../../src/contract/keys.js';
import {inboxBody, messageBody} from '../../../helpers/bodies.js';
import {runFake} from '../../../helpers/context.js';

/** Runs `tinbox open`; `requests` are the links that it requested. */
async function open(args: readonly string[], url = 'http://127.0.0.1:8025/app/#enter=abc') {
	const requests: CreateWebSessionLink[] = [];
	const result = await runFake(['open', ...args], {
		inboxes: {get: async () => inboxBody({id: 'in1'})},
		messages: {get: async () => messageBody({id: 'm1'})},
		webSessions: {
			createLink: async (body = {}) => {
				requests.push(body);
				return {url, expires_at: '2026-01-01T12:01:00.000Z'};
			},
		},
	});
	return {...result, requests};
}

test.each([
	[[], {}],
	[['signup'], {inbox_id: 'in1'}],
	[['signup', 'latest'], {inbox_id: 'in1', message_id: 'm1'}],
] as const)('open %j --no-browser prints the URL of a login link', async (args, request) => {
	expect(await open([...args, '--no-browser'])).toEqual({
		exitCode: 0,
		stdout: 'http://127.0.0.1:8025/app/#enter=abc\n',
		stderr: '',
		requests: [request],
	});
});

test('open does not open a URL outside the daemon', async () => {
	expect(await open([], 'file:///etc/\x1b[2Jpasswd')).toMatchObject({
		exitCode: 1,
		stdout: 'file:///etc/passwd\n',
		stderr: 'The page was not opened because its address does not belong to the daemon in use.\n',
	});
});
