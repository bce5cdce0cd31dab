import {readdir, readFile} from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Inbox} from '../../../../src/domain/mail/inbox.js';
import type {Receipt} from '../../../../src/domain/mail/sending.js';
import {joinMails, readRequest} from '../../../../src/services/messages/source.js';
import {mail, openTinbox, type Person, plainTextSession, type Tinbox} from '../../../helpers/tinbox.js';

const firstPage = {page: 1, limit: 100};

async function createInbox(tinbox: Tinbox, {user}: Person): Promise<Inbox> {
	return (await tinbox.services.inboxes.create(user, {name: null, teamId: null, address: null, ttlSeconds: null}))
		.inbox;
}

function createMail(
	to: string | readonly string[],
	subject: string,
	more: {data?: Record<string, unknown>; text?: string} = {},
) {
	const source = Buffer.from(mail(subject) + (more.text ?? ''));
	return {envelope: {from: 'app@example.com', to: [to].flat()}, session: plainTextSession, source, data: more.data};
}

const request = {
	provider: 'resend',
	method: 'POST',
	path: '/emails?x=1',
	headers: {'content-type': 'application/json'},
	body: Buffer.from('{"subject": "é"}'),
};

function receiptOf(...messageIds: readonly string[]): Receipt {
	const createdAt = new Date().toISOString();
	const expiresAt = new Date(Date.now() + 60_000).toISOString();
	return {id: 'once', holder: 'ada', digest: 'd', outcomes: [{id: 'mail', messageIds}], createdAt, expiresAt};
}

/** Number of commits: the lines of the journal without the segment headers. */
async function commits({dir}: Tinbox): Promise<number> {
	const folder = path.join(dir, 'journal');
	const texts = await Promise.all((await readdir(folder)).map(name => readFile(path.join(folder, name), 'utf8')));
	return texts.join('').split('\n').length - 1 - texts.length;
}

describe('a sending request', () => {
	test.each([0, 40_000])('stores its mails unchanged in one commit, with %i additional bytes each', async length => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const [one, other] = [await createInbox(tinbox, ann), await createInbox(tinbox, ann)];
		const text = 'x'.repeat(length);
		const mails = [
			createMail(one.address, 'first', {text, data: {code: '111222'}}),
			createMail('nobody@elsewhere.test', 'lost'),
			createMail([one.address, other.address], 'second', {text}),
		];
		const before = await commits(tinbox);
		const {messageIds, effect} = await tinbox.services.receiver.receive(mails, {
			request,
			receipt: outcome => receiptOf(...outcome.messageIds.flat()),
		});
		expect((await commits(tinbox)) - before).toBe(1);
		expect(effect).toBeNull();
		expect(messageIds.map(({length}) => length)).toEqual([1, 0, 2]);
		expect((await tinbox.store.receipts.get('once'))?.outcomes).toEqual([{id: 'mail', messageIds: messageIds.flat()}]);
		const restarted = await tinbox.restart();
		const {messages} = restarted.services;
		for (const [index, inbox] of [
			[0, one],
			[2, one],
			[2, other],
		] as const) {
			const rows = await messages.list(ann.user, inbox.id, {}, firstPage);
			const row = rows.find(({id}) => messageIds[index]?.includes(id));
			const source = mails[index]?.source ?? Buffer.alloc(0);
			expect(row?.size).toBe(source.length);
			const raw = await messages.raw(ann.user, inbox.id, row?.id ?? '', {start: 0, end: Number.POSITIVE_INFINITY});
			expect(raw.equals(source)).toBe(true);
			const part = await messages.raw(ann.user, inbox.id, row?.id ?? '', {start: 5, end: 20});
			expect(part.equals(source.subarray(5, 21))).toBe(true);
			const {content} = await messages.read(ann.user, inbox.id, row?.id ?? '');
			expect(content.headers).toContainEqual({name: 'Subject', value: index === 0 ? 'first' : 'second'});
			expect(content.text).not.toContain('provider');
			const {body, ...rest} = request;
			expect(await messages.request(ann.user, inbox.id, row?.id ?? '')).toEqual({
				...rest,
				body: body.toString(),
				bodySize: body.length,
				encoding: 'utf8',
				data: index === 0 ? {code: '111222'} : null,
			});
		}
	});

	test('stores its mails once per receipt, also if it is repeated concurrently', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		const deliver = async (body: number) =>
			tinbox.services.receiver.receive([createMail(inbox.address, String(body))], {
				receipt: () => receiptOf(String(body)),
			});
		const outcomes = await Promise.allSettled([1, 2, 3].map(deliver));
		expect(outcomes.filter(({status}) => status === 'fulfilled')).toHaveLength(1);
		const [row, ...others] = await tinbox.services.messages.list(ann.user, inbox.id, {}, firstPage);
		expect(others).toEqual([]);
		await expect(deliver(4)).rejects.toMatchObject({receipt: {outcomes: [{messageIds: [row?.summary.subject]}]}});
	});

	test('without recipients stores only the receipt', async () => {
		const tinbox = await openTinbox();
		const terms = {receipt: () => receiptOf('sent')};
		const {messageIds} = await tinbox.services.receiver.receive([createMail('nobody@elsewhere.test', 'x')], terms);
		expect(messageIds).toEqual([[]]);
		await expect(tinbox.services.receiver.receive([], terms)).rejects.toMatchObject({
			name: 'AlreadyAnswered',
			receipt: {outcomes: [{messageIds: ['sent']}]},
		});
	});

	test('stores all of its mails or none, unless each is independent', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		const fault = await tinbox.request('POST', `/inboxes/${inbox.id}/faults`, {
			key: ann.key,
			body: {stage: 'end', match: {subject: 'bad'}, reply: '550 5.7.1 Never'},
		});
		expect(fault.status).toBe(201);
		const mails = ['good', 'bad', 'better'].map(subject => createMail(inbox.address, subject));
		await expect(tinbox.services.receiver.receive(mails, {receipt: () => receiptOf()})).rejects.toThrow('A fault');
		expect(await tinbox.services.messages.list(ann.user, inbox.id, {}, firstPage)).toEqual([]);
		expect(await tinbox.store.receipts.get('once')).toBeUndefined();
		const {messageIds, failures} = await tinbox.services.receiver.receive(mails, {allowsPartialSuccess: true});
		expect(messageIds.map(({length}) => length)).toEqual([1, 0, 1]);
		expect([...failures.keys()]).toEqual([1]);
		const rows = await tinbox.services.messages.list(ann.user, inbox.id, {}, firstPage);
		expect(rows.map(({summary}) => summary.subject)).toEqual(['better', 'good']);
	});

	test('to several audiences hides its body from all of them', async () => {
		const tinbox = await openTinbox();
		const [ann, bob] = [await tinbox.user('ann'), await tinbox.user('bob')];
		const [hers, his] = [await createInbox(tinbox, ann), await createInbox(tinbox, bob)];
		const mails = [
			createMail(hers.address, 'hers', {data: {code: '1'}}),
			createMail(his.address, 'his', {data: {code: '2'}}),
		];
		await tinbox.services.receiver.receive(mails, {request});
		const kept = await tinbox.services.messages.request(bob.user, his.id, 'latest');
		expect(kept).toMatchObject({body: null, bodySize: request.body.length, data: {code: '2'}});
		await expect(tinbox.services.messages.request(bob.user, hers.id, 'latest')).rejects.toMatchObject({
			code: 'not_found',
		});
	});

	test('is absent for mail received by SMTP', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		await tinbox.deliver(inbox.address, mail('hello'));
		const response = await tinbox.request('GET', `/inboxes/${inbox.id}/messages/latest/request`, {key: ann.key});
		expect(response.status).toBe(404);
		expect(await response.text()).toContain('was not sent through a sending API');
	});

	test('is shown by the API, with its body in base64 unless it is text', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		const body = Buffer.from([0xff, 0, 10, 0xfe]);
		await tinbox.services.receiver.receive([createMail(inbox.address, 'x')], {request: {...request, body}});
		const response = await tinbox.request('GET', `/inboxes/${inbox.id}/messages/latest/request`, {key: ann.key});
		expect(await response.json()).toEqual({
			provider: 'resend',
			method: 'POST',
			path: '/emails?x=1',
			headers: {'content-type': 'application/json'},
			body: body.toString('base64'),
			encoding: 'base64',
			size: 4,
			data: null,
		});
	});
});

test('mails, data and request in a joined source are read back unchanged', () => {
	const bytes = fc.uint8Array({maxLength: 300}).map(array => Buffer.from(array));
	const anyMails = fc.array(
		fc.record({source: bytes, data: fc.option(fc.dictionary(fc.string(), fc.string()), {nil: undefined})}),
		{minLength: 1, maxLength: 4},
	);
	fc.assert(
		fc.property(anyMails, bytes, fc.boolean(), (mails, body, hasBody) => {
			const {pieces, parts} = joinMails(mails, {...request, body}, hasBody);
			const source = Buffer.concat(pieces as readonly Buffer[]);
			for (const [index, {start, end, requestAt}] of parts.entries()) {
				const {source: mail = Buffer.alloc(0), data} = mails[index] ?? {};
				expect(source.subarray(start, start + mail.length).equals(mail)).toBe(true);
				const behind = source.subarray(start + mail.length, end);
				const found = readRequest(source.subarray(requestAt), behind.length === 0 ? undefined : behind);
				expect(found?.data).toEqual(data === undefined ? null : JSON.parse(JSON.stringify(data)));
				const text = found?.body ?? null;
				expect(text === null ? null : Buffer.from(text, found?.encoding)).toEqual(hasBody ? body : null);
				expect(found?.bodySize).toBe(body.length);
			}
		}),
	);
});

test('a request much longer than its mails is stored without its body', () => {
	const mails = [{source: Buffer.from('mail'), data: {long: 'x'.repeat(70_000)}}];
	const {pieces, parts} = joinMails(mails, {...request, body: Buffer.alloc(70_000)}, true);
	expect(Buffer.concat(pieces as readonly Buffer[]).length).toBeLessThan(1000);
	expect(parts[0]?.end).toBe(4);
});
