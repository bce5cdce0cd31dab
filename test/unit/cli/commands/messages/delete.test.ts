import {expect, test} from 'vitest';
import {inboxBody} from '../../../../helpers/bodies.js';
import {runFake} from '../../../../helpers/context.js';

/** Runs `messages delete`, and notes what is asked of the API. */
async function run(...args: readonly string[]) {
	const asked: string[] = [];
	const result = await runFake(['messages', 'delete', ...args], {
		inboxes: {get: async () => inboxBody({id: 'in1', email_address: 'signup@tinbox.test', message_count: 2})},
		messages: {
			delete: async (inboxId, id) => void asked.push(`${inboxId} ${id}`),
			deleteAll: async inboxId => void asked.push(`${inboxId} all`),
		},
	});
	return {...result, asked};
}

test('messages delete --all deletes all, and says how many', async () => {
	expect(await run('signup', '--all')).toEqual({
		exitCode: 0,
		stdout: '',
		stderr: 'Deleted 2 messages of signup@tinbox.test.\n',
		asked: ['in1 all'],
	});
});

test.each([
	[['signup'], 'Specify a message to delete, or use --all.'],
	[['signup', 'm1', '--all'], 'Specify a message or use --all, not both.'],
])('messages delete %j is wrong usage, and deletes nothing', async (args, sentence) => {
	expect(await run(...args)).toMatchObject({
		exitCode: 2,
		stdout: '',
		asked: [],
		stderr: expect.stringContaining(sentence),
	});
});
