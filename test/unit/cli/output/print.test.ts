import {describe, expect, test} from 'vitest';
import {inboxBody, messageBody} from '../../../helpers/bodies.js';
import {type FakeCalls, runFake} from '../../../helpers/context.js';

const inbox = inboxBody();
const message = messageBody();

function withMessages(...rows: ReturnType<typeof messageBody>[]): FakeCalls {
	return {
		inboxes: {get: async () => inbox},
		messages: {list: async () => rows, get: async () => rows[0] ?? message, collect: async () => rows},
	};
}

const inboxList: FakeCalls = {inboxes: {list: async () => ({inboxes: [inbox], total: 1, page: 1, limit: 20})}};

describe('command output:', () => {
	test('inbox create prints only the address', async () => {
		const {exitCode, stdout, stderr} = await runFake(['inbox', 'create'], {
			inboxes: {create: async () => ({...inbox, smtp: null})},
		});
		expect({exitCode, stdout, stderr}).toEqual({exitCode: 0, stdout: 'signup@tinbox.test\n', stderr: ''});
	});

	test('piped lists are tab-separated without a header and have ISO times', async () => {
		const {stdout} = await runFake(['inbox', 'list'], inboxList);
		expect(stdout).toBe('signup@tinbox.test\tsignup\t2\t2026-01-01T11:55:00.000Z\tinbox-1\n');
	});

	test('lists on a terminal have uppercase headers and relative times', async () => {
		const {stdout} = await runFake(['inbox', 'list'], inboxList, {terminal: {isTTY: true, columns: 100}});
		expect(stdout).toBe(
			[
				'ADDRESS             NAME    MESSAGES  CREATED    ID',
				'signup@tinbox.test  signup  2         5 min ago  inbox-1',
				'',
			].join('\n'),
		);
	});

	test('inbox list on a terminal of 80 columns omits times in favour of full addresses and ids', async () => {
		const id = '019a9f3e-5b1c-7c3a-9d2e-4f5a6b7c8d9e';
		const row = inboxBody({id, email_address: 'abcdefghij@tinbox.test', name: 'sign-ups of the shop'});
		const calls = {inboxes: {list: async () => ({inboxes: [row], total: 1, page: 1, limit: 20})}};
		const {stdout} = await runFake(['inbox', 'list'], calls, {terminal: {isTTY: true, columns: 80}});
		expect(stdout).toBe(
			['ADDRESS                 NAME      MESSAGES  ID', `abcdefghij@tinbox.test  sign-up…  2         ${id}`, ''].join(
				'\n',
			),
		);
	});

	test('a narrow terminal truncates the widest columns by display width', async () => {
		const wide = messageBody({
			id: 'm1',
			subject: '日本語の件名はとても長いのです、本当に',
			from: 'somebody@a-long-domain.example.com',
		});
		const {stdout} = await runFake(['messages', 'list', 'x'], withMessages(wide), {
			terminal: {isTTY: true, columns: 60},
		});
		expect(stdout).toBe(
			[
				'ID  FROM                    SUBJECT                 RECEIVED',
				'm1  somebody@a-long-domai…  日本語の件名はとても…   just now',
				'',
			].join('\n'),
		);
	});

	test('--json prints the API response', async () => {
		const {stdout} = await runFake(['inbox', 'list', '--json'], inboxList);
		expect(JSON.parse(stdout)).toEqual({inboxes: [inbox], total: 1, page: 1, limit: 20});
		expect(stdout.trim().split('\n')).toHaveLength(1);
	});

	test('--json with fields prints only these fields of each row', async () => {
		const {stdout} = await runFake(['inbox', 'list', '--json=id,name'], inboxList);
		expect(JSON.parse(stdout)).toEqual([{id: 'inbox-1', name: 'signup'}]);
	});

	test('--json does not consume the next argument', async () => {
		const {stdout} = await runFake(['messages', 'wait', '--json', 'signup'], withMessages(message));
		expect(JSON.parse(stdout)).toEqual(message);
	});

	test('messages wait prints the same line as messages list', async () => {
		const line = 'message-1\tshop@example.com\tWelcome\t2026-01-01T11:59:56.000Z\n';
		expect((await runFake(['messages', 'wait', 'x'], withMessages(message))).stdout).toBe(line);
		expect((await runFake(['messages', 'list', 'x'], withMessages(message))).stdout).toBe(line);
	});

	test.each([
		['subject', 'Welcome\n'],
		['text', 'Hello.\n\n'],
		['id', 'message-1\n'],
		['size', '512\n'],
		['cc', 'a@example.com\nb@example.com\n'],
		['code', '4711\n'],
	])('--field %s prints only the value', async (field, stdout) => {
		const full = messageBody({cc: ['a@example.com', 'b@example.com'], codes: ['4711', '12']});
		expect((await runFake(['messages', 'wait', 'x', '--field', field], withMessages(full))).stdout).toBe(stdout);
	});

	test('messages show prints the header, an empty line and the text', async () => {
		const attachment = {
			id: '1',
			filename: 'a.pdf',
			content_type: 'application/pdf',
			size: 2048,
			content_id: null,
			disposition: 'attachment',
		};
		const {stdout} = await runFake(['messages', 'show', 'x'], withMessages(messageBody({attachments: [attachment]})));
		expect(stdout).toBe(
			[
				'From: shop@example.com',
				'To: signup@tinbox.test',
				'Subject: Welcome',
				'Received: 2026-01-01T11:59:56.000Z',
				'Attachment 1: a.pdf (application/pdf, 2 KiB)',
				'',
				'Hello.',
				'',
			].join('\n'),
		);
	});
});

describe('untrusted text', () => {
	const hostile = '\x1b]0;owned\x07\x1b[31mred\x9b2J\u202egpj.exe\r\nBcc: x\tend';
	const hostileMessage = messageBody({subject: hostile, text: hostile, from: hostile, to: hostile});

	test.each([
		['messages', 'list', 'x'],
		['messages', 'show', 'x'],
		['messages', 'wait', 'x'],
		['messages', 'wait', 'x', '--field', 'subject'],
		['messages', 'wait', 'x', '--field', 'text'],
	])('is printed without control characters by %s %s %s %s %s', async (...args) => {
		for (const terminal of [{}, {isTTY: true, columns: 200}]) {
			const {stdout} = await runFake(args.filter(Boolean), withMessages(hostileMessage), {terminal});
			expect(stdout).toContain('redgpj.exe');
			expect(stdout).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]|owned/);
		}
	});

	test('adds no column and no line to a list', async () => {
		const {stdout} = await runFake(['messages', 'list', 'x'], withMessages(hostileMessage));
		expect(stdout.split('\n')).toHaveLength(2);
		expect(stdout.split('\t')).toHaveLength(4);
	});

	test('is complete in JSON with every control character escaped', async () => {
		const {stdout} = await runFake(['messages', 'show', 'x', '--json'], withMessages(hostileMessage));
		expect(JSON.parse(stdout).subject).toBe(hostile);
		expect(stdout.trimEnd()).not.toMatch(/[\0-\x1f\x7f-\x9f\u202a-\u202e]/);
	});
});
