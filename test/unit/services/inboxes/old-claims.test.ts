import {writeFile} from 'node:fs/promises';
import {expect, onTestFinished, test} from 'vitest';
import {ensureDirectory, nodeFiles} from '../../../../src/lib/files.js';
import {DataDir} from '../../../../src/store/json/data-dir.js';
import {encodeLine} from '../../../../src/store/json/lines.js';
import {mail, Tinbox} from '../../../helpers/tinbox.js';
import {temporaryFolder} from '../../store/json-fixture.js';
import {at, someInbox, someUser} from '../../store/rows.js';

const ann = someUser({email: 'ann@example.com'});
const bob = someUser({email: 'bob@example.com'});
const page = {page: 1, limit: 100};

/** A daemon on the data of an older version, which compared addresses by nothing but their case. */
async function openOld(claims: readonly (readonly [owner: {readonly id: string}, address: string])[]) {
	const dir = await temporaryFolder();
	const dataDir = new DataDir(nodeFiles, dir);
	await ensureDirectory(nodeFiles, dataDir.journal);
	const inboxes = claims.map(([{id}, address], index) => someInbox({ownerId: id, address, createdAt: at(index)}));
	const lines = [
		[{version: 1}],
		...[ann, bob].map(user => [[['put', 'users', user]]]),
		...inboxes.map(inbox => [[['put', 'inboxes', inbox]]]),
	];
	const bytes = lines.map(items => encodeLine(...items.map(item => JSON.stringify(item))));
	await writeFile(dataDir.segment(1), Buffer.concat(bytes));
	const tinbox = await Tinbox.open({}, dir);
	onTestFinished(async () => tinbox.close());
	return {tinbox, ids: inboxes.map(({id}) => id)};
}

test.each([
	{first: 'a@shop.test', second: 'a+reset@shop.test', to: 'a+reset@shop.test'},
	{first: 'a+reset@shop.test', second: 'a@shop.test', to: 'a+reset@shop.test'},
	{first: 'a@shop.test', second: '"a"@shop.test', to: '"a"@shop.test'},
	{first: 'a@shop.test', second: 'a@shop.test.', to: 'a@shop.test.'},
	{first: 'a@xn--bcher-kva.test', second: 'a@bücher.test', to: 'a@bücher.test'},
	{first: '*@shop.test', second: '*@shop.test.', to: 'b@shop.test.'},
])('of $first and $second, the first takes the mail for $to, and nothing is lost', async ({first, second, to}) => {
	const {tinbox, ids} = await openOld([
		[ann, first],
		[bob, second],
	]);
	const [annsId = '', bobsId = ''] = ids;
	const {inboxes, messages} = tinbox.services;
	const named = {first: `${first} (${annsId})`, second: `${second} (${bobsId})`, more: 0};
	expect(tinbox.logged).toMatchObject([
		{fields: named, message: expect.stringContaining('only the first receives its mail')},
	]);
	await tinbox.deliver(to, mail('For the first'));
	expect(await messages.list(ann, annsId, {}, page)).toHaveLength(1);
	expect(await messages.list(bob, bobsId, {}, page)).toEqual([]);
	expect((await inboxes.list(bob, page)).inboxes).toMatchObject([{inbox: {id: bobsId, address: second}}]);
	expect((await inboxes.list(bob, page, second)).inboxes).toMatchObject([{inbox: {id: bobsId}}]);

	await inboxes.delete(ann, annsId);
	await tinbox.deliver(to, mail('For the second'));
	expect(await messages.list(bob, bobsId, {}, page)).toHaveLength(1);
});

test('what is the local user’s to claim stays with who has it', async () => {
	const {tinbox, ids} = await openOld([[bob, '*']]);
	expect((await tinbox.services.inboxes.resolve('anybody@anywhere.test'))?.id).toBe(ids[0]);
});

test('claims that are nobody else’s are not warned of', async () => {
	const {tinbox} = await openOld([
		[ann, 'a@shop.test'],
		[ann, 'a+reset@shop.test'],
		[bob, '*@shop.test'],
		[bob, 'b@shop.test'],
	]);
	expect(tinbox.logged).toEqual([]);
});
