import {beforeAll, describe, expect, test, vi} from 'vitest';
import type {z} from 'zod';
import type {SentMail} from '../../../src/domain/mail/sending.js';
import type {Provider, SendRequest, SendRoute} from '../../../src/send/provider.js';
import {injections, wrongHeaderLines} from '../../helpers/header-lines.js';

type Fields = Readonly<Record<string, unknown>>;

/** Place of a text in a body: a path of names and indexes. `isName`: the text is the name of a field there. */
type Place = {readonly path: ReadonlyArray<string | number>; readonly isName?: true};

/** Route of a provider, with valid bodies and the way to write them. */
type Form = {
	readonly bodies: readonly unknown[];
	readonly write: (body: unknown) => Pick<SendRequest, 'headers' | 'body'>;
	/** Places of the schema that `validate` saw are below this path. */
	readonly below?: Place['path'];
};

const jsonType = {'content-type': 'application/json'};
const json = (body: unknown) => ({headers: jsonType, body: Buffer.from(JSON.stringify(body))});
const query = (action: string) => (body: unknown) => ({
	headers: {'content-type': 'application/x-www-form-urlencoded'},
	body: Buffer.from(String(new URLSearchParams([['Action', action], ['Version', '2010-12-01'], ...flatten(body)]))),
});

/** Names and values of the query protocol: `Destination.ToAddresses.member.1`. */
function flatten(value: unknown, name = ''): ReadonlyArray<[string, string]> {
	if (typeof value !== 'object' || value === null) {
		return [[name, String(value)]];
	}

	const steps = Array.isArray(value)
		? value.map((item, index) => [`member.${index + 1}`, item] as const)
		: Object.entries(value);
	return steps.flatMap(([step, item]) => flatten(item, name === '' ? step : `${name}.${step}`));
}

const people = {from: 'Shop <shop@shop.example>', to: ['Ann <ann@example.org>']};
const content = {subject: 'Your order', text: 'Thank you.', html: '<p>Thank you.</p>'};
const file = {filename: 'a.txt', content: 'AAAA', content_id: 'a'};
const resend = {
	...{...people, ...content, cc: ['Bob <bob@example.org>'], bcc: ['c@example.org'], reply_to: 'help@shop.example'},
	...{headers: {'X-Order': '4711'}, tags: [{name: 'a', value: 'b'}]},
	attachments: [{...file, content_type: 'text/plain'}],
};
const resendTemplate = {from: 'a@shop.example', to: 'ann@example.org', template: {id: 'x', variables: {a: 'b'}}};
const postmarkMail = {
	...{From: people.from, To: 'Ann <ann@example.org>', Cc: 'bob@example.org', Bcc: 'c@example.org'},
	...{ReplyTo: 'help@shop.example', Tag: 'a', Metadata: {a: 'b'}, Headers: [{Name: 'X-Order', Value: '4711'}]},
	Attachments: [{Name: 'a.txt', Content: 'AAAA', ContentType: 'text/plain', ContentID: 'cid:a'}],
};
const postmark = {...postmarkMail, Subject: content.subject, TextBody: content.text, HtmlBody: content.html};
const postmarkTemplate = {...postmarkMail, TemplateAlias: 'x', TemplateModel: {a: 'b'}};
const sendgrid = {
	personalizations: [
		{
			...{
				to: [{email: 'ann@example.org', name: 'Ann'}],
				cc: [{email: 'bob@example.org'}],
				bcc: [{email: 'c@example.org'}],
			},
			custom_args: {a: 'b'},
		},
	],
	...{
		from: {email: 'shop@shop.example', name: 'Shop'},
		reply_to: {email: 'help@shop.example'},
		subject: content.subject,
	},
	content: [{type: 'text/plain', value: content.text}],
	attachments: [{...file, type: 'text/plain', disposition: 'inline'}],
	...{headers: {'X-Order': '4711'}, categories: ['a']},
};
const {reply_to: replyTo, ...sendgridRest} = sendgrid;
const sendgridLists = {
	...{...sendgridRest, reply_to_list: [replyTo]},
	personalizations: [{...sendgrid.personalizations[0], from: sendgrid.from}],
};
const sesFile = {FileName: 'a.txt', RawContent: 'AAAA', ContentType: 'text/plain', ContentId: 'a'};
const ses = {
	ListManagementOptions: {ContactListName: 'a', TopicName: 'b'},
	FromEmailAddress: people.from,
	Destination: {
		ToAddresses: ['ann@example.org'],
		CcAddresses: ['Bob <bob@example.org>'],
		BccAddresses: ['c@example.org'],
	},
	...{
		ReplyToAddresses: ['help@shop.example'],
		FeedbackForwardingEmailAddress: 'r@shop.example',
		EmailTags: [{Name: 'a', Value: 'b'}],
	},
	Content: {
		Simple: {
			Subject: {Data: content.subject, Charset: 'UTF-8'},
			Body: {Text: {Data: content.text}, Html: {Data: content.html}},
			Headers: [{Name: 'X-Order', Value: '4711'}],
			Attachments: [sesFile],
		},
	},
};
const templateContent = {TemplateContent: {Subject: 's', Text: 't', Html: 'h'}, TemplateData: '{"a":"b"}'};
const sesHeaders = [{Name: 'X-Order', Value: '4711'}];
const sesTemplate = {TemplateName: 'x', Headers: sesHeaders, TemplateData: '{"a":"b"}', Attachments: [sesFile]};
const destination = {
	ToAddresses: ['ann@example.org'],
	CcAddresses: ['bob@example.org'],
	BccAddresses: ['c@example.org'],
};
const oldSending = {Source: 'shop@shop.example', ReplyToAddresses: ['help@shop.example'], ReturnPath: 'r@shop.example'};
const sesTags = [{Name: 'a', Value: 'b'}];
const replacement = {ReplacementTemplate: {ReplacementTemplateData: '{"a":"b"}'}};
const bulkEntry = {
	Destination: destination,
	ReplacementTags: sesTags,
	ReplacementHeaders: sesHeaders,
	ReplacementEmailContent: replacement,
};

/** Forms by provider, method and path; a new route needs an entry. */
const forms: Readonly<Record<string, readonly Form[]>> = {
	'resend POST /emails': [{bodies: [resend, resendTemplate], write: json}],
	'resend POST /emails/batch': [{bodies: [[resend], [resendTemplate]], write: json, below: [0]}],
	'postmark POST /email': [{bodies: [postmark], write: json}],
	'postmark POST /email/batch': [{bodies: [[postmark]], write: json, below: [0]}],
	'postmark POST /email/withTemplate': [{bodies: [postmarkTemplate], write: json}],
	'postmark POST /email/batchWithTemplates': [
		{bodies: [{Messages: [postmarkTemplate]}], write: json, below: ['Messages', 0]},
	],
	'sendgrid POST /v3/mail/send': [{bodies: [sendgrid, {...sendgrid, template_id: 'd-1'}, sendgridLists], write: json}],
	'ses POST /v2/email/outbound-emails': [
		{
			bodies: [ses, {...ses, Content: {Template: sesTemplate}}, {...ses, Content: {Template: templateContent}}],
			write: json,
		},
	],
	'ses POST /v2/email/outbound-bulk-emails': [
		{
			bodies: [sesTemplate, templateContent].map(Template => ({
				FromEmailAddress: 'shop@shop.example',
				...{
					ReplyToAddresses: ['help@shop.example'],
					FeedbackForwardingEmailAddress: 'r@shop.example',
					DefaultEmailTags: sesTags,
				},
				DefaultContent: {Template},
				BulkEmailEntries: [bulkEntry],
			})),
			write: json,
		},
	],
	'ses POST /': [
		{
			bodies: [
				{
					...oldSending,
					Destination: destination,
					Message: {Subject: {Data: 's'}, Body: {Text: {Data: 't'}, Html: {Data: 'h'}}},
					Tags: [{Name: 'a', Value: 'b'}],
				},
			],
			write: query('SendEmail'),
		},
		{
			bodies: [{...oldSending, Destination: destination, Template: 'x', TemplateData: '{"a":"b"}', Tags: sesTags}],
			write: query('SendTemplatedEmail'),
		},
		{
			bodies: [
				{
					...oldSending,
					Template: 'x',
					DefaultTemplateData: '{"a":"b"}',
					DefaultTags: sesTags,
					Destinations: [{Destination: destination, ReplacementTags: sesTags, ReplacementTemplateData: '{"a":"b"}'}],
				},
			],
			write: query('SendBulkTemplatedEmail'),
		},
	],
	'tinbox POST /send': [
		{
			bodies: [
				{
					...{from: 'Shop <shop@shop.example>', to: ['ann@example.org'], cc: 'bob@example.org', bcc: 'c@example.org'},
					...{reply_to: 'help@shop.example', subject: 's', text: 't', html: 'h', headers: {'X-Order': '1'}},
					...{attachments: [{filename: 'a.txt', content: 'AAAA', content_id: 'a'}], tags: ['a'], metadata: {a: 'b'}},
				},
				{from: 'shop@shop.example', to: 'ann@example.org', template: {id: 'x', data: {a: 'b'}}},
			],
			write: json,
		},
	],
};

/** Routes whose fields are no JSON: see the tests of Mailgun. `messages.mime` and the raw mails of SES are mails themselves. */
const otherRoutes = [
	'mailgun POST /v3/:domain/messages',
	'mailgun POST /v3/:domain/messages.mime',
	'ses GET /v2/email/account',
];

type TestedRoute = {readonly name: string; readonly route: SendRoute};

let routes: readonly TestedRoute[];
/** Schema that the last `validate` was called with. */
let lastSchema: z.ZodType | undefined;
let FormFields: typeof import('../../../src/send/mailgun/form.js')['FormFields'];
let composeMail: typeof import('../../../src/mime/compose/compose.js')['composeMail'];
beforeAll(async () => {
	// Providers do not export their schemas: record the schema of each validation.
	vi.resetModules();
	vi.doMock('../../../src/send/json.js', async original => {
		const actual = await original<typeof import('../../../src/send/json.js')>();
		const validate: typeof actual.validate = (schema, ...rest) => {
			lastSchema = schema;
			return actual.validate(schema, ...rest);
		};
		return {...actual, validate};
	});
	const {providers} = await import('../../../src/send/providers.js');
	const all = await Promise.all(Object.values(providers).map(async load => load?.()));
	routes = all
		.filter((provider): provider is Provider => provider !== undefined)
		.flatMap(({name, routes: own}) => own.map(route => ({name: `${name} ${route.method} ${route.path}`, route})));
	({FormFields} = await import('../../../src/send/mailgun/form.js'));
	({composeMail} = await import('../../../src/mime/compose/compose.js'));
	const {sendMailSchema} = await import('../../../src/send/tinbox.js');
	tinboxSchema = sendMailSchema;
	vi.doUnmock('../../../src/send/json.js');
	vi.resetModules();
});
let tinboxSchema: z.ZodType;

test('the check finds an added line', () => {
	const mail = (header: string) => `Subject: x\r\n${header}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n`;
	expect(wrongHeaderLines(`${mail('')}A: b\r\n\r\nX-Injected: yes\r\n--b--`)).toEqual([]);
	expect(wrongHeaderLines(`${mail('X-Injected: yes\r\n')}A: b\r\n\r\n\r\n--b--`)).toEqual(['X-Injected: yes']);
	expect(wrongHeaderLines(`${mail('')}X-Injected: yes\r\n\r\n\r\n--b--`)).toEqual(['X-Injected: yes']);
	expect(wrongHeaderLines(`${mail('A: b\nX-Injected: yes\r\n')}A: b\r\n\r\n\r\n--b--`)).toEqual([
		'A: b\nX-Injected: yes',
	]);
});

test('every route of every provider is tested', () => {
	expect(routes.map(({name}) => name).toSorted()).toEqual([...Object.keys(forms), ...otherRoutes].toSorted());
});

describe.each(Object.keys(forms))('%s', name => {
	test('no text of a request adds a line to a header of the mail', async () => {
		const untested: string[] = [];
		for (const form of forms[name] ?? []) {
			const route = routeNamed(name);
			for (const place of await placesOf(route, form)) {
				const plain = await Promise.all(form.bodies.map(async body => mailsWith(route, form, body, place, 'plain')));
				if (plain.every(mails => mails.length === 0)) {
					untested.push(place.path.join('.') + (place.isName ? ' (name)' : ''));
				}

				for (const [index, body] of form.bodies.entries()) {
					for (const injection of plain[index]?.length === 0 ? [] : injections) {
						for (const mail of await mailsWith(route, form, body, place, injection)) {
							await expectNoInjection(mail, `${place.path.join('.')}: ${JSON.stringify(injection)}`);
						}
					}
				}
			}
		}

		expect(untested).toEqual(untestable[name] ?? []);
	});
});

/** Places that accept no other text: enumerations, Base64, ids that are numbers, and content that excludes a template. */
const postmarkTexts = ['Attachments.0.Disposition', 'TrackLinks'];
const postmarkTemplateTexts = ['Subject', 'TextBody', 'HtmlBody', ...postmarkTexts, 'TemplateId'];
const untestable: Readonly<Record<string, readonly string[]>> = {
	'postmark POST /email': postmarkTexts,
	'postmark POST /email/batch': postmarkTexts.map(place => `0.${place}`),
	'postmark POST /email/withTemplate': postmarkTemplateTexts,
	'postmark POST /email/batchWithTemplates': postmarkTemplateTexts.map(place => `Messages.0.${place}`),
	'sendgrid POST /v3/mail/send': ['attachments.0.content'],
	'ses POST /v2/email/outbound-emails': ['Content.Raw.Data'],
};

function routeNamed(name: string): SendRoute {
	const found = routes.find(one => one.name === name);
	if (!found) {
		throw new Error(`There is no route ${name}.`);
	}

	return found.route;
}

/** Places of all texts in the schema of a route. */
async function placesOf(route: SendRoute, form: Form): Promise<readonly Place[]> {
	lastSchema = undefined;
	await read(route, form, form.bodies[0]);
	const schema = lastSchema ?? tinboxSchema;
	return placesIn(schema).map(place => ({...place, path: [...(form.below ?? []), ...place.path]}));
}

/** Names of fields in records. */
const recordKey = 'X-Place';

function placesIn(schema: z.core.$ZodType, path: Place['path'] = []): readonly Place[] {
	const def = definitionOf(schema);
	switch (def.type) {
		case 'object':
			return Object.entries(def.shape ?? {}).flatMap(([name, field]) => placesIn(field, [...path, name]));
		case 'array':
			return def.element ? placesIn(def.element, [...path, 0]) : [];
		case 'record':
			return [{path: [...path, recordKey]}, {path, isName: true}];
		case 'pipe': {
			const inner = def.in && definitionOf(def.in).type === 'transform' ? def.out : def.in;
			return inner ? placesIn(inner, path) : [];
		}
		case 'union':
			return def.options?.length ? [{path}] : [];
		case 'enum':
		case 'literal':
		case 'boolean':
		case 'number':
		case 'int':
			return [];
		default:
			return def.innerType ? placesIn(def.innerType, path) : [{path}];
	}
}

type Definition = {
	readonly type: string;
	readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
	readonly element?: z.core.$ZodType;
	readonly in?: z.core.$ZodType;
	readonly out?: z.core.$ZodType;
	readonly innerType?: z.core.$ZodType;
	readonly options?: readonly z.core.$ZodType[];
};

function definitionOf({_zod}: z.core.$ZodType): Definition {
	return (_zod as unknown as {readonly def: Definition}).def;
}

/** The body with a text at the end of the text at a place. */
function changed(body: unknown, {path, isName}: Place, text: string, inName = false): unknown {
	const [step, ...rest] = path;
	if (step === undefined) {
		if (isName) {
			return {...(body as object), [recordKey + text]: 'a'};
		}

		const first: unknown = Array.isArray(body) ? body[0] : body;
		const added = typeof first === 'string' ? withText(first, text, inName) : text;
		return Array.isArray(body) ? [added] : added;
	}

	const inner = changed((body as Fields | undefined)?.[step], {path: rest, ...(isName && {isName})}, text, inName);
	if (typeof step === 'number') {
		return Array.isArray(body) ? body.with(step, inner) : [inner];
	}

	return {...(body as object), [step]: inner};
}

/** Adds to the name in a mailbox if `isName`, to each value in JSON, and otherwise to the end. */
function withText(old: string, text: string, isName = false): string {
	if (old.startsWith('{')) {
		return JSON.stringify(JSON.parse(old), (_, value) => (typeof value === 'string' ? value + text : value));
	}

	const [address] = /[^ <>]+@[^ <>]+/.exec(old) ?? [];
	return address === undefined ? old + text : isName ? `Ann${text} <${address}>` : address + text;
}

async function read(route: SendRoute, form: Form, body: unknown): Promise<readonly SentMail[]> {
	return readMails(route, form.write(body));
}

/** Mails of requests with a text at a place: at the end, and in the name of a mailbox. */
async function mailsWith(route: SendRoute, form: Form, body: unknown, place: Place, text: string) {
	const bodies = [false, true].map(inName => changed(body, place, text, inName));
	const isSame = JSON.stringify(bodies[0]) === JSON.stringify(bodies[1]);
	const mails = await Promise.all(bodies.slice(isSame ? 1 : 0).map(async one => read(route, form, one)));
	return mails.flat();
}

/** Mails of a request; none if it was rejected. */
async function readMails(
	route: SendRoute,
	request: Pick<SendRequest, 'headers' | 'body'>,
): Promise<readonly SentMail[]> {
	try {
		const mails = await route.read({
			method: route.method,
			path: route.path,
			params: {domain: 'shop.example'},
			query: new URLSearchParams(),
			now: new Date(),
			...request,
		});
		return mails.filter((mail): mail is SentMail => 'envelope' in mail);
	} catch (error) {
		expect((error as Error).constructor.name).toMatch(/Error|Problem/);
		expect(error).not.toBeInstanceOf(TypeError);
		return [];
	}
}

async function expectNoInjection({content, envelope}: SentMail, where: string): Promise<void> {
	for (const address of [envelope.from, ...envelope.to]) {
		expect(address, where).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
	}

	const source = ('raw' in content ? content.raw : await composeMail(content)).toString('latin1');
	expect(wrongHeaderLines(source), where).toEqual([]);
}

describe('mailgun', () => {
	const messages = 'mailgun POST /v3/:domain/messages';
	const base: Readonly<Record<string, string>> = {
		from: 'Shop <shop@shop.example>',
		to: 'Ann <ann@example.org>',
		cc: 'bob@example.org',
		bcc: 'c@example.org',
		subject: 'Hi %recipient.a%',
		text: 't',
		html: '<p>h</p>',
		'h:X-Order': '1',
		'h:Reply-To': 'Help <help@shop.example>',
		'v:a': 'b',
		'o:tag': 'a',
		'recipient-variables': '{"ann@example.org":{"a":"b"}}',
		't:variables': '{"a":"b"}',
		'h:X-Mailgun-Variables': '{"a":"b"}',
	};
	const {html: _, ...withoutHtml} = base;
	const bases = [base, {...withoutHtml, template: 'x'}];
	const write = (fields: Readonly<Record<string, string>>) => ({
		headers: {'content-type': 'application/x-www-form-urlencoded'},
		body: Buffer.from(String(new URLSearchParams(fields))),
	});

	test('no text of a form adds a line to a header of the mail', async () => {
		const route = routeNamed(messages);
		const fields = new Set(Object.keys(base));
		const prefixes = new Set<string>();
		for (const method of ['text', 'texts', 'withPrefix'] as const) {
			const original = FormFields.prototype[method] as (name: string) => never;
			vi.spyOn(FormFields.prototype, method).mockImplementation(function (this: unknown, name: string) {
				(method === 'withPrefix' ? prefixes : fields).add(name);
				return original.call(this, name);
			});
		}

		expect(await readMails(route, write(base))).not.toEqual([]);
		vi.restoreAllMocks();
		expect([...prefixes]).toEqual(expect.arrayContaining(['h:', 'v:']));
		const places = [...fields, ...[...prefixes].map(prefix => `${prefix}X-Place`)];
		for (const injection of injections) {
			const requests = bases.flatMap(body => [
				...places.map(field => ({...body, [field]: withText(body[field] ?? '', injection)})),
				...[...prefixes].map(prefix => ({...body, [`${prefix}X-Place${injection}`]: 'a'})),
			]);
			for (const request of requests) {
				for (const mail of await readMails(route, write(request))) {
					await expectNoInjection(mail, JSON.stringify(request));
				}
			}
		}
	});

	test.each([messages, `${messages}.mime`])('no file name or type of %s adds a line to a header', async name => {
		const route = routeNamed(name);
		const file = name === messages ? 'attachment' : 'message';
		const form = (filename: string, type: string, header: string) => {
			const part = (head: string, body: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
			const texts = Object.entries({from: 'a@shop.example', to: 'ann@example.org', text: 't', 'h:X-Order': header});
			return {
				headers: {'content-type': 'multipart/form-data; boundary=b'},
				body: Buffer.from(
					`${texts.map(([field, text]) => part(`name="${field}"`, text)).join('')}` +
						`${part(`name="${file}"; filename="${filename}"\r\nContent-Type: ${type}`, 'Subject: x\r\n\r\nx')}--b--\r\n`,
				),
			};
		};
		expect(await readMails(route, form('a.txt', 'text/plain', '1'))).toHaveLength(1);
		for (const injection of injections) {
			const encoded = injection.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
			for (const request of [
				form(`a${encoded}`, 'text/plain', '1'),
				form('a.txt', `text/plain${injection.replaceAll(/\r\n\r\n|\r\n/g, ' ')}`, '1'),
				form('a.txt', 'text/plain', `1${injection}`),
			]) {
				for (const mail of await readMails(route, request)) {
					await expectNoInjection(mail, JSON.stringify(injection));
				}
			}
		}
	});
});
