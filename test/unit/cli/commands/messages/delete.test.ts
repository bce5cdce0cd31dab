import {expect, test} from 'vitest';
import {inboxBody} from '../../../../helpers/bodies.js';
import {runFake} from '../../../../helpers/context.js';

/** Runs `messages delete`; `requests` are the deletions that it requested. */
async function run(...args: readonly string[]) {
	const requests: string[] = [];
	const result = await runFake(['messages', 'delete', ...args], {
		inboxes: {get: async () => inboxBody({id: 'in1', email_address: 'signup@tinbox.test', message_count: 2})},
		messages: {
			delete: async (inboxId, id) => void requests.push(`${inboxId} ${id}`),
			deleteAll: async inboxId => void requests.push(`${inboxId} all`),
		},
	});
	return {...result, requests};
}

test('messages delete --all deletes all messages and prints their number', async () => {
	expect(await run('signup', '--all')).toEqual({
		exitCode: 0,
		stdout: '',
		stderr: 'Deleted 2 messages of signup@tinbox.test.\n',
		requests: ['in1 all'],
	});
});

test.each([
	[['signup'], 'Specify a message to delete, or use --all.'],
	[['signup', 'm1', '--all'], 'Specify a message or use --all, not both.'],
])('messages delete %j is rejected and deletes nothing', async (args, message) => {
	expect(await run(...args)).toMatchObject({
		exitCode: 2,
		stdout: '',
		requests: [],
		stderr: expect.stringContaining(message),
	});
});
