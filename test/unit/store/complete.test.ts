import {appendFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {ensureDirectory, nodeFiles} from '../../../src/lib/io/files.js';
import {DataDir} from '../../../src/store/json/data-dir.js';
import {encodeLine} from '../../../src/store/json/lines.js';
import {openStore, rememberingLog, temporaryFolder} from './json-fixture.js';
import {someDelivery, someEndpoint, someInbox, someMessage, someSummary, someUser, walked} from './rows.js';
import {watchedFiles} from './watched-files.js';

const firstPage = {page: 1, limit: 100};

/**
 * A data directory as version 0.1 leaves it when it is killed after the commits of three mails: neither was the header of
 * any read, nor has any delivery a body, nor is it known how they came. The second mail was deleted, and the source of the third is lost.
 */
async function oldData() {
	const dir = await temporaryFolder();
	const dataDir = new DataDir(nodeFiles, dir);
	await ensureDirectory(nodeFiles, dataDir.journal);
	const user = someUser();
	const inbox = someInbox({ownerId: user.id});
	const endpoint = someEndpoint({userId: user.id});
	const mails = ['kept', 'deleted', 'lost'].map(subject => {
		const source = {id: `source-${subject}`, size: 30, head: Buffer.from(`Subject: ${subject}\r\n\r\nHello\r\n`)};
		const {session, ...message} = {...someMessage(inbox.id, source), summary: null};
		const delivery = {...someDelivery(endpoint.id, {messageId: message.id}), body: null};
		return {source, message, delivery};
	});
	const [kept, deleted, lost] = mails;
	const lines = [
		[{version: 1}],
		[[['put', 'users', user]]],
		[[['put', 'inboxes', inbox]]],
		[[['put', 'endpoints', endpoint]]],
		...mails.map(({source, message, delivery}) => [
			[
				['put', 'sources', {id: source.id, place: null}],
				['put', 'messages', message],
				['put', 'deliveries', delivery],
			],
			...(message === lost?.message ? [] : [source.head.toString('base64')]),
		]),
		[[['delete', 'messages', deleted?.message.id]]],
	];
	await writeFile(
		dataDir.segment(1),
		Buffer.concat(lines.map(items => encodeLine(...items.map(item => JSON.stringify(item))))),
	);
	return {dir, dataDir, inbox, endpoint, kept, deleted, lost};
}

const summarize = async (mail: Buffer) =>
	someSummary({from: '', subject: /^Subject: (.*)\r/.exec(String(mail))?.[1] ?? ''});

test('what an older version left without summary or body is completed when the store opens, once', async () => {
	const {dir, inbox, endpoint, kept, deleted, lost} = await oldData();
	for (const read of [summarize, async () => Promise.reject(new Error('Nothing is left to be read.'))]) {
		const store = await openStore(dir, {summarize: read});
		expect(await store.messages.list(inbox.id, {}, firstPage)).toEqual([
			{...lost?.message, session: null, summary: someSummary({from: '', subject: ''})},
			{...kept?.message, session: null, summary: someSummary({from: '', subject: 'kept'})},
		]);
		expect(await walked(store, inbox.id, {q: 'kept'})).toHaveLength(1);
		const {rows} = await store.deliveries.list(endpoint.id, {}, firstPage);
		const bodyOf = (id = '') => JSON.parse(rows.find(row => row.id === id)?.body ?? '').message;
		expect(bodyOf(kept?.delivery.id)).toMatchObject({
			id: kept?.message.id,
			from: 'sender@example.com',
			subject: 'kept',
		});
		expect(bodyOf(lost?.delivery.id)).toMatchObject({id: lost?.message.id, subject: ''});
		expect(rows.find(({id}) => id === deleted?.delivery.id)).toMatchObject({
			status: 'dead',
			nextAttemptAt: null,
			responseBody: 'Not sent: the message was deleted before its header was read.',
		});
		await store.close();
	}
});

test('a summary of an older version has no names, says nothing of To, and is as long as it is', async () => {
	const {dir, dataDir, inbox} = await oldData();
	const source = {id: 'source-plain', size: 9, head: Buffer.from('To: x\r\n\r\n')};
	const {to: _, ...summary} = someSummary({cc: ['bob@example.com'], subject: 'x'.repeat(100_000)});
	const message = {...someMessage(inbox.id, source), summary};
	const change = [
		['put', 'sources', {id: source.id, place: null}],
		['put', 'messages', message],
	];
	await appendFile(dataDir.segment(1), encodeLine(JSON.stringify(change), JSON.stringify(String(source.head))));
	const store = await openStore(dir, {summarize});
	expect(await store.messages.get(message.id)).toEqual({...message, summary: {...summary, to: []}});
	expect(await store.usage()).toMatchObject({messages: 2 + 195});
	expect(await walked(store, inbox.id, {to: 'inbox@'})).toHaveLength(3);
});

test('on a full disk it is completed for as long as the store is open', async () => {
	const {dir, dataDir, inbox} = await oldData();
	const full = async () => Promise.reject(Object.assign(new Error('ENOSPC: no space left'), {code: 'ENOSPC'}));
	const files = {
		...nodeFiles,
		open: async (...[file, flags, mode]: Parameters<typeof nodeFiles.open>) => {
			const handle = await nodeFiles.open(file, flags, mode);
			return path.dirname(String(file)) === dataDir.journal && flags !== 'r'
				? Object.assign(handle, {write: full})
				: handle;
		},
	};
	const {log, said} = rememberingLog();
	const store = await openStore(dir, {summarize, files, log});
	expect((await walked(store, inbox.id, {q: 'kept'})).map(({summary}) => summary.subject)).toEqual(['kept']);
	expect(said.map(({message}) => message).join()).toContain('Could not save upgraded rows');
	await store.close();
	const again = await openStore(dir, {summarize});
	expect(await walked(again, inbox.id, {q: 'kept'})).toHaveLength(1);
});

test('when that fails, the store does not open, and leaves neither an open file nor the lock', async () => {
	const {dir, inbox} = await oldData();
	const open: string[] = [];
	const files = watchedFiles(async ({name, file}, proceed) => {
		const result = await proceed();
		if (name === 'open') {
			open.push(file);
		} else if (name === 'close') {
			open.splice(open.indexOf(file), 1);
		}

		return result;
	});
	const fails = async () => Promise.reject(new Error('The parser has ended.'));
	await expect(openStore(dir, {summarize: fails, files})).rejects.toThrow('The parser has ended.');
	expect(open).toEqual([]);
	const again = await openStore(dir, {summarize});
	expect(await walked(again, inbox.id, {q: 'kept'})).toHaveLength(1);
});
