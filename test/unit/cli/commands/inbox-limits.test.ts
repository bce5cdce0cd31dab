import {expect, test} from 'vitest';
import {inboxBody} from '../../../helpers/bodies.js';
import {runFake} from '../../../helpers/context.js';

async function run(...args: readonly string[]) {
	const requests: object[] = [];
	const saveInbox = async (body: object = {}) => {
		requests.push(body);
		return {...inboxBody(), smtp: null};
	};
	const inboxes = {
		create: saveInbox,
		get: async () => inboxBody(),
		update: async (_id: string, body: object) => saveInbox(body),
	};
	const {exitCode, stderr} = await runFake(['inbox', ...args], {inboxes});
	return {exitCode, stderr, requests: requests.map(body => JSON.parse(JSON.stringify(body)))};
}

test.each([
	[['--keep', '100', '--keep-for', '7d'], {keep: 100, keep_for: 604_800}],
	[['--keep', 'all', '--keep-for', 'forever'], {keep: 0, keep_for: 0}],
	[['--keep', 'default', '--keep-for', 'default'], {keep: null, keep_for: null}],
	[['--keep-for', '1500ms'], {keep_for: 2}],
])('inbox create and update set message limits by %j', async (flags, body) => {
	expect((await run('update', 'signup', ...flags)).requests).toEqual([body]);
	expect((await run('create', ...flags)).requests).toEqual([body]);
});

test.each([
	['--keep', '0', 'a whole number of at least 1, or "all", or "default" for the setting of the daemon'],
	['--keep', 'none', 'a whole number of at least 1, or "all", or "default" for the setting of the daemon'],
	[
		'--keep-for',
		'0',
		'a duration of at most 3650d, such as 12h or 7d, or "forever", or "default" for the setting of the daemon',
	],
	[
		'--keep-for',
		'3651d',
		'a duration of at most 3650d, such as 12h or 7d, or "forever", or "default" for the setting of the daemon',
	],
])('inbox create %s %s is rejected', async (flag, value, expected) => {
	const {exitCode, stderr, requests} = await run('create', flag, value);
	expect({exitCode, requests}).toEqual({exitCode: 2, requests: []});
	expect(stderr).toContain(`It must be ${expected}.`);
});

test.each(['5', 'all'])('"tinbox run --keep %s" is rejected because --keep names a folder there', async text => {
	const {exitCode, stderr} = await runFake(['run', '--keep', text, '--', 'true'], {});
	expect(exitCode).toBe(2);
	expect(stderr).toContain(`Here, --keep names a folder. To use the folder "${text}", write ./${text}.`);
	expect(stderr).toContain(`TINBOX_KEEP=${text} tinbox run`);
});
