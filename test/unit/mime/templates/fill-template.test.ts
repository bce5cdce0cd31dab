import {describe, expect, onTestFinished, test} from 'vitest';
import type {SendProvider} from '../../../../src/contract/constants.js';
import {createParser} from '../../../../src/mime/parser.js';
import {fillTemplate, partProblem, type TemplateMail} from '../../../../src/mime/templates/fill-template.js';

async function fill(
	provider: SendProvider,
	html: string,
	data: Readonly<Record<string, unknown>> = {},
): Promise<string> {
	const filled = await fillTemplate({provider, texts: {html}, data});
	return 'problem' in filled ? `problem: ${filled.problem}` : (filled.texts.html ?? '');
}

const person = {name: 'Ann <b>', user: {profile: {first: 'Ann'}}, empty: '', items: [{n: 1}, {n: 2}], none: []};

describe('a SendGrid template', () => {
	test.each([
		['Hello {{ name }}', 'Hello Ann &lt;b&gt;'],
		['{{{name}}}', 'Ann <b>'],
		['{{user.profile.first}}', 'Ann'],
		['[{{user.order.first}}{{missing}}]', '[]'],
		['{{#if user.profile.male}}Sir{{else if user.profile.first}}Ann{{else}}You{{/if}}', 'Ann'],
		['{{#unless empty}}none{{/unless}}', 'none'],
		['{{#each items}}{{@index}}:{{this.n}}/{{@root.user.profile.first}} {{/each}}', '0:1/Ann 1:2/Ann '],
		['{{#each none}}x{{else}}nothing{{/each}}', 'nothing'],
		['{{#with user.profile}}{{first}}{{/with}}', 'Ann'],
		['{{#greaterThan 100 78}}yes{{/greaterThan}}{{#lessThan 100 78}}yes{{else}}no{{/lessThan}}', 'yesno'],
		['{{#greaterThan (length items) 1}}many{{/greaterThan}}{{length name}}{{length user}}', 'many70'],
		['{{#equals 3 "3"}}same{{/equals}}{{#notEquals user.profile.first "Bob"}}other{{/notEquals}}', 'sameother'],
		['{{#and name empty}}both{{else}}not both{{/and}}{{#or name empty}}one{{/or}}', 'not bothone'],
		['{{#if (and name items)}}both{{/if}}', 'both'],
		[
			'{{insert missing "default=Customer"}} {{insert missing "you"}} {{insert user.profile.first "x"}}',
			'Customer you Ann',
		],
		['{{{formatDate "2020-01-01T23:00:00.000Z" "MMMM DD, YYYY h:mm:ss A"}}}', 'January 01, 2020 11:00:00 PM'],
		[
			'{{{formatDate "2020-01-01T23:00:00.000Z" "MMMM DD, YYYY h:mm:ss A ZZ" "-0800"}}}',
			'January 01, 2020 3:00:00 PM -0800',
		],
		['{{{formatDate 1577919600 "dddd ddd D.M.YY HH:mm:ss Z"}}}', 'Wednesday Wed 1.1.20 23:00:00 +00:00'],
		['{{formatDate name "YYYY"}}', 'Ann &lt;b&gt;'],
		['{{! nobody sees this }}a', 'a'],
	])('%s', async (template, text) => {
		expect(await fill('sendgrid', template, person)).toBe(text);
	});

	test('is filled per part, and missing parts remain missing', async () => {
		const texts = {subject: 'Hi {{a}}', text: '{{a}}!'};
		expect(await fillTemplate({provider: 'sendgrid', texts, data: {a: 'b'}})).toEqual({
			texts: {subject: 'Hi b', text: 'b!'},
		});
	});
});

describe('a Mailgun template', () => {
	test.each([
		['{{title}}{{missing}}', 'T'],
		['{{#equal title "T"}}same{{else}}other{{/equal}}', 'same'],
		[
			'{{#ifGt count 2}}more{{/ifGt}}{{#ifLt count 2}}less{{else}}not less{{/ifLt}}{{#ifEq count "3"}}3{{/ifEq}}',
			'morenot less3',
		],
		['{{pluralize count "apples" "apple"}}', 'apples'],
	])('%s', async (template, text) => {
		expect(await fill('mailgun', template, {title: 'T', count: 3})).toBe(text);
	});
});

describe('an SES template', () => {
	const data = {
		name: 'Ann <b>',
		contact: {first: 'Ann'},
		list: [{interest: 'Sports'}, {interest: 'Travel'}],
		state: 'WA',
	};

	test.each([
		['Hello {{name}}', 'Hello Ann <b>'],
		['{{contact.first}}', 'Ann'],
		['{{#each list}}<li>{{interest}}</li>{{/each}}', '<li>Sports</li><li>Travel</li>'],
		['{{#if contact.middle}}yes{{else}}no{{/if}}', 'no'],
		['{{#* inline "fullName"}}{{first}} {{last}}{{/inline}}{{#each people}}{{> fullName}};{{/each}}', 'A B;'],
	])('%s', async (template, text) => {
		expect(await fill('ses', template, {...data, people: [{first: 'A', last: 'B'}]})).toBe(text);
	});

	test.each([
		['{{favouriteAnimal}}', 'favouriteAnimal'],
		['{{contact.last}}', 'last'],
		['{{address.city}}', 'city'],
	])('with a missing value in %s is a rendering failure', async (template, name) => {
		expect(await fill('ses', template, data)).toBe(
			`problem: Attribute '${name}' is not present in the rendering data.`,
		);
	});
});

describe('a Postmark template', () => {
	const model = {
		company: {name: 'A & B', address: {city: 'C'}},
		employees: [{name: 'Wile'}, {name: 'Road'}],
		names: ['a', 'b'],
		yes: true,
		zero: 0,
		nothing: null,
	};

	test.each([
		['{{company.name}} {{{company.name}}} {{& company.name }}', 'A &amp; B A & B A & B'],
		['{{#company}}{{name}} {{#address}}{{city}} {{../name}}{{/address}}{{/company}}', 'A &amp; B C A &amp; B'],
		[
			'{{#each employees}}<li>{{name}} {{../../company.name}}</li>{{/each}}',
			'<li>Wile A &amp; B</li><li>Road A &amp; B</li>',
		],
		['{{#each names}}{{.}},{{/each}}', 'a,b,'],
		['{{#yes}}on{{/yes}}{{^yes}}off{{/yes}}{{^zero}}none{{/zero}}{{#nothing}}x{{^nothing}}y{{/nothing}}', 'onnoney'],
		['{{missing}}[{{missing.too}}]{{#missing}}x{{/missing}}{{#each missing}}x{{/each}}', '[]'],
		['{{yes}} {{zero}} {{company}}{{employees}}', 'True 0 '],
		['{{! a comment }}{ {x} }', '{ {x} }'],
		['{{constructor}}{{company.toString}}', ''],
	])('%s', async (template, text) => {
		expect(await fill('postmark', template, model)).toBe(text);
	});

	test('escapes values only in the HTML part', async () => {
		const texts = {subject: '{{a}}', text: '{{a}}', html: '{{a}}'};
		const filled = await fillTemplate({provider: 'postmark', texts, data: {a: '<&>'}});
		expect(filled).toEqual({texts: {subject: '<&>', text: '<&>', html: '&lt;&amp;&gt;'}});
	});

	test('cannot iterate over a value that is not a list', async () => {
		expect(await fill('postmark', '{{#each company}}x{{/each}}', model)).toBe(
			'problem: "company" is used as a list, but is not a list.',
		);
	});
});

describe('a Resend template', () => {
	test.each([
		['<p>{{{PRODUCT}}} {{{ PRICE }}}</p>', '<p>A & B 25</p>'],
		['{a} }} {{{PRODUCT}}}{{{PRODUCT}}}', '{a} }} A & BA & B'],
		['{{{OTHER}}}', 'problem: The variable "OTHER" has no value and no fallback value.'],
		['{{{constructor}}}', 'problem: The variable "constructor" has no value and no fallback value.'],
	])('%s', async (template, text) => {
		expect(await fill('resend', template, {PRODUCT: 'A & B', PRICE: 25})).toBe(text);
	});
});

describe('an unsupported template is rejected with a problem', () => {
	test.each<[SendProvider, string, RegExp]>([
		['sendgrid', '{{#if a}}', /^It cannot be parsed: Parse error on line 1\.$/],
		['sendgrid', '\n{{#if a}}{{/each}}', /^It cannot be parsed: if doesn't match each/],
		['sendgrid', 'a\n{{capitalize name}}', /^It uses an unknown helper: capitalize \(line 2\)\.$/],
		['sendgrid', '{{log "x"}}', /^It uses an unknown helper: log/],
		['ses', '{{#equals 1 2}}{{/equals}}', /^It uses an unknown helper: equals/],
		['mailgun', '{{#ifMatchesRegexStr "a" b}}{{/ifMatchesRegexStr}}', /^It uses an unknown helper/],
		['tinbox', '{{insert a "b"}}', /^It uses an unknown helper/],
		['mailgun', 'a\n{{> footer}}', /^It (?:uses an unknown partial: footer \(line 2\)|cannot be parsed: .*)\.$/],
		['postmark', '{{#a}}\n\n{{#b}}', /^"b" is opened at line 3 and never closed\.$/],
		['postmark', '{{#a}}{{/b}}', /^The closing tag at line 1 does not match the last opening tag: \{\{\/b\}\}\.$/],
		['postmark', '{{#each a}}{{/a}}', /^The closing tag at line 1/],
		['postmark', '{{/a}}', /^The closing tag at line 1/],
		['postmark', '\n{{{ @content }}}', /^The tag at line 2 has an invalid name/],
		['postmark', '{{#if a}}{{/if}}', /^The tag at line 1 has an invalid name/],
		['resend', 'a\nb {{NAME}}', /^At line 2, "\{\{" does not begin a variable/],
		['resend', '{{#each a}}', /^At line 1/],
		['resend', '{{{NAME|there}}}', /^At line 1/],
	])('%s: %s', async (provider, html, problem) => {
		expect(await partProblem({provider, texts: {subject: 'Hi', html}})).toEqual({
			part: 'html',
			problem: expect.stringMatching(problem),
		});
		expect(await fill(provider, html)).toMatch(/^problem: /);
	});

	test('a supported template has no problem', async () => {
		expect(
			await partProblem({provider: 'sendgrid', texts: {subject: '{{a}}', html: '{{#each b}}{{c}}{{/each}}'}}),
		).toBeUndefined();
		const html = '{{> footer}}{{#*inline "footer"}}{{name}}{{/inline}}{{#> layout}}plain{{/layout}}';
		expect(await partProblem({provider: 'mailgun', texts: {html}})).toBeUndefined();
	});
});

describe('hostile templates and data', () => {
	test.each([
		'{{constructor.name}}{{__proto__}}{{lookup this "constructor"}}{{#with (lookup this "constructor")}}x{{/with}}',
		'{{#each this}}{{constructor}}{{/each}}{{toString}}{{#with toString}}{{constructor}}{{/with}}',
		'{{this.__proto__.x}}{{__defineGetter__}}{{valueOf}}',
	])('cannot access a prototype: %s', async template => {
		expect(await fill('sendgrid', template, {a: 'b'})).toBe('');
	});

	test.each<[SendProvider, string]>([
		['postmark', '{{#a}}'.repeat(60_000) + '{{/a}}'.repeat(60_000)],
		['sendgrid', '{{#* inline "x"}}{{> x}}{{/inline}}{{> x}}'],
		['ses', '{{> nobody}}'],
	])('for %s are rejected if they are too deep or endless', async (provider, template) => {
		const data: Record<string, unknown> = {};
		data['a'] = data;
		expect(await fill(provider, template, data)).toMatch(/^problem: /);
	});

	test.each<[SendProvider, string, object]>([
		[
			'sendgrid',
			'{{#each a}}{{#each @root.a}}{{#each @root.a}}{{@root.t}}{{/each}}{{/each}}{{/each}}',
			{t: 'x'.repeat(1000)},
		],
		[
			'sendgrid',
			'{{#each a}}{{t}}{{#each @root.a}}{{#each @root.a}}{{#each @root.a}}{{/each}}{{/each}}{{/each}}{{/each}}',
			{},
		],
		['postmark', '{{#each a}}{{#each ../../a}}{{#each ../../../../a}}x{{/each}}{{/each}}{{/each}}', {}],
		['postmark', '{{#each a}}{{../../t}}{{/each}}', {t: 'x'.repeat(100_000)}],
		['resend', '{{{T}}}'.repeat(50_000), {T: 'x'.repeat(1000)}],
		['sendgrid', '{{#a}}'.repeat(40_000) + '{{/a}}'.repeat(40_000), {}],
	])('for %s are aborted if the result is too large or takes too long: case %#', async (provider, html, more) => {
		const parser = createParser({templateDeadlineMs: 1000});
		onTestFinished(() => parser.stop());
		const data = {a: Array.from({length: 1000}, (_, index) => index), ...more};
		const filled = await parser.composeFromTemplate('somebody', mailOf(provider, html, data));
		expect(filled).toEqual({
			problem: expect.stringMatching(
				/^It(?:s result has more than| is nested too deeply| cannot be used: it (?:took|exceeds))/,
			),
		});
		const next = await parser.composeFromTemplate('somebody', mailOf('tinbox', '{{a}}', {a: 1}));
		expect(String('source' in next && next.source)).toContain('\r\n\r\n1\r\n');
	});

	test('may have data with the names of methods', async () => {
		const parser = createParser();
		onTestFinished(() => parser.stop());
		const data = JSON.parse('{"toString": 1, "hasOwnProperty": 2, "x": {"valueOf": 3}}');
		for (const provider of ['sendgrid', 'ses', 'postmark'] as const) {
			const filled = await parser.composeFromTemplate('somebody', mailOf(provider, '{{x}}{{toString}}', data));
			expect(Object.keys(filled)).toHaveLength(1);
		}
	});
});

function mailOf(provider: SendProvider, html: string, data: TemplateMail['data']): TemplateMail {
	const content = {
		from: {name: '', address: 'shop@acme.test'},
		to: [],
		cc: [],
		replyTo: [],
		subject: 'Hello',
		attachments: [],
		headers: [],
		messageId: '<1@acme.test>',
	};
	return {provider, texts: {html}, data, content, keepsSubject: true};
}

test.each(['postmark', 'sendgrid'] as const)(
	'a %s template whose data has a very long value is rejected, because escaping it could exceed the memory of the thread',
	async provider => {
		expect(await fill(provider, '{{name}}', {name: '<'.repeat(1024 * 1024)})).toContain('&lt;&lt;');
		const problem = 'problem: The data has a value of more than 1048576 characters.';
		expect(await fill(provider, '{{name}}', {list: [{name: '<'.repeat(1024 * 1024 + 1)}]})).toBe(problem);
	},
);

test('a postmark template that repeats nothing without end exceeds its time, not the memory of the process', {
	timeout: 20_000,
}, async () => {
	const parser = createParser();
	onTestFinished(async () => parser.stop());
	const html = '{{#each a}}{{#each ../../a}}{{#each ../../../../a}}{{/each}}{{/each}}{{/each}}';
	const mail = {provider: 'postmark', texts: {html}, data: {a: Array.from({length: 1000}, () => 1)}} as const;
	const content = {
		from: {name: '', address: 'a@b.test'},
		to: [],
		cc: [],
		replyTo: [],
		subject: '',
		attachments: [],
		headers: [],
		messageId: '<1@b.test>',
	};
	const composed = await parser.composeFromTemplate('ann', {
		...mail,
		content,
		keepsSubject: false,
	} as unknown as TemplateMail);
	expect(composed).toEqual({problem: expect.stringContaining('longer than 2 s')});
});
