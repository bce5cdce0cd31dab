import {describe, expect, test, vi} from 'vitest';
import {apiClient, type Client} from '../../../../../src/client/index.js';
import {runFake} from '../../../../helpers/context.js';
import {mail, openTinbox} from '../../../../helpers/tinbox.js';

/** A daemon in this process with one inbox, and the CLI connected to it. */
async function openInbox() {
	const tinbox = await openTinbox();
	const {user, key} = await tinbox.user('ann');
	const options = {name: null, teamId: null, address: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(user, options);
	const client = apiClient({url: tinbox.url, apiKey: key});
	return {
		receive: async (subject: string, text?: string) => tinbox.deliver(inbox.address, mail(subject, text)),
		waitStarted: async () => vi.waitFor(() => expect(tinbox.services.feed.waiting(inbox.id)).toBe(1), 10_000),
		/** Runs `messages wait` with these flags; `wrap` may replace calls of the client. */
		wait: async (flags: readonly string[], wrap: (client: Client) => Client = unchanged => unchanged) =>
			runFake(['messages', 'wait', inbox.id, '--json=subject', ...flags], {}, {api: async () => wrap(client)}),
		waitForFields: async (fields: readonly string[], ...flags: readonly string[]) => {
			const fieldFlags = fields.flatMap(field => ['--field', field]);
			return runFake(['messages', 'wait', inbox.id, ...fieldFlags, ...flags], {}, {api: async () => client});
		},
	};
}

const subjects = (stdout: string) =>
	stdout
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line).subject);

describe('messages wait --new', () => {
	test.each([['an empty inbox'], ['an inbox with an old message', 'Old']])(
		'finds a message that arrives in %s before the first poll',
		async (_, ...oldSubjects) => {
			const {receive, wait} = await openInbox();
			for (const subject of oldSubjects) {
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

	test('ignores existing messages and waits', async () => {
		const {receive, waitStarted, wait} = await openInbox();
		await receive('Old');
		const waiting = wait(['--new']);
		await waitStarted();
		await receive('New');
		expect(subjects((await waiting).stdout)).toEqual(['New']);
	});

	test('reports an existing match as too old', async () => {
		const {receive, wait} = await openInbox();
		await receive('Code');
		const {exitCode, stderr} = await wait(['--new', '--subject', 'code', '--timeout', '0']);
		expect(exitCode).toBe(124);
		expect(JSON.parse(stderr).error.arrived).toMatchObject([
			{subject: 'Code', reasons: ['It is not newer than the message given as "after".']},
		]);
	});
});

describe('messages wait --field', () => {
	const withCode = 'Your code is 482913. Confirm at https://shop.test/verify?t=1';
	const withReset = 'Choose a new password: https://shop.test/reset?t=2 or read https://shop.test/help';

	test.each<[fields: readonly string[], text: string, printed: string]>([
		[['code'], withCode, '482913\n'],
		[['link'], withCode, 'https://shop.test/verify?t=1\n'],
		[['link[/reset/]'], withReset, 'https://shop.test/reset?t=2\n'],
		[['subject', 'link[verify]', 'code'], withCode, 'It\nhttps://shop.test/verify?t=1\n482913\n'],
	])('%j waits for a message that has every field', async (fields, text, printed) => {
		const {receive, waitStarted, waitForFields} = await openInbox();
		await receive('Welcome', 'Hello');
		const waiting = waitForFields(fields);
		await waitStarted();
		await receive('It', text);
		await receive('Bye', 'Bye');
		expect(await waiting).toMatchObject({exitCode: 0, stdout: printed});
		expect(await waitForFields(fields)).toMatchObject({exitCode: 0, stdout: printed});
	});

	test('times out with exit code 124 and lists the missing fields of each message', async () => {
		const {receive, waitForFields} = await openInbox();
		await receive('Welcome', 'Read https://shop.test/help');
		const {exitCode, stdout, stderr} = await waitForFields(['code', 'link[reset]'], '--timeout', '0');
		expect({exitCode, stdout}).toEqual({exitCode: 124, stdout: ''});
		expect(stderr).toMatch(/^No message that has a code and a link matching "reset" arrived at /);
		expect(stderr).toContain('    It has no code.\n    It has no link that matches "reset".\n');
	});

	test('exits with 6 if the matching message lacks an optional field', async () => {
		const {receive, waitForFields} = await openInbox();
		await receive('Code', withCode);
		expect(await waitForFields(['code', 'date'])).toMatchObject({exitCode: 6, stdout: ''});
	});
});

describe('messages wait --count', () => {
	test('prints each message once during a burst of deliveries', async () => {
		const {receive, wait} = await openInbox();
		const numbers = Array.from({length: 30}, (_, index) => String(index));
		await receive('Noise');
		const waiting = wait(['--count', '30', '--subject', '/^\\d+$/']);
		for (const number of numbers) {
			await receive(number);
			await receive('Noise');
		}

		expect(subjects((await waiting).stdout)).toEqual(numbers);
	});

	test('counts existing messages', async () => {
		const {receive, wait} = await openInbox();
		await receive('1');
		const waiting = wait(['--count', '2']);
		await receive('2');
		expect(subjects((await waiting).stdout)).toEqual(['1', '2']);
	});
});

describe('messages wait --absent', () => {
	test('succeeds without a match and exits with 6 as soon as a match arrives', async () => {
		const {receive, waitStarted, wait} = await openInbox();
		await receive('Other');
		expect(await wait(['--absent', '--contains', 'secret', '--timeout', '0'])).toMatchObject({exitCode: 0, stdout: ''});
		const waiting = wait(['--absent', '--contains', '/secret|hidden/']);
		await waitStarted();
		await receive('Leak', 'The hidden word');
		const {exitCode, stdout, stderr} = await waiting;
		expect({exitCode, stdout}).toEqual({exitCode: 6, stdout: ''});
		expect(JSON.parse(stderr).error).toMatchObject({code: 'unwelcome_message', arrived: [{subject: 'Leak'}]});
	});
});
