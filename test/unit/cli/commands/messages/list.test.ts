import {expect, test} from 'vitest';
import type {MessageBody} from '../../../../../src/contract/messages.js';
import {inboxBody, messageBody} from '../../../../helpers/bodies.js';
import {runFake, type Terminal} from '../../../../helpers/context.js';

const id = '019a9f3e-5b1c-7c3a-9d2e-4f5a6b7c8d9e';

async function list(rows: readonly MessageBody[], terminal: Terminal = {}, ...flags: readonly string[]) {
	const calls = {inboxes: {get: async () => inboxBody()}, messages: {list: async () => rows}};
	return (await runFake(['messages', 'list', 'signup', ...flags], calls, {terminal})).stdout;
}

const long = messageBody({
	id,
	from: 'no-reply@accounts.shop.example.com',
	subject: 'Your verification code for the shop',
});

test('messages list shortens ids to their end on a terminal of 80 columns', async () => {
	expect(await list([long], {isTTY: true, columns: 80})).toBe(
		[
			'ID        FROM                           SUBJECT                        RECEIVED',
			'6b7c8d9e  no-reply@accounts.shop.examp…  Your verification code for t…  just now',
			'',
		].join('\n'),
	);
});

test('messages list prints full ids when piped or with --json', async () => {
	expect(await list([long])).toBe(`${id}\t${long.from}\t${long.subject}\t${long.received_at}\n`);
	expect(await list([long], {isTTY: true, columns: 80}, '--json=id')).toContain(id);
});

test('messages list --after resolves a shortened id', async () => {
	const cursors: unknown[] = [];
	const messages = {
		get: async (_inboxId: string, name: string) => ({...messageBody({id: `whole id of ${name}`}), headers: []}),
		list: async (_inboxId: string, {after}: {readonly after?: string | Date | undefined} = {}) => {
			cursors.push(after);
			return [];
		},
	};
	await runFake(['messages', 'list', 'signup', '--after', '6fdc33c3'], {
		inboxes: {get: async () => inboxBody()},
		messages,
	});
	expect(cursors).toEqual(['whole id of 6fdc33c3']);
});
