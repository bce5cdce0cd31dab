import {expect, test} from 'vitest';
import {ApiError} from '../../../../src/client/errors.js';
import type {InboxBody} from '../../../../src/contract/inboxes.js';
import {inboxBody} from '../../../helpers/bodies.js';
import {type FakeCalls, runFake} from '../../../helpers/context.js';

const inboxes = [
	inboxBody({id: 'id-1', email_address: 'one@tinbox.test', name: 'signup'}),
	inboxBody({id: 'id-2', email_address: 'two@tinbox.test', name: 'both'}),
	inboxBody({id: 'id-3', email_address: 'three@tinbox.test', name: 'both'}),
	...Array.from({length: 200}, (_, index) =>
		inboxBody({id: `more-${index}`, email_address: `${index}@x.test`, name: null}),
	),
	inboxBody({id: 'id-all', email_address: '*', name: null}),
	inboxBody({id: 'id-last', email_address: 'last@tinbox.test', name: 'a@b'}),
];

/** Number of requested list pages. */
let pages = 0;

const calls: FakeCalls = {
	inboxes: {
		async get(id): Promise<InboxBody> {
			const found = inboxes.find(inbox => inbox.id === id || inbox.email_address === id.toLowerCase());
			if (!found) {
				throw new ApiError({status: 404, code: 'not_found', detail: 'There is no such inbox.'});
			}

			return found;
		},
		async list({page = 1, limit = 20, name} = {}) {
			pages++;
			const named = inboxes.filter(inbox => name === undefined || inbox.name === name);
			return {inboxes: named.slice((page - 1) * limit, page * limit), total: named.length, page, limit};
		},
	},
};

const show = (text: string) => runFake(['inbox', 'show', text, '--json=id'], calls);

test.each([
	['id-1', 'id-1'],
	['one@tinbox.test', 'id-1'],
	['ONE@Tinbox.Test', 'id-1'],
	['*', 'id-all'],
	['signup', 'id-1'],
	['last@tinbox.test', 'id-last'],
	['a@b', 'id-last'],
])('inbox show finds an inbox by id, address or name: %s', async (text, id) => {
	expect(JSON.parse((await show(text)).stdout)).toEqual({id});
});

test('inbox show resolves an address without listing inboxes', async () => {
	pages = 0;
	await show('last@tinbox.test');
	expect(pages).toBe(0);
});

test('inbox show rejects an ambiguous name and lists the addresses', async () => {
	const {exitCode, stderr} = await runFake(['inbox', 'show', 'both'], calls);
	expect(exitCode).toBe(2);
	expect(stderr).toBe(
		'2 inboxes have the name "both".\nUse the address of one of them:\n  two@tinbox.test\n  three@tinbox.test\n',
	);
});

test('inbox show exits with 5 for an unknown inbox', async () => {
	const {exitCode, stderr} = await runFake(['inbox', 'show', 'nobody'], calls);
	expect(exitCode).toBe(5);
	expect(stderr).toContain('There is no inbox "nobody".');
});

test('inbox list requests as many pages as the limit needs', async () => {
	const count = async (...args: string[]) =>
		(await runFake(['inbox', 'list', ...args], calls)).stdout.split('\n').length - 1;
	expect(await count()).toBe(20);
	expect(await count('--limit', '150')).toBe(150);
	expect(await count('--all')).toBe(inboxes.length);
});
