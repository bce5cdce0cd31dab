import fc from 'fast-check';
import {afterAll, beforeAll, expect, onTestFinished, test, vi} from 'vitest';
import type {FullMessageBody, MessageBody, MessageSummaryBody, MissBody} from '../../../src/contract/messages.js';
import type {ContentFilter} from '../../../src/domain/mail/filter.js';
import {mail, openTinbox, type Person, plainTextSession, Tinbox} from '../../helpers/tinbox.js';
import {LoopWatch} from '../../slow/proof/loop-watch.js';

let shared: Tinbox;
beforeAll(async () => {
	shared = await Tinbox.open();
});
afterAll(async () => shared.close());

let people = 0;

/** Opens an inbox of a new user for all mail to its own domain. */
async function openInbox(tinbox: Tinbox) {
	const number = people++;
	const {user, key}: Person = await tinbox.user(`person-${number}`);
	const domain = `d${number}.test`;
	const options = {name: null, teamId: null, address: `*@${domain}`, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(user, options);
	const path = `/inboxes/${inbox.id}`;
	const get = async <Body>(target: string): Promise<Body> => {
		const response = await tinbox.request('GET', path + target, {key});
		expect(response.status).toBe(200);
		return (await response.json()) as Body;
	};
	const getSummaries = async (target: string) =>
		(await (await tinbox.request('GET', target, {key})).json()) as readonly MessageSummaryBody[];
	const list = (query: Query = {}) => get<readonly MessageBody[]>(`/messages?${search(query)}`);
	const receive = async (source: string, local = 'jo', session = plainTextSession) =>
		tinbox.deliver(`${local}@${domain}`, source, undefined, session);
	return {
		id: inbox.id,
		key,
		path,
		get,
		getSummaries,
		list,
		receive,
		subjects: async (query: Query = {}) => (await list(query)).map(({subject}) => subject),
		misses: async (query: Query) => (await get<{misses: readonly MissBody[]}>(`/misses?${search(query)}`)).misses,
	};
}

function summaryOf(message: MessageSummaryBody): MessageSummaryBody {
	const {id, inbox_id, from, from_name, to, subject, size, received_at} = message;
	return {id, inbox_id, from, from_name, to, subject, size, received_at};
}

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

function search(query: Query): URLSearchParams {
	const params = new URLSearchParams();
	for (const [name, values = []] of Object.entries(query)) {
		for (const value of [values].flat()) {
			params.append(name, String(value));
		}
	}

	return params;
}

const words = ['code', 'CODE', 'reset', '/x/', 'x', 'a.c', 'abc', 'é'];
type Value<Arbitrary> = Arbitrary extends fc.Arbitrary<infer T> ? T : never;
type TestMail = Value<typeof anyMail>;
type TestQuery = Value<typeof anyQuery>;

const word = fc.constantFrom(...words);
const phrase = fc.array(word, {maxLength: 3}).map(parts => parts.join(' '));
const text = fc.oneof(word, phrase.filter(Boolean), fc.constantFrom('/c.d/i', '/^x$/', '/a.c|é/', '/./'));
const anyMail = fc.record({
	subject: phrase,
	from: word,
	to: fc.constantFrom('jo', 'al'),
	body: phrase,
	html: phrase,
	codeOrLink: fc.constantFrom('', 'Your code is 482913.', 'https://a.test/abc', 'https://a.test/x/ Code: 112233'),
	tag: word,
	tls: fc.constantFrom(null, {version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', servername: null}),
	auth: fc.constantFrom(null, {mechanism: 'PLAIN', user: 'jo'}, {mechanism: 'LOGIN', user: 'al'}),
});
const anyQuery = fc.record(
	{
		q: phrase,
		subject: text,
		from: text,
		to: fc.constantFrom('jo', 'al', '/^jo/'),
		tls: fc.constantFrom('true', 'false'),
		smtp_user: fc.constantFrom('jo', 'al', 'a'),
		contains: text,
		header: fc.array(
			text.map(value => `x-TAG: ${value}`),
			{minLength: 1, maxLength: 2},
		),
		has: fc.uniqueArray(fc.constantFrom('code', 'link'), {minLength: 1}),
		link: fc.array(fc.oneof(text, fc.constant('/A.TEST/i')), {minLength: 1, maxLength: 2}),
		match: fc.constantFrom('text', 'pattern', 'exact'),
		after: fc.nat(),
		since: fc.nat(),
	},
	{requiredKeys: []},
);

function fits(value: string, wanted: string | undefined, match = 'text'): boolean {
	const [, source, flags] = match === 'text' ? [] : (/^\/(.+)\/(i?)$/.exec(wanted ?? '') ?? []);
	if (wanted === undefined) {
		return true;
	}

	if (source !== undefined) {
		return new RegExp(match === 'exact' ? `^(?:${source})$` : source, flags).test(value);
	}

	return match === 'exact'
		? value.toLowerCase() === wanted.toLowerCase()
		: value.toLowerCase().includes(wanted.toLowerCase());
}

test('filtered pages contain exactly the messages that match, and no match is a near miss', async () => {
	const check = async (testMails: readonly TestMail[], queries: readonly TestQuery[], limit: number) => {
		const inbox = await openInbox(shared);
		for (const {subject, from, to, body, html, codeOrLink, tag, tls, auth} of testMails) {
			const encoded = (value: string) => `=?utf-8?B?${Buffer.from(value).toString('base64')}?=`;
			const head = `From: ${encoded(from)} <${from === 'code' ? 'code' : 'x'}@a.test>\r\nSubject: ${encoded(subject)}\r\nX-Tag: ${encoded(tag)}\r\nX-Tag: 2`;
			const part = (type: string, value: string) =>
				`--b\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${value}\r\n`;
			await inbox.receive(
				`${head}\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n${part('plain', `${body}\r\n\r\n${codeOrLink}`)}${part('html', html)}--b--\r\n`,
				to,
				{...plainTextSession, tls, auth},
			);
		}

		const all: FullMessageBody[] = [];
		for (const {id} of await inbox.list({limit: 100})) {
			all.push(await inbox.get(`/messages/${id}`));
		}

		for (const {after, since, ...texts} of queries) {
			const {q, subject, from, to, tls, smtp_user: user, contains, header = [], has = [], link = [], match} = texts;
			const inside = match === 'exact' ? 'pattern' : match;
			const last = after === undefined || all.length === 0 ? undefined : all[after % all.length];
			const first = last || since === undefined || all.length === 0 ? undefined : all[since % all.length];
			const expected = all
				.slice(0, last ? all.indexOf(last) : all.length)
				.filter(row => first === undefined || row.received_at >= first.received_at)
				.filter(row => fits(row.subject, q) && fits(row.subject, subject, match))
				.filter(row => fits(row.to, to, match))
				.filter(({session}) => tls === undefined || String(session?.tls !== null) === tls)
				.filter(({session}) => user === undefined || session?.auth?.user === user)
				.filter(row => [row.from, row.from_name ?? row.from].some(value => fits(value, from, match)))
				.filter(row => [row.text, row.html].some(value => fits(value, contains, inside)))
				.filter(row => has.every(finding => row[`${finding}s`].length > 0))
				.filter(({links}) =>
					link.every(wanted => links.some(({url, text}) => fits(url, wanted, inside) || fits(text, wanted, inside))),
				)
				.filter(row =>
					header.every(field =>
						row.headers.some(({name, value}) => name === 'X-Tag' && fits(value, field.slice('x-TAG: '.length), match)),
					),
				);
			const foundIds: string[] = [];
			for (let page = 1; page <= Math.ceil(all.length / limit) + 1; page++) {
				foundIds.push(
					...(await inbox.list({...texts, after: last?.id ?? first?.received_at, page, limit})).map(({id}) => id),
				);
			}

			expect(foundIds).toEqual(expected.map(({id}) => id));
			const pagedSummaries: MessageSummaryBody[] = [];
			const summaries = {...texts, after: last?.id ?? first?.received_at, limit, fields: 'summary'};
			for (let page = 0; page <= Math.ceil(all.length / limit); page++) {
				const target = page % 2 === 0 ? inbox.path : '';
				pagedSummaries.push(
					...(await inbox.getSummaries(
						`${target}/messages?${search({...summaries, before: pagedSummaries.at(-1)?.id})}`,
					)),
				);
			}

			expect(pagedSummaries).toEqual(expected.map(summaryOf));
			const misses = await inbox.misses({...texts, after: last?.id ?? first?.received_at, limit: 100});
			expect(misses.filter(({message}) => foundIds.includes(message.id))).toEqual([]);
			expect(misses.every(({reasons}) => reasons.length > 0)).toBe(true);
		}
	};
	await fc.assert(
		fc.asyncProperty(
			fc.array(anyMail, {maxLength: 12}),
			fc.array(anyQuery, {minLength: 5, maxLength: 15}),
			fc.integer({min: 1, max: 5}),
			check,
		),
		{numRuns: 25},
	);
}, 60_000);

test.each([
	{
		query: 'after=2026-01-32',
		field: 'after',
		message: expect.stringContaining('a time such as 2026-01-31T12:00Z, or a date'),
	},
	{query: 'tls=yes', field: 'tls', message: 'must be "true" or "false"'},
	{query: 'has=text', field: 'has', message: 'must be "code" or "link"'},
	{query: 'match=pattern&link=', field: 'link', message: 'must have 1 to 1000 characters, got 0'},
	{
		query: 'match=pattern&link=a&link=/(/',
		field: 'link',
		message: expect.stringContaining('not a valid regular expression'),
	},
	{query: 'link=1'.concat('&link=1'.repeat(10)), field: 'link', message: 'must be given at most 10 times'},
	{query: 'header=X-Tag', field: 'header', message: 'must be written as "Name: value"'},
	{query: 'header=X:1&header=:2', field: 'header', message: 'must be written as "Name: value"'},
	{query: 'header=X:1'.concat('&header=X:1'.repeat(10)), field: 'header', message: 'must be given at most 10 times'},
	{query: 'match=regex', field: 'match', message: 'must be "text" or "pattern" or "exact"'},
	{query: 'match=exact&subject=', field: 'subject', message: 'must have 1 to 1000 characters, got 0'},
	{
		query: 'match=pattern&from=/a/g',
		field: 'from',
		message: 'has the unknown flag "g". Supported flags: i, m, s, u',
	},
])('the list and the misses reject ?$query', async ({query, field, message}) => {
	const {key, path} = await openInbox(shared);
	for (const target of [`${path}/messages?${query}`, `${path}/misses?${query}`]) {
		const response = await shared.request('GET', target, {key});
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({code: 'invalid_input', errors: [{field, message}]});
	}
});

test.each(['subject', 'from', 'to', 'contains', 'header', 'link'])(
	'an oversized regular expression is rejected with the name of its field: %s',
	async field => {
		const inbox = await openInbox(shared);
		await inbox.receive(mail('Hi'));
		const [row] = await inbox.list();
		const pattern = `/${'(?:q{0,900}){1}'.repeat(4)}/`;
		const targets =
			field === 'link'
				? [`/messages/${row?.id}?${search({link: pattern})}`]
				: ['messages', 'misses'].map(
						path => `/${path}?${search({match: 'pattern', [field]: field === 'header' ? `X: ${pattern}` : pattern})}`,
					);
		for (const target of targets) {
			const response = await shared.request('GET', inbox.path + target, {key: inbox.key});
			const message = expect.stringContaining('is too large a regular expression');
			expect(await response.json()).toMatchObject({status: 400, errors: [{field, message}]});
		}
	},
);

test('a very large regular expression is rejected without blocking the event loop', async () => {
	const inbox = await openInbox(shared);
	const pattern = `/${'(?:q{0,900}){1}'.repeat(60)}/`;
	const texts = {subject: pattern, from: pattern, to: pattern, contains: pattern};
	const loopWatch = new LoopWatch();
	onTestFinished(() => loopWatch.stop());
	const target = `${inbox.path}/messages?${search({...texts, match: 'pattern'})}`;
	const response = await shared.request('GET', target, {key: inbox.key});
	expect(await response.json()).toMatchObject({status: 400, errors: [{field: 'subject'}]});
	expect(loopWatch.take().longestMs).toBeLessThan(250);
});

test('long search texts and subjects do not block the event loop', async () => {
	const inbox = await openInbox(shared);
	for (let count = 0; count < 40; count++) {
		await inbox.receive(mail('q'.repeat(200_000)));
	}

	const loopWatch = new LoopWatch();
	onTestFinished(() => loopWatch.stop());
	const needle = `qx${'q'.repeat(998)}`;
	const unmatched = Array.from({length: 4}, async () => inbox.list({q: needle}));
	expect((await Promise.all([...unmatched, inbox.list({subject: '/qxq{900}$/', match: 'pattern'})])).flat()).toEqual(
		[],
	);
	expect(loopWatch.take().longestMs).toBeLessThan(250);
	const response = await shared.request('GET', `${inbox.path}/messages?q=${needle}q`, {key: inbox.key});
	expect(await response.json()).toMatchObject({status: 400, errors: [{field: 'q'}]});
});

test('slow searches of one user do not delay reads of another user', async () => {
	const [ann, bob] = [await openInbox(shared), await openInbox(shared)];
	await bob.receive(mail('Short', 'one\r\ntwo\r\nthree'));
	const finished: string[] = [];
	for (let count = 0; count < 3; count++) {
		await ann.receive(mail('Long', `${count}${'a'.repeat(300_000)}?`));
	}

	const searches = Array.from({length: 10}, async () => {
		await ann.list({contains: '/(a{0,30}){0,30}!$/', match: 'pattern'});
		finished.push('search');
	});
	const [row] = await bob.list();
	expect(await bob.get(`/messages/${row?.id}`)).toMatchObject({subject: 'Short'});
	finished.push('read');
	await Promise.all(searches);
	expect(finished.indexOf('read')).toBeLessThan(3);
});

test('a regular expression searches all of a large inbox and new mail', async () => {
	const {receive, poll, waiting, subjects} = await openCounted();
	await receive(mail('The 1st'));
	for (let count = 0; count < 5; count++) {
		await receive(mail('x'.repeat(100_000)));
	}

	expect(await subjects({subject: '/^The \\d/', match: 'pattern'})).toEqual(['The 1st']);
	const answer = poll({subject: '/^The [2-9]/', match: 'pattern'});
	await waiting(1);
	await receive(mail('The 1st again'));
	await receive(mail('The 2nd'));
	expect((await answer).map(({subject}) => subject)).toEqual(['The 2nd']);
});

test('a single read returns only the links that match the parameter', async () => {
	const inbox = await openInbox(shared);
	await inbox.receive(mail('Links', 'https://example.com/verify https://example.com/reset?t=1'));
	const [row] = await inbox.list();
	const target = (link: string) => `/messages/${row?.id}?${search({link})}`;
	const linksLike = async (link: string) => (await inbox.get<FullMessageBody>(target(link))).links.map(({url}) => url);
	expect(await linksLike('/reset.*\\d$/')).toEqual(['https://example.com/reset?t=1']);
	expect(await linksLike('EXAMPLE')).toHaveLength(2);
	expect(await linksLike('absent')).toEqual([]);
	const refused = await shared.request('GET', inbox.path + target('/(/'), {key: inbox.key});
	expect(await refused.json()).toMatchObject({status: 400, errors: [{field: 'link'}]});
});

test('a value between slashes is plain text unless patterns are requested', async () => {
	const inbox = await openInbox(shared);
	await inbox.receive(mail('Mail from /x/', 'Hi', '</x/@a.test>'));
	await inbox.receive(mail('Plain x', 'Hi', '<x@a.test>'));
	expect(await inbox.subjects({from: '/x/'})).toEqual(['Mail from /x/']);
	expect(await inbox.subjects({q: '/x/'})).toEqual(['Mail from /x/']);
	expect(await inbox.subjects({subject: '/x/'})).toEqual(['Mail from /x/']);
	expect(await inbox.subjects({from: '/x/', q: '/x/', match: 'pattern'})).toEqual(['Mail from /x/']);
	expect(await inbox.subjects({from: '/x/', match: 'pattern'})).toHaveLength(2);
});

test('"after" accepts a time with any offset, and a date', async () => {
	const inbox = await openInbox(shared);
	await inbox.receive(mail('Hi'));
	const [row] = await inbox.list();
	const received = Date.parse(row?.received_at ?? '');
	expect(await inbox.subjects({after: new Date(received).toISOString()})).toEqual(['Hi']);
	expect(await inbox.subjects({after: new Date(received + 1).toISOString()})).toEqual([]);
	const elsewhere = new Date(received + 3_600_000).toISOString().replace('Z', '+01:00');
	expect(await inbox.subjects({after: elsewhere})).toEqual(['Hi']);
	expect(await inbox.subjects({after: `${new Date(received).toISOString().slice(0, 16)}Z`}), 'minutes').toEqual(['Hi']);
	const day = (days: number) => new Date(received + days * 86_400_000).toISOString().slice(0, 10);
	expect(await inbox.subjects({after: day(0)})).toEqual(['Hi']);
	expect(await inbox.subjects({after: day(1)})).toEqual([]);
});

test.each(['/^(a+)+$/', '/(a|aa)+$/', '/(.*a){20}!/', '/((a{0,30}){0,30}){1}!$/', '/(x+x+)+y/'])(
	'a regular expression that backtracks exponentially elsewhere gets a response: %s',
	async pattern => {
		const inbox = await openInbox(shared);
		await inbox.receive(mail(`${'a'.repeat(2000)}?`, `${'a'.repeat(200_000)}?`));
		const filters = {match: 'pattern', limit: 1};
		expect(await inbox.list({...filters, subject: pattern})).toEqual([]);
		expect(await inbox.list({...filters, contains: pattern})).toEqual([]);
		expect(await inbox.misses({...filters, contains: pattern, match: 'pattern'})).toHaveLength(1);
	},
);

test('near misses are listed with the reasons', async () => {
	const inbox = await openInbox(shared);
	await inbox.receive(mail('Welcome', 'Hello'));
	await inbox.receive(mail('Your code', 'Code 1234'), 'al');
	expect(await inbox.misses({subject: 'code', to: 'jo@', contains: 'Code'})).toEqual([
		{
			message: expect.objectContaining({subject: 'Your code', from: 'ann@example.com', inbox_id: inbox.id}),
			reasons: [expect.stringMatching(/^The recipient is "al@.*", not containing "jo@"\.$/)],
		},
		{
			message: expect.not.objectContaining({text: expect.anything()}),
			reasons: ['The subject is "Welcome", not containing "code".', 'The text is "Hello\\n", not containing "Code".'],
		},
	]);
	const stranger = await shared.user(`stranger-${people++}`);
	expect((await shared.request('GET', `${inbox.path}/misses`, {key: stranger.key})).status).toBe(404);
	expect((await shared.request('GET', `${inbox.path}/misses?wait=1`, {key: inbox.key})).status).toBe(400);
});

async function until(check: () => void): Promise<void> {
	await vi.waitFor(check);
}

/** Opens a tinbox that counts searches and pauses them between `close` and `open`. */
async function openCounted() {
	const searched: ContentFilter[] = [];
	let open = () => {};
	let gate = Promise.resolve();
	const tinbox = await openTinbox({
		wrapParser: parser => ({
			...parser,
			explain: async (owner, content, filter) => {
				searched.push(filter);
				await gate;
				return parser.explain(owner, content, filter);
			},
		}),
	});
	const inbox = await openInbox(tinbox);
	const poll = async (query: Query, signal?: AbortSignal) => {
		const target = `${tinbox.url}${inbox.path}/messages?${search({wait: 60, ...query})}`;
		const response = await fetch(target, {headers: {'X-API-Key': inbox.key}, ...(signal && {signal})});
		return (await response.json()) as readonly MessageBody[];
	};
	return {
		...inbox,
		tinbox,
		searched,
		poll,
		waiting: async (count: number) => until(() => expect(tinbox.services.feed.waiting(inbox.id)).toBe(count)),
		close: () => {
			gate = new Promise(resolve => {
				open = resolve;
			});
			onTestFinished(() => open());
		},
		open: () => open(),
	};
}

test('a wait with a content filter parses each mail once and misses none', async () => {
	const {receive, poll, waiting, searched} = await openCounted();
	await receive(mail('1', 'old'));
	await receive(mail('2', 'old'));
	const answer = poll({contains: 'needle'});
	await waiting(1);
	await until(() => expect(searched).toHaveLength(2));
	await receive(mail('3', 'hay'));
	await until(() => expect(searched).toHaveLength(3));
	await receive(mail('4', 'a Needle'));
	expect((await answer).map(({subject}) => subject)).toEqual(['4']);
	expect(searched).toHaveLength(4);
	await waiting(0);
});

test('a wait finds mail that arrives during its search', async () => {
	const {receive, poll, searched, close, open} = await openCounted();
	await receive(mail('Hay', 'hay'));
	close();
	const answer = poll({header: 'subject: needle'});
	await until(() => expect(searched).toHaveLength(1));
	await receive(mail('Needle'));
	open();
	expect((await answer).map(({subject}) => subject)).toEqual(['Needle']);
});

test('concurrent waits with content filters each find their mail', async () => {
	const {receive, poll, waiting} = await openCounted();
	const numbers = Array.from({length: 40}, (_, index) => index);
	const responses = numbers.map(number => poll({contains: `number ${number}!`}));
	await waiting(40);
	await Promise.all(numbers.map(number => receive(mail(`${number}`, `It has number ${number}!`))));
	for (const [number, answer] of responses.entries()) {
		expect((await answer).map(({subject}) => subject)).toEqual([`${number}`]);
	}
});

test('an active search does not block other requests', async () => {
	const {receive, get, list, searched, close, open} = await openCounted();
	await receive(mail('Hay', 'needle'));
	close();
	const results = list({contains: 'needle'});
	await until(() => expect(searched).toHaveLength(1));
	const [row] = await list();
	expect(await get(`/messages/${row?.id}`)).toMatchObject({subject: 'Hay'});
	open();
	expect(await results).toHaveLength(1);
});

test('a search ends when its client disconnects', async () => {
	const {receive, poll, waiting, searched, close, open, list} = await openCounted();
	for (const subject of ['1', '2', '3']) {
		await receive(mail(subject));
	}

	close();
	const controller = new AbortController();
	const answer = poll({contains: 'needle'}, controller.signal);
	await until(() => expect(searched).toHaveLength(1));
	controller.abort();
	await expect(answer).rejects.toThrow();
	await waiting(0);
	open();
	expect(await list({contains: 'absent'})).toEqual([]);
	expect(searched).toHaveLength(1 + 3);
});
