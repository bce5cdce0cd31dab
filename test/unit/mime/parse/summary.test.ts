import fc from 'fast-check';
import {type AddressObject, simpleParser} from 'mailparser';
import addressparser from 'nodemailer/lib/addressparser';
import {expect, test} from 'vitest';
import {type Mailbox, readMailbox, type Summary, weightOf} from '../../../../src/domain/mail/message.js';
import {fixture, sharedParser, sourceOf} from '../test-parser.js';

/** Has a deadline that only an endless task exceeds. */
const parser = sharedParser({headDeadlineMs: 20_000});

const files = [
	'plain.eml',
	'encoded-words.eml',
	'alternative.eml',
	'attachments.eml',
	'broken.eml',
	'bare-line-feeds.eml',
	'no-header.eml',
	'hostile.eml',
];

test('a summary contains the fields for lists and webhooks', async () => {
	const heads = [await fixture('plain.eml'), await fixture('encoded-words.eml'), Buffer.from('no mail at all')];
	expect(await Promise.all(heads.map(head => parser.summarize('ada', head)))).toEqual([
		{
			from: 'ann@example.test',
			fromName: 'Ann Example',
			to: ['joe@tinbox.test'],
			cc: ['bob@example.test', ['red@example.test', 'Team: red']],
			replyTo: ['answers@example.test'],
			subject: 'Your code',
			messageId: 'plain-1@example.test',
			date: '2026-11-20T20:00:00.000Z',
		},
		{
			from: 'zoe@example.test',
			fromName: 'Zoë',
			to: [],
			cc: ['ann@example.test', 'bob@example.test'],
			replyTo: [],
			subject: 'Schöne Grüße 😀',
			messageId: 'no-brackets@example.test',
		},
		{from: '', to: [], cc: [], replyTo: [], subject: '', messageId: ''},
	]);
});

test.each(files)('the summary of %s has the values that mailparser reads', async file => {
	const mail = await fixture(file);
	const {from, to, cc, replyTo, subject, messageId, date} = await simpleParser(mail);
	expect(await parser.summarize('ada', mail)).toEqual({
		...authorOf(from),
		to: mailboxesOf(to),
		cc: mailboxesOf(cc),
		replyTo: mailboxesOf(replyTo),
		subject: subject ?? '',
		messageId: messageId?.slice(1, -1) ?? '',
		...(date && {date: date.toISOString()}),
	});
});

const names = fc.constantFrom(
	...['Ann', '"Ann, B."', 'Zoë', '=?utf-8?B?Wm/Dqw==?=', '=?utf-8?q?Zo=C3=AB_B?=', '=?iso-8859-1?Q?Zo=EB?='],
	...[
		'=?utf-8?B?Wm8=?= =?utf-8?B?w6s=?=',
		'=?utf-8?B?Wm/D?=\r\n =?utf-8?B?qw==?=',
		'=?utf-8?Q?broken',
		'=?x?z?y?=',
		'(no name)',
	],
);
const addresses = fc.constantFrom(
	'ann@a.example',
	'"a b"@a.example',
	'bob@xn--bcher-kva.example',
	'zoë@b.example',
	'a+b@[127.0.0.1]',
);
const mailboxes = fc.oneof(
	addresses,
	fc.tuple(names, addresses).map(([name, address]) => `${name} <${address}>`),
);
const lists = fc.array(mailboxes, {maxLength: 4}).map(list => list.join(',\r\n\t'));
const addressFields = fc.oneof(
	lists,
	lists.map(list => `Team: ${list};`),
);

test('the summary of any mailboxes and encoded words has the values that mailparser reads', async () => {
	const mails = fc
		.tuple(addressFields, addressFields, addressFields, addressFields, fc.array(names, {maxLength: 3}))
		.map(
			([from, to, cc, replyTo, words]) =>
				`From: ${from}\r\nTo: ${to}\r\nCC: ${cc}\r\nreply-to: ${replyTo}\r\nSubject: ${words.join(' ')}\r\n\r\n`,
		);
	await fc.assert(
		fc.asyncProperty(mails, async mail => {
			const {from, to, cc, replyTo, subject} = await simpleParser(mail);
			expect(await parser.summarize('ada', Buffer.from(mail))).toEqual({
				...authorOf(from),
				to: mailboxesOf(to),
				cc: mailboxesOf(cc),
				replyTo: mailboxesOf(replyTo),
				subject: subject ?? '',
				messageId: '',
			});
		}),
	);
});

const plainAddresses = fc.stringMatching(/^[\w.+-]{1,12}@[\w.-]{1,12}$/);
const plainNames = fc.stringMatching(/^([\w-]{1,6}\.?( [\w-]{1,6}\.?){0,2}|"[\w-]{1,6}\.?( [\w-]{1,6}\.?){0,2}")$/);
const plainMailboxes = fc.oneof(
	plainAddresses,
	fc.tuple(plainNames, plainAddresses).map(([name, address]) => `${name} <${address}>`),
);

test('a mailbox in a common form is parsed like nodemailer does', async () => {
	await fc.assert(
		fc.asyncProperty(plainMailboxes, async mailbox => {
			const [{address = '', name} = {name: ''}] = addressparser(mailbox, {flatten: true});
			const {to} = await parser.summarize('ada', Buffer.from(`To: ${mailbox}\r\n\r\n`));
			expect(to).toEqual([name === '' ? address : [address, name]]);
		}),
	);
});

test.each([
	['Ann Example <a@x.test>', ['a@x.test', 'Ann Example']],
	['"Example, Ann \\"A\\"" <a@x.test>', ['a@x.test', 'Example, Ann "A"']],
	['=?utf-8?q?Zo=C3=AB=2C_B=2E?= <a@x.test>', ['a@x.test', 'Zoë, B.']],
	['"=?utf-8?q?Zo=C3=AB?=" <a@x.test>', ['a@x.test', 'Zoë']],
	['=?utf-8?q?Ann_=3Ca=40x=2Etest=3E?=', ['a@x.test', 'Ann']],
	['a@x.test (Ann)', ['a@x.test', 'Ann']],
	['"a@x.test" <a@x.test>', 'a@x.test'],
	['"real@bank.test" <a@x.test>', ['a@x.test', 'real@bank.test']],
	['"" <a@x.test>', 'a@x.test'],
	['" \t" <a@x.test>', 'a@x.test'],
	['Team: Ann <a@x.test>;', ['a@x.test', 'Ann']],
	['"Ann <a@x.test>', ['a@x.test', 'Ann']],
	['Ann Lee" <a@x.test>', ['a@x.test', 'Ann Lee']],
])('the mailbox %s is parsed', async (text, mailbox) => {
	const mail = Buffer.from(`From: ${text}\r\nTo: ${text}\r\nCc: ${text}\r\nReply-To: ${text}\r\n\r\n`);
	const {address, name} = readMailbox(mailbox as Mailbox);
	expect(await parser.summarize('ada', mail)).toEqual({
		from: address,
		...(name !== null && {fromName: name}),
		to: [mailbox],
		cc: [mailbox],
		replyTo: [mailbox],
		subject: '',
		messageId: '',
	});
});

test('8-bit header fields that are not UTF-8 are decoded as Windows-1252', async () => {
	const summary = await parser.summarize('ada', await fixture('8-bit.eml'));
	expect(summary).toMatchObject({from: 'jose@example.test', subject: 'Café'});
});

test.each([
	['no character set', 'text/plain', 'Caf\xe9 \x80', 'Café €'],
	['ASCII', 'text/plain; charset=us-ascii', 'Caf\xe9', 'Café'],
	['UTF-8', 'text/plain; charset=utf-8', 'Caf\xe9', 'Café'],
	['an unknown character set', 'text/plain; charset=x-nothing', 'Caf\xe9', 'Café'],
	['KOI8-R', 'text/plain;\r\n charset="koi8-r"', '\xf0\xf2\xe9', 'ПРИ'],
	['CP437', 'text/plain; charset=cp437', 'gr\x81n', 'grün'],
	['GBK in its first part', 'multipart/mixed; boundary=b', '\xd6\xd0\xce\xc4', '中文'],
	['GBK for a subject in UTF-8', 'text/plain; charset=gbk', '\xc3\xa9', 'é'],
])(
	'an 8-bit subject is decoded with the character set of a body that declares %s',
	async (_name, type, raw, subject) => {
		const body = '--b\r\nContent-Type: text/plain; charset=gbk\r\n\r\nx\r\n--b--\r\n';
		const mail = Buffer.from(`Subject: ${raw}\r\nContent-Type: ${type}\r\n\r\n${body}`, 'latin1');
		expect(await parser.summarize('ada', mail)).toMatchObject({subject});
		const {headers} = await parser.read('ada', sourceOf(mail));
		expect(headers[0]).toEqual({name: 'Subject', value: subject});
	},
);

test('a long header section is read completely, also beyond the first bytes', async () => {
	for (const size of [100_000, 300_000, 1_000_000]) {
		const fields = `X-Flood: ${'x'.repeat(500)}\r\n`.repeat(size / 511);
		const mail = Buffer.from(`${fields}Subject: far\r\nMessage-ID: <far@example.test>\r\n\r\nSubject: body`);
		const open = async () => sourceOf(mail);
		const summary = {subject: 'far', messageId: 'far@example.test'};
		expect(await parser.summarize('ada', mail.subarray(0, 64 * 1024), open)).toMatchObject(summary);
		expect(await parser.summarize('ada', mail)).toMatchObject(summary);
		const {headers, warnings} = await parser.read('ada', sourceOf(mail));
		expect(headers).toContainEqual({name: 'Subject', value: 'far'});
		expect(warnings).toEqual([]);
	}
});

test.each([
	['=?utf-7?Q?Fr+APY-sche?=', 'Frösche'],
	['=?cp932?b?gXmPZJd2gXo=?=', '【重要】'],
	['=?cp437?Q?gr=81n?=', 'grün'],
	['=?iso-8859-1?Q?Fr\xf6sche?=', 'Frösche'],
	['=?utf-8?Q?Fr\xc3\xb6sche?=', 'Frösche'],
	['=?utf-8?Q?Are_you_there??=', 'Are you there?'],
	['=?utf-8?Q?What?_Who??= =?utf-8?Q?_I?=', 'What? Who? I'],
	['=?utf-8?Q?open =?utf-8?Q?shut?=', '=?utf-8?Q?open shut'],
	['\x1b$B%F%9%H\x1b(B', 'テスト'],
	['=?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?= =?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=', 'テストテスト'],
])('the encoded words %s are decoded', async (words, text) => {
	const mail = Buffer.from(`From: ${words} <zoe@example.test>\r\nSubject: ${words}\r\n\r\n`, 'latin1');
	expect(await parser.summarize('ada', mail)).toMatchObject({from: 'zoe@example.test', subject: text});
	const {headers} = await parser.read('ada', sourceOf(mail));
	expect(headers.map(({value}) => value)).toEqual([`${text} <zoe@example.test>`, text]);
});

test('a first header field From with a space after its name is recognized', async () => {
	const mail = Buffer.from('From : ann@example.test\r\nSubject: s\r\n\r\n');
	expect(await parser.summarize('ada', mail)).toMatchObject({from: 'ann@example.test'});
	expect((await parser.read('ada', sourceOf(mail))).headers[0]).toEqual({name: 'From', value: 'ann@example.test'});
});

test('white space before the first header field is ignored', async () => {
	const mail = Buffer.from(' From: ann@example.test\r\nX: y\r\n Subject: no\r\nSubject: yes\r\n\r\n');
	expect(await parser.summarize('ada', mail)).toMatchObject({from: 'ann@example.test', subject: 'yes'});
});

test('the first of repeated unique header fields is used, and a warning names them', async () => {
	const fields = (at: number) => [
		...[`From: from${at}@a.example`, `Cc: cc${at}@a.example`, `Reply-To: reply${at}@a.example`],
		...[`SUBJECT: subject ${at}`, `Message-Id: <id${at}@a.example>`, `Received: by a.example`],
	];
	const mail = Buffer.from([...fields(1), ...fields(2), ...fields(3), '', 'x'].join('\r\n'));
	expect(await parser.summarize('ada', mail)).toMatchObject({
		from: 'from1@a.example',
		cc: ['cc1@a.example'],
		replyTo: ['reply1@a.example'],
		subject: 'subject 1',
		messageId: 'id1@a.example',
	});
	expect((await parser.read('ada', sourceOf(mail))).warnings).toEqual(
		['From', 'Reply-To', 'Cc', 'Message-ID', 'Subject'].map(
			name => `The header field ${name} occurs more than once. Its first value is used.`,
		),
	);
});

test('a summary ignores fields after the header section, also if that is empty', async () => {
	const heads = ['\r\nSubject: body', '\nSubject: body', 'X: y\r\n\r\nSubject: body', 'X: y\n\nSubject: body\r\n\r\n'];
	const summaries = await Promise.all(heads.map(head => parser.summarize('ada', Buffer.from(head))));
	expect(summaries.map(({subject}) => subject)).toEqual(['', '', '', '']);
});

test('an endless header section is read up to 1 MiB', async () => {
	const head = Buffer.from(`Subject: here\r\nX-Flood: ${'x'.repeat(1_100_000)}\r\nMessage-ID: <too-far@example.test>`);
	expect(await parser.summarize('ada', head)).toMatchObject({subject: 'here', messageId: ''});
});

test('the first addresses of a very long address field are kept', async () => {
	const addressList = Array.from({length: 5000}, (_, index) => `N <a${index}@x.test>`);
	const read = async (head: string) => parser.summarize('ada', Buffer.from(`${head}\r\n\r\n`));
	const cut = await read(`To: ${addressList.join()}\r\nCc: ${addressList.slice(0, 1000).join()}`);
	expect(cut.to).toHaveLength(1000);
	expect(cut.to[999]).toEqual(['a999@x.test', 'N']);
	expect(cut.isCut).toBe(true);
	const whole = await read(`To: ${addressList.slice(0, 1000).join()}`);
	expect(whole.to).toHaveLength(1000);
	expect(whole.isCut).toBeUndefined();
	const long = await read(
		`To: ${Array(10)
			.fill(`${'N'.repeat(10_000)} <a@x.test>`)
			.join()}`,
	);
	expect(long.to).toEqual(Array(3).fill(['a@x.test', 'N'.repeat(10_000)]));
	expect(long.isCut).toBe(true);
});

test('an overlong field is truncated after its last whole character', async () => {
	const read = async (head: string) => parser.summarize('ada', Buffer.from(`${head}\r\n\r\n`));
	const [subject, id] = ['x'.repeat(2047), 'x'.repeat(999)];
	expect(await read(`Subject: ${subject}${'😀'.repeat(200_000)}`)).toMatchObject({subject, isCut: true});
	expect(await read(`Message-ID: <${id}${'😀'.repeat(1000)}>`)).toMatchObject({messageId: id, isCut: true});
	const whole = await read(`Subject: ${subject}x\r\nMessage-ID: <${id}x>`);
	expect(whole).toMatchObject({subject: `${subject}x`, messageId: `${id}x`});
	expect(whole.isCut).toBeUndefined();
	expect(await read(`From: ${subject} <ann@x.test>`)).toMatchObject({from: '', isCut: true});
});

test('the size of a summary is limited for any header section', async () => {
	const lists = fc.array(
		fc.tuple(fc.constantFrom('To', 'Cc', 'Reply-To', 'From'), fc.nat({max: 500}), fc.nat({max: 300})),
	);
	await fc.assert(
		fc.asyncProperty(lists, async fields => {
			const lines = fields.map(
				([name, count, length]) => `${name}: ${`${'n'.repeat(length)} <a@x.test>,`.repeat(count)}\r\n`,
			);
			const summary = await parser.summarize(
				'ada',
				Buffer.from(`${lines.join('')}Subject: ${'s'.repeat(9000)}\r\n\r\n`),
			);
			expect(weightOf({summary, envelope: {from: '', to: []}, session: null})).toBeLessThan(80);
		}),
		{numRuns: 10},
	);
});

test('summarizing a header section leaves its buffer usable', async () => {
	const mail = `Subject: ${'mine '.repeat(10_000)}\r\n\r\n`;
	const head = Buffer.from(mail);
	await parser.summarize('ada', head);
	expect(head.toString()).toBe(mail);
});

function mailboxesOf(fields: AddressObject | AddressObject[] | undefined): Mailbox[] {
	return [fields ?? []]
		.flat()
		.flatMap(({value}) => value)
		.flatMap(({address, name, group}) => [{address, name}, ...(group ?? [])])
		.flatMap(({address, name}): Mailbox[] => (address ? [name.trim() === '' ? address : [address, name.trim()]] : []));
}

function authorOf(fields: AddressObject | undefined): Pick<Summary, 'from' | 'fromName'> {
	const {address, name} = readMailbox(mailboxesOf(fields)[0] ?? '');
	return {from: address, ...(name !== null && {fromName: name})};
}
