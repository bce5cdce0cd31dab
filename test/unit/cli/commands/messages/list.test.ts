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

test('in a terminal of 80 columns, messages list shows the end of each id, and leaves room for the subject', async () => {
	expect(await list([long], {isTTY: true, columns: 80})).toBe(
		[
			'ID        FROM                           SUBJECT                        RECEIVED',
			'6b7c8d9e  no-reply@accounts.shop.examp…  Your verification code for t…  just now',
			'',
		].join('\n'),
	);
});

test('for programs, ids are whole', async () => {
	expect(await list([long])).toBe(`${id}\t${long.from}\t${long.subject}\t${long.received_at}\n`);
	expect(await list([long], {isTTY: true, columns: 80}, '--json=id')).toContain(id);
});

test('goes on after a message that is named by the end of its id', async () => {
	const seen: unknown[] = [];
	const messages = {
		get: async (_inboxId: string, name: string) => ({...messageBody({id: `whole id of ${name}`}), headers: []}),
		list: async (_inboxId: string, {after}: {readonly after?: string | Date | undefined} = {}) => {
			seen.push(after);
			return [];
		},
	};
	await runFake(['messages', 'list', 'signup', '--after', '6fdc33c3'], {
		inboxes: {get: async () => inboxBody()},
		messages,
	});
	expect(seen).toEqual(['whole id of 6fdc33c3']);
});
