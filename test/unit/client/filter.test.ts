import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type ClientQuery, wireQuery} from '../../../src/client/filter.js';
import {createClient} from '../../../src/client/suite.js';
import {parsePattern, substring} from '../../../src/domain/mail/pattern.js';
import {messageBody} from '../../helpers/bodies.js';
import {httpStub} from '../../helpers/http-stub.js';
import {mail, openTinbox} from '../../helpers/tinbox.js';

/** The query parameters that the client sends. */
const parametersOf = (query: ClientQuery) =>
	Object.fromEntries(
		Object.entries(wireQuery(query)).filter(([, value]) => value !== undefined && String(value) !== ''),
	);

describe('a client filter', () => {
	test.each<[string, ClientQuery, object]>([
		['with texts is sent unchanged', {subject: '/x/', q: 'y'}, {subject: '/x/', q: 'y'}],
		[
			'with a RegExp is sent as a pattern',
			{subject: /^Your code: \d+$/im},
			{subject: '/^Your code: \\d+$/im', match: 'pattern'},
		],
		['keeps escaped slashes', {contains: /https:\/\/x/s}, {contains: '/https:\\/\\/x/s', match: 'pattern'}],
		[
			'escapes texts next to a RegExp',
			{from: /x/, to: 'a.b', subject: '/x.y/'},
			{from: '/x/', to: 'a.b', subject: '/\\/x\\.y\\//i', match: 'pattern'},
		],
		[
			'keeps patterns next to a RegExp',
			{from: /x/, subject: '/y/', match: 'pattern'},
			{from: '/x/', subject: '/y/', match: 'pattern'},
		],
		['with a RegExp keeps match: exact', {from: /x/, match: 'exact'}, {from: '/x/', match: 'exact'}],
		[
			'accepts header fields by name',
			{header: {'X-Shop': /^\d+$/, 'X-App': 'a'}},
			{header: ['X-Shop: /^\\d+$/', 'X-App: a'], match: 'pattern'},
		],
		[
			'accepts header fields as lines',
			{header: ['X-App: /a/', 'X-B:'], from: /x/},
			{header: ['X-App: /\\/a\\//i', 'X-B:'], from: '/x/', match: 'pattern'},
		],
		['accepts several links', {link: [/reset\/\d/, '/x/']}, {link: ['/reset\\/\\d/', '/\\/x\\//i'], match: 'pattern'}],
		['accepts one header field', {header: 'Subject: Hi'}, {header: ['Subject: Hi']}],
		['accepts a Date', {after: new Date(0)}, {after: '1970-01-01T00:00:00.000Z'}],
		['accepts session conditions', {tls: false, smtp_user: '/a/'}, {tls: false, smtp_user: '/a/'}],
		['accepts one link as a text', {link: '/x/'}, {link: ['/x/']}],
		['accepts one link as a RegExp', {link: /x/}, {link: ['/x/'], match: 'pattern'}],
		[
			'keeps the other parameters',
			{subject: /x/, after: 'm1', limit: 2, wait: 3},
			{subject: '/x/', match: 'pattern', after: 'm1', limit: 2, wait: 3},
		],
	])('%s', (_, query, expected) => {
		expect(parametersOf(query)).toEqual(expected);
	});

	test('matches a text next to a RegExp like the text alone', () => {
		const text = fc.string({
			minLength: 1,
			unit: fc.constantFrom('/', 'a', 'B', '.', '\\', '(', '[', '*', '+', 'i', ' '),
		});
		fc.assert(
			fc.property(text, text, (searched, value) => {
				const {subject = ''} = wireQuery({subject: searched, from: /x/});
				for (const candidate of [value, `${value}${searched.toUpperCase()}`]) {
					expect(parsePattern(subject).test(candidate)).toBe(substring(searched).test(candidate));
				}
			}),
		);
	});

	test.each([
		[{subject: /x/g}, 'The flag "g" of /x/g is not supported. Supported: i, m, s and u.'],
		[{header: {'X-A': /x/y}}, 'The flag "y" of /x/y is not supported. Supported: i, m, s and u.'],
		[{q: /x/}, '"q" must be a string. For a regular expression, use "subject".'],
		[{q: null}, '"q" must be a string. For a regular expression, use "subject".'],
		[{smtp_user: /x/}, '"smtp_user" must be a string: the full user name.'],
		[{subject: null}, '"subject" must be a string or a RegExp.'],
		[{from: 4711}, '"from" must be a string or a RegExp.'],
		[{to: ['a']}, '"to" must be a string or a RegExp.'],
		[{contains: new Date(0)}, '"contains" must be a string or a RegExp.'],
		[{link: null}, '"link" must be a string or a RegExp.'],
		[{link: ['a', undefined]}, '"link" must be a string or a RegExp.'],
		[{header: {'X-A': undefined}}, '"header" must be a string or a RegExp.'],
		[
			{header: null},
			'"header" must be a string such as "Name: value", an array of strings, or an object of strings and RegExps by name.',
		],
		[
			{header: /x/},
			'"header" must be a string such as "Name: value", an array of strings, or an object of strings and RegExps by name.',
		],
		[
			{header: [/x/]},
			'"header" must be a string such as "Name: value", an array of strings, or an object of strings and RegExps by name.',
		],
		[{after: null}, '"after" must be a message id, an ISO 8601 time or a Date.'],
		[{after: new Date('x')}, '"after" must be a message id, an ISO 8601 time or a Date.'],
	])('rejects %o', (query, message) => {
		expect(() => wireQuery(query as object)).toThrow(new TypeError(message));
	});
});

test('the client finds messages by RegExp in every field and in links of an inbox named by its address', async () => {
	const tinbox = await openTinbox();
	const {key} = await tinbox.user('ann');
	const client = createClient({url: tinbox.url, apiKey: key});
	const {id, email_address} = await client.inboxes.create();
	await tinbox.deliver(email_address, mail('Your code: 4711', 'See https://x.test/reset/1 and https://x.test/help'));
	const message = await client.messages.wait(
		email_address.toUpperCase(),
		{
			subject: /code: \d{4}$/,
			from: /^ann@/,
			to: /@tinbox\.test/,
			contains: /RESET/i,
			header: {subject: /^Your/},
			link: [/reset/],
		},
		{timeoutMs: 5000},
	);
	expect(message.inbox_id).toBe(id);
	const {links} = await client.messages.get(email_address, 'latest', {link: /reset\/\d/});
	expect(links.map(({url}) => url)).toEqual(['https://x.test/reset/1']);
	expect((await client.messages.misses(email_address, {subject: /^code/}, {limit: 5})).misses).toMatchObject([
		{message: {id: message.id}},
	]);
	await expect(client.messages.wait(id, {subject: /(?=x)/})).rejects.toMatchObject({name: 'ApiError', status: 400});
	await expect(client.messages.wait(id, {subject: /^code/}, {timeoutMs: 1})).rejects.toThrow(
		`No message with subject "/^code/" arrived at ${email_address} within 1ms.`,
	);
});

describe('an invalid client option', () => {
	const stub = async () => createClient({url: (await httpStub(() => ({body: [messageBody()]}))).url});

	test('is rejected by name if it is unknown', async () => {
		const unknown = (name: string, known: string) => new TypeError(`Unknown option "${name}". Supported: ${known}.`);
		const {messages} = await stub();
		const options = {timeout: 5000} as object;
		await expect(messages.wait('in1', {}, options)).rejects.toThrow(unknown('timeout', 'timeoutMs, signal'));
		await expect(messages.collect('in1', {}, {count: 1, timeoutMs: 1, ...options})).rejects.toThrow(
			unknown('timeout', 'count, timeoutMs, signal'),
		);
		expect(() => createClient({apikey: 'x'} as object)).toThrow(unknown('apikey', 'url, apiKey, token, renewApiKey'));
	});

	test.each([5000, 'text', null, /x/])('is rejected if %o replaces the options or the filter', async invalid => {
		const {messages} = await stub();
		const options = new TypeError(`Options must be an object with timeoutMs, signal, got ${invalid}.`);
		await expect(messages.wait('in1', {}, invalid as object)).rejects.toThrow(options);
		const filter = new TypeError(`A filter must be an object such as {subject: 'Welcome'}, got ${invalid}.`);
		await expect(messages.wait('in1', invalid as object)).rejects.toThrow(filter);
		await expect(messages.misses('in1', invalid as object)).rejects.toThrow(filter);
	});

	test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, '5000', null])(
		'is rejected if timeoutMs is %o',
		async timeoutMs => {
			const {messages} = await stub();
			const error = new TypeError(`"timeoutMs" must be a number of at least 0, got ${timeoutMs}.`);
			await expect(messages.wait('in1', {}, {timeoutMs} as object)).rejects.toThrow(error);
			await expect(messages.collect('in1', {}, {count: 1, timeoutMs: timeoutMs as number})).rejects.toThrow(error);
		},
	);

	test('in a filter or a body is rejected by the daemon', async () => {
		const tinbox = await openTinbox();
		const {key} = await tinbox.user('ann');
		const client = createClient({url: tinbox.url, apiKey: key});
		const {id} = await client.inboxes.create();
		await expect(client.messages.wait(id, {colour: 'red'} as object)).rejects.toThrow('"colour" is unknown.');
		await expect(client.inboxes.create({tll: 5} as object)).rejects.toThrow('"tll" is unknown.');
	});
});
