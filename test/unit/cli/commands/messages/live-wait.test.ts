import {describe, expect, test, vi} from 'vitest';
import {apiClient, type Client} from '../../../../../src/client/index.js';
import {runFake} from '../../../../helpers/context.js';
import {mail, openTinbox} from '../../../../helpers/tinbox.js';

/** A daemon with one inbox, and the command line on top of it. */
async function openInbox() {
	const tinbox = await openTinbox();
	const {user, key} = await tinbox.user('ann');
	const options = {name: null, teamId: null, claim: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(user, options);
	const client = apiClient({url: tinbox.url, apiKey: key});
	return {
		receive: async (subject: string, text?: string) => tinbox.deliver(inbox.address, mail(subject, text)),
		waiting: async () => vi.waitFor(() => expect(tinbox.services.feed.waiting(inbox.id)).toBe(1), 10_000),
		/** Waits with these flags; `between` stands between the command and the daemon. */
		wait: async (flags: readonly string[], between: (client: Client) => Client = same => same) =>
			runFake(['messages', 'wait', inbox.id, '--json=subject', ...flags], {}, {api: async () => between(client)}),
		/** The same, for these fields. */
		print: async (fields: readonly string[], ...flags: readonly string[]) => {
			const asked = fields.flatMap(field => ['--field', field]);
			return runFake(['messages', 'wait', inbox.id, ...asked, ...flags], {}, {api: async () => client});
		},
	};
}

const subjects = (stdout: string) =>
	stdout
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line).subject);

describe('--new', () => {
	test.each([['to an empty inbox'], ['after old mail', 'Old']])(
		'misses nothing that comes between its beginning and its first poll: %s',
		async (_, ...old) => {
			const {receive, wait} = await openInbox();
			for (const subject of old) {
				await receive(subject);
			}

			const {stdout} = await wait(['--new'], client => ({
				...client,
				messages: {
					...client.messages,
					list: async (...args) => {
						const rows = await client.messages.list(...args);
						await receive('Between');
						return rows;
					},
				},
			}));
			expect(subjects(stdout)).toEqual(['Between']);
		},
	);

	test('passes over what was there, and waits', async () => {
		const {receive, waiting, wait} = await openInbox();
		await receive('Old');
		const waited = wait(['--new']);
		await waiting();
		await receive('New');
		expect(subjects((await waited).stdout)).toEqual(['New']);
	});

	test('says of a match that was there that it came too early', async () => {
		const {receive, wait} = await openInbox();
		await receive('Code');
		const {exitCode, stderr} = await wait(['--new', '--subject', 'code', '--timeout', '0']);
		expect(exitCode).toBe(124);
		expect(JSON.parse(stderr).error.arrived).toMatchObject([
			{subject: 'Code', reasons: ['It is not newer than the message given as "after".']},
		]);
	});
});

describe('--field', () => {
	const withCode = 'Your code is 482913. Confirm at https://shop.test/verify?t=1';
	const withReset = 'Choose a new password: https://shop.test/reset?t=2 or read https://shop.test/help';

	test.each<[fields: readonly string[], text: string, printed: string]>([
		[['code'], withCode, '482913\n'],
		[['link'], withCode, 'https://shop.test/verify?t=1\n'],
		[['link[/reset/]'], withReset, 'https://shop.test/reset?t=2\n'],
		[['subject', 'link[verify]', 'code'], withCode, 'It\nhttps://shop.test/verify?t=1\n482913\n'],
	])('%j waits for a mail that has it, whichever comes first', async (fields, text, printed) => {
		const {receive, waiting, print} = await openInbox();
		await receive('Welcome', 'Hello');
		const first = print(fields);
		await waiting();
		await receive('It', text);
		await receive('Bye', 'Bye');
		expect(await first).toMatchObject({exitCode: 0, stdout: printed});
		expect(await print(fields)).toMatchObject({exitCode: 0, stdout: printed});
	});

	test('ends with 124 when none has it, and says so of each', async () => {
		const {receive, print} = await openInbox();
		await receive('Welcome', 'Read https://shop.test/help');
		const {exitCode, stdout, stderr} = await print(['code', 'link[reset]'], '--timeout', '0');
		expect({exitCode, stdout}).toEqual({exitCode: 124, stdout: ''});
		expect(stderr).toMatch(/^No message that has a code and a link matching "reset" arrived at /);
		expect(stderr).toContain('    It has no code.\n    It has no link that matches "reset".\n');
	});

	test('ends with 6 when the message lacks another one', async () => {
		const {receive, print} = await openInbox();
		await receive('Code', withCode);
		expect(await print(['code', 'date'])).toMatchObject({exitCode: 6, stdout: ''});
	});
});

describe('--count', () => {
	test('gathers each message once while they come in a hurry', async () => {
		const {receive, wait} = await openInbox();
		const numbers = Array.from({length: 30}, (_, index) => String(index));
		await receive('Noise');
		const waited = wait(['--count', '30', '--subject', '/^\\d+$/']);
		for (const number of numbers) {
			await receive(number);
			await receive('Noise');
		}

		expect(subjects((await waited).stdout)).toEqual(numbers);
	});

	test('counts what is there already', async () => {
		const {receive, wait} = await openInbox();
		await receive('1');
		const waited = wait(['--count', '2']);
		await receive('2');
		expect(subjects((await waited).stdout)).toEqual(['1', '2']);
	});
});

describe('--absent', () => {
	test('succeeds when other mail came, and ends with 6 as soon as the one comes', async () => {
		const {receive, waiting, wait} = await openInbox();
		await receive('Other');
		expect(await wait(['--absent', '--contains', 'secret', '--timeout', '0'])).toMatchObject({exitCode: 0, stdout: ''});
		const waited = wait(['--absent', '--contains', '/secret|hidden/']);
		await waiting();
		await receive('Leak', 'The hidden word');
		const {exitCode, stdout, stderr} = await waited;
		expect({exitCode, stdout}).toEqual({exitCode: 6, stdout: ''});
		expect(JSON.parse(stderr).error).toMatchObject({code: 'unwelcome_message', arrived: [{subject: 'Leak'}]});
	});
});
