import {expect, test} from 'vitest';
import {inboxBody, messageBody} from '../../../../helpers/bodies.js';
import {runFake} from '../../../../helpers/context.js';

test('messages open --no-browser prints the URL of the preview page', async () => {
	const url = 'http://127.0.0.1:8025/v1/previews/abc';
	const previewed: string[][] = [];
	const result = await runFake(['messages', 'open', 'signup', 'm1', '--no-browser'], {
		inboxes: {
			get: async () => inboxBody({id: 'in1'}),
		},
		messages: {
			get: async () => messageBody({id: 'm1'}),
			preview: async (...ids) => {
				previewed.push(ids);
				return {url, expires_at: '2026-01-01T12:10:00.000Z'};
			},
		},
	});
	expect(result).toEqual({exitCode: 0, stdout: `${url}\n`, stderr: ''});
	expect(previewed).toEqual([['in1', 'm1']]);
});

test('messages open does not open a URL outside the daemon', async () => {
	const result = await runFake(['messages', 'open', 'signup', 'm1'], {
		inboxes: {get: async () => inboxBody({id: 'in1'})},
		messages: {
			get: async () => messageBody({id: 'm1'}),
			preview: async () => ({url: 'file:///etc/\x1b[2Jpasswd', expires_at: '2026-01-01T12:10:00.000Z'}),
		},
	});
	expect(result).toEqual({
		exitCode: 1,
		stdout: 'file:///etc/passwd\n',
		stderr: 'The page was not opened because its address does not belong to the daemon in use.\n',
	});
});
