import {readdir, readFile} from 'node:fs/promises';
import path from 'node:path';
import {Readable} from 'node:stream';
import {setImmediate} from 'node:timers/promises';
import {describe, expect, test, vi} from 'vitest';
import {AppError} from '../../../../src/domain/errors.js';
import {createParser, type Parser} from '../../../../src/mime/parser.js';
import {MailRetention} from '../../../../src/services/messages/retention.js';
import {mail, openTinbox, type Person, plainTextSession, Tinbox} from '../../../helpers/tinbox.js';

async function createInbox(tinbox: Tinbox, {user}: Person) {
	return (await tinbox.services.inboxes.create(user, {name: null, teamId: null, address: null, ttlSeconds: null}))
		.inbox;
}

async function subjects(tinbox: Tinbox, {user}: Person, inboxId: string): Promise<readonly string[]> {
	const rows = await tinbox.services.messages.list(user, inboxId, {}, {page: 1, limit: 100});
	return rows.map(({summary}) => summary.subject);
}

const firstPage = {page: 1, limit: 20};

/** Header that takes longer to parse than any deadline. */
const endlessHeader = `From: ${'"a"<a@b.c>,'.repeat(20_000)}\r\n`;

/** Sets the deadline for parsing header sections. */
function withHeadDeadline(headDeadlineMs: number): (parser: Parser) => Parser {
	return parser => {
		const other = createParser({headDeadlineMs});
		return {
			...parser,
			summarize: (...mail) => other.summarize(...mail),
			stop: async () => {
				await parser.stop();
				await other.stop();
			},
		};
	};
}

const impatient = withHeadDeadline(1);
const patient = withHeadDeadline(20_000);

/** Number of commits: the lines of the journal without the segment headers. */
async function commits({dir}: Tinbox): Promise<number> {
	const folder = path.join(dir, 'journal');
	const texts = await Promise.all((await readdir(folder)).map(name => readFile(path.join(folder, name), 'utf8')));
	return texts.join('').split('\n').length - 1 - texts.length;
}

test('lists and single reads agree on a mail with a long header section', async () => {
	const tinbox = await openTinbox({wrapParser: patient});
	const ann = await tinbox.user('ann');
	const inbox = await createInbox(tinbox, ann);
	const fields = `X-Flood: ${'x'.repeat(500)}\r\n`.repeat(1800);
	await tinbox.deliver(inbox.address, `${fields}Subject: far\r\nMessage-ID: <far@a.example>\r\n\r\nSubject: no`);
	const [row] = await tinbox.services.messages.list(ann.user, inbox.id, {q: 'FAR'}, firstPage);
	expect(row?.summary).toMatchObject({subject: 'far', messageId: 'far@a.example'});
	const {message, content} = await tinbox.services.messages.read(ann.user, inbox.id, row?.id ?? '');
	expect(message).toEqual(row);
	expect(content.headers).toContainEqual({name: 'Subject', value: 'far'});
	expect(content.warnings).toEqual([]);
});

test('a mail with a webhook takes two commits: the mail with its delivery, and the result of the attempt', async () => {
	const tinbox = await openTinbox();
	const ann = await tinbox.user('ann');
	const inbox = await createInbox(tinbox, ann);
	const {webhooks} = tinbox.services;
	const {id} = await webhooks.create(ann.user, {url: 'http://127.0.0.1:9/', events: ['message.received']});
	const before = await commits(tinbox);
	await tinbox.deliver(inbox.address, mail('hello'));
	await vi.waitFor(async () => {
		expect((await webhooks.get(ann.user, id)).deliveries).toMatchObject([{status: 'delivered'}]);
	});
	expect(await commits(tinbox)).toBe(before + 2);
	await tinbox.deliver(inbox.address, `Cc: ${'a@b.example, '.repeat(1000)}\r\nSubject: long\r\n\r\nx`);
	await vi.waitFor(async () => {
		expect((await webhooks.get(ann.user, id)).deliveries).toMatchObject([{status: 'delivered'}, {status: 'delivered'}]);
	});
	expect(await commits(tinbox)).toBe(before + 4);
	expect(await subjects(tinbox, ann, inbox.id)).toEqual(['long', 'hello']);
});

describe('a mail whose header takes too long to parse', () => {
	test('is shown by its envelope with a warning, and the next one is parsed', async () => {
		const before = await Tinbox.open({wrapParser: impatient});
		const ann = await before.user('ann');
		const inbox = await createInbox(before, ann);
		await Promise.all([
			before.deliver(inbox.address, `${endlessHeader}Subject: long\r\n\r\nx`, 'bounce@example.com'),
			before.deliver(inbox.address, mail('quick')),
		]);
		const after = await before.restart();
		const path = `/inboxes/${inbox.id}/messages`;
		const read = async (target: string) => (await after.request('GET', target, {key: ann.key})).json();
		const rows = (await read(path)) as ReadonlyArray<{readonly id: string; readonly from: string}>;
		const unread = rows.find(({from}) => from === 'bounce@example.com');
		for (const shown of [unread, await read(`${path}/${unread?.id}`)]) {
			expect(shown).toMatchObject({
				subject: '',
				cc: [],
				warnings: ['Parsing the header section timed out. The sender is the envelope sender.'],
			});
		}

		expect(rows).toContainEqual(expect.objectContaining({subject: 'quick', warnings: []}));
		await after.close();
	});

	test('does not prevent the daemon from stopping', async () => {
		const tinbox = await Tinbox.open();
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		const mails = Array.from({length: 5}, () => tinbox.deliver(inbox.address, `${endlessHeader}\r\nx`));
		const ends = Promise.allSettled(mails);
		const after = await tinbox.restart();
		const refused = (await ends).filter(({status}) => status === 'rejected');
		expect(refused).toMatchObject(refused.map(() => ({reason: {code: 'stopping'}})));
		expect(await subjects(after, ann, inbox.id)).toHaveLength(5 - refused.length);
		await after.close();
	});
});

describe('a list during reception', () => {
	test('shows each message with its header, newest first', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		let delivered = 0;
		const sending = (async () => {
			for (; delivered < 100; delivered++) {
				await tinbox.deliver(inbox.address, mail(`mail ${delivered}`));
			}
		})();
		while (delivered < 100) {
			// Lists wait for nothing here, and would leave no time for anything else.
			await setImmediate();
			const atLeast = delivered;
			const found = await subjects(tinbox, ann, inbox.id);
			expect(found).toEqual(found.map((_, index) => `mail ${found.length - 1 - index}`));
			expect(found.length).toBeGreaterThanOrEqual(atLeast);
		}

		await sending;
		expect(await subjects(tinbox, ann, inbox.id)).toHaveLength(100);
	});
});

describe('a mail', () => {
	test('from a failing source is not stored', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		const source = Readable.from(
			(function* () {
				yield Buffer.alloc(200_000);
				throw new AppError('too_large', 'The mail is too large.');
			})(),
		);
		const envelope = {from: '', to: [inbox.address]};
		await expect(
			tinbox.services.receiver.receiveOne({envelope, session: plainTextSession, source}),
		).rejects.toMatchObject({
			code: 'too_large',
		});
		expect(await tinbox.services.messages.list(ann.user, inbox.id, {}, firstPage)).toEqual([]);
	});

	test('to an inbox that is deleted meanwhile reaches only the other inboxes', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const [gone, there] = [await createInbox(tinbox, ann), await createInbox(tinbox, ann)];
		const source = Readable.from(
			(async function* () {
				yield Buffer.from('Subject: late\r\n\r\n');
				await tinbox.services.inboxes.delete(ann.user, gone.id);
				yield Buffer.from('text\r\n');
			})(),
		);
		const envelope = {from: '', to: [gone.address, there.address]};
		await tinbox.services.receiver.receiveOne({envelope, session: plainTextSession, source});
		expect(await subjects(tinbox, ann, there.id)).toEqual(['late']);
		await expect(subjects(tinbox, ann, gone.id)).rejects.toMatchObject({code: 'not_found'});
	});

	test('keeps its source if an error follows the commit', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		vi.spyOn(MailRetention.prototype, 'schedule').mockImplementationOnce(() => {
			throw new Error('no timer');
		});
		const text = 'in a separate file\r\n'.repeat(10_000);
		await expect(tinbox.deliver(inbox.address, `Subject: stored\r\n\r\n${text}`)).rejects.toThrow('no timer');
		const [row] = await tinbox.services.messages.list(ann.user, inbox.id, {}, firstPage);
		const {content} = await tinbox.services.messages.read(ann.user, inbox.id, row?.id ?? '');
		expect(content.text).toContain('in a separate file');
	});
});
