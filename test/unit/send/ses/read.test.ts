import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {SendError} from '../../../../src/domain/mail/sending.js';
import {ses} from '../../../../src/send/ses/index.js';
import {withTimeLimit} from '../../../helpers/time-limit.js';
import {
	actionRequest,
	composed,
	emailRequest,
	formRequest,
	now,
	plainAction,
	plainEmail,
	readOne,
	refusalOf,
} from './requests.js';

const id = /^0100[\da-f]{12}-[\da-f-]{36}-000000$/;

describe('SendEmail of SES version 2', () => {
	test('keeps all fields of the request', async () => {
		const mail = await readOne(
			emailRequest({
				FromEmailAddress: '"Ann, of Example" <ann@example.com>',
				Destination: {
					ToAddresses: ['a@inbox.test', '=?UTF-8?B?QsO2YmJ5?= <b@inbox.test>'],
					CcAddresses: ['c@inbox.test'],
					BccAddresses: ['d@inbox.test', 'a@inbox.test'],
				},
				ReplyToAddresses: ['Desk <desk@example.com>', 'other@example.com'],
				FeedbackForwardingEmailAddress: 'bounces@example.com',
				Content: {
					Simple: {
						Subject: {Data: 'Grüße 🎉', Charset: 'UTF-8'},
						Body: {Text: {Data: 'Hi', Charset: 'UTF-8'}, Html: {Data: '<p>Hi</p>'}},
						Headers: [{Name: 'X-Order', Value: '7'}],
						Attachments: [
							{FileName: 'a.pdf', RawContent: 'AAEC', ContentType: 'application/pdf'},
							{FileName: 'b.png', RawContent: '/w==', ContentId: '<logo>', ContentDisposition: 'INLINE'},
						],
					},
				},
				EmailTags: [{Name: 'kind', Value: 'welcome'}],
				ConfigurationSetName: 'main',
				TenantName: 'red',
			}),
		);
		expect(mail).toEqual({
			envelope: {
				from: 'bounces@example.com',
				to: ['a@inbox.test', 'b@inbox.test', 'c@inbox.test', 'd@inbox.test'],
			},
			content: {
				from: {name: 'Ann, of Example', address: 'ann@example.com'},
				to: [
					{name: '', address: 'a@inbox.test'},
					{name: 'Böbby', address: 'b@inbox.test'},
				],
				cc: [{name: '', address: 'c@inbox.test'}],
				replyTo: [
					{name: 'Desk', address: 'desk@example.com'},
					{name: '', address: 'other@example.com'},
				],
				subject: 'Grüße 🎉',
				text: 'Hi',
				html: '<p>Hi</p>',
				amp: undefined,
				attachments: [
					{
						filename: 'a.pdf',
						content: Buffer.from([0, 1, 2]),
						contentType: 'application/pdf',
						contentId: '',
						disposition: 'attachment',
					},
					{
						filename: 'b.png',
						content: Buffer.from([255]),
						contentType: '',
						contentId: 'logo',
						disposition: 'inline',
					},
				],
				headers: [['X-Order', '7']],
				messageId: `<${mail.id}@eu-west-1.amazonses.com>`,
				date: now,
			},
			tags: [{name: 'kind', value: 'welcome'}],
			metadata: {ConfigurationSetName: 'main', TenantName: 'red'},
			template: undefined,
			warnings: [],
			id: expect.stringMatching(id),
		});
	});

	test('treats null as missing', async () => {
		const {envelope, warnings} = await readOne(
			emailRequest({
				...plainEmail,
				ReplyToAddresses: null,
				ConfigurationSetName: null,
				Destination: {...plainEmail.Destination, CcAddresses: null},
				Content: {...plainEmail.Content, Raw: null, Template: null},
			}),
		);
		expect(envelope).toEqual({from: 'app@example.com', to: ['signup@inbox.test']});
		expect(warnings).toEqual([]);
	});

	test('warns about unknown fields and options without effect', async () => {
		const {warnings} = await readOne(
			emailRequest({
				...plainEmail,
				Surprise: 1,
				Content: {
					Simple: {
						Subject: {Data: 'Grüße'},
						Body: {Html: {Data: 'ä', Charset: 'ISO-8859-1'}, Amp: 'x'},
						Attachments: [
							{
								FileName: 'a.txt',
								RawContent: '',
								ContentDescription: 'Nothing',
								ContentTransferEncoding: 'QUOTED_PRINTABLE',
							},
						],
					},
				},
				FromEmailAddressIdentityArn: 'arn:aws:ses:eu-west-1:1:identity/example.com',
				EndpointId: 'abc.def',
				ListManagementOptions: {ContactListName: 'all'},
			}),
		);
		expect(warnings.map(warning => /^"([^"]+)"/.exec(warning)?.[1])).toEqual([
			'Content.Simple.Body.Amp',
			'Surprise',
			'ContentDescription',
			'ContentTransferEncoding',
			'FromEmailAddressIdentityArn',
			'EndpointId',
			'ListManagementOptions',
			'Subject',
			'Charset',
		]);
	});

	test('warns about at most twenty unknown fields', async () => {
		const unknown = Object.fromEntries(Array.from({length: 1000}, (_, index) => [`f${index}`, index]));
		const {warnings} = await readOne(emailRequest({...plainEmail, ...unknown}));
		expect(warnings).toHaveLength(20);
	});
});

describe('SES version 1', () => {
	test('reads the same mail as version 2', async () => {
		const one = await readOne(
			actionRequest('SendEmail', {
				...plainAction,
				'Destination.CcAddresses.member.1': 'Bob <b@inbox.test>',
				'Destination.BccAddresses.member.2': 'd@inbox.test',
				'Destination.BccAddresses.member.1': 'c@inbox.test',
				'ReplyToAddresses.member.1': 'desk@example.com',
				'Message.Body.Html.Data': '<p>ä</p>',
				'Message.Body.Html.Charset': 'UTF-8',
				'Tags.member.1.Name': 'kind',
				'Tags.member.1.Value': 'welcome',
				ReturnPath: 'bounces@example.com',
				ConfigurationSetName: 'main',
			}),
		);
		const two = await readOne(
			emailRequest({
				...plainEmail,
				Destination: {
					...plainEmail.Destination,
					CcAddresses: ['Bob <b@inbox.test>'],
					BccAddresses: ['c@inbox.test', 'd@inbox.test'],
				},
				ReplyToAddresses: ['desk@example.com'],
				Content: {
					Simple: {
						...plainEmail.Content.Simple,
						Body: {...plainEmail.Content.Simple.Body, Html: {Data: '<p>ä</p>', Charset: 'UTF-8'}},
					},
				},
				EmailTags: [{Name: 'kind', Value: 'welcome'}],
				FeedbackForwardingEmailAddress: 'bounces@example.com',
				ConfigurationSetName: 'main',
			}),
		);
		const {messageId} = composed(one);
		expect(messageId).toBe(`<${one.id}@eu-west-1.amazonses.com>`);
		expect({...one, id: two.id, content: {...composed(one), messageId: composed(two).messageId}}).toEqual(two);
	});

	test('reads an empty string as an empty list', async () => {
		const {envelope, content} = await readOne(
			actionRequest('SendEmail', {...plainAction, ReplyToAddresses: '', 'Destination.CcAddresses': '', Tags: ''}),
		);
		expect(envelope.to).toEqual(['signup@inbox.test']);
		expect(content).toMatchObject({cc: [], replyTo: []});
	});

	test('warns about an unknown field and an option without effect', async () => {
		const {warnings} = await readOne(
			actionRequest('SendEmail', {...plainAction, 'Message.Priority': 'high', SourceArn: 'arn:aws:x'}),
		);
		expect(warnings).toEqual([
			expect.stringMatching(/^"Message.Priority" is not an SES field/),
			expect.stringMatching(/^"SourceArn" has no effect/),
		]);
	});

	test.each([
		['Frobnicate', 'Could not find operation Frobnicate for version 2010-12-01'],
		['constructor', 'Could not find operation constructor'],
	])('rejects the unknown action %s', async (action, message) => {
		const {status, body} = await refusalOf(actionRequest(action, plainAction));
		expect(status).toBe(400);
		expect(body).toContain('<Type>Sender</Type><Code>InvalidAction</Code>');
		expect(body).toContain(message);
	});

	test('does not expose prototypes to parameters with any name and order', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.dictionary(
					fc.stringMatching(/^(__proto__|constructor|member|a|Message|Tags|1)(\.(__proto__|member|1|Data)){0,4}$/),
					fc.string(),
				),
				async parameters => {
					const request = actionRequest('SendEmail', {...parameters, ...plainAction});
					try {
						await readOne(request);
					} catch (error) {
						expect(ses.problem((error as SendError).failure, request).status).toBe(400);
					}

					expect({}).not.toHaveProperty('polluted');
					expect(Object.keys(Object.prototype)).toEqual([]);
				},
			),
		);
	});
});

/** Invalid requests of version 2 with the name and message of the error. */
const invalidEmails: ReadonlyArray<readonly [title: string, change: object, name: string, message: string | RegExp]> = [
	[
		'missing content',
		{Content: undefined},
		'BadRequestException',
		/^1 validation error detected: Value null at 'content'/,
	],
	['empty content', {Content: {}}, 'BadRequestException', /^Exactly one of/],
	['two contents', {Content: {...plainEmail.Content, Raw: {Data: ''}}}, 'BadRequestException', /^Exactly one of/],
	['a missing sender', {FromEmailAddress: undefined}, 'BadRequestException', "Missing required header 'From'."],
	['an empty destination', {Destination: {}}, 'BadRequestException', "Missing required header 'To'."],
	['a missing destination', {Destination: undefined}, 'BadRequestException', "Missing required header 'To'."],
	[
		'51 recipients',
		{Destination: {ToAddresses: Array.from({length: 51}, (_, index) => `a${index}@inbox.test`)}},
		'BadRequestException',
		'Recipient count exceeds 50.',
	],
	[
		'a value of the wrong type',
		{Destination: {ToAddresses: 'a@inbox.test'}},
		'BadRequestException',
		/at 'destination.toAddresses' failed to satisfy constraint: Member must be of type array/,
	],
	[
		'a tag that is not ASCII',
		{EmailTags: [{Name: 'kind', Value: 'größer'}]},
		'BadRequestException',
		/^Invalid message tag value <größer>/,
	],
	[
		'a tag without a value',
		{EmailTags: [{Name: 'kind'}]},
		'BadRequestException',
		"1 validation error detected: Value null at 'emailTags.1.member.value' failed to satisfy constraint: Member must not be null",
	],
	[
		'a header that SES sets',
		simple({Headers: [{Name: 'Subject', Value: 'x'}]}),
		'BadRequestException',
		"Header 'Subject' cannot be set by a request.",
	],
	[
		'a duplicate header',
		simple({Headers: ['1', '2'].map(Value => ({Name: 'List-Unsubscribe', Value}))}),
		'BadRequestException',
		"Duplicate header 'List-Unsubscribe'.",
	],
	[
		'a header with a line break',
		simple({Headers: [{Name: 'X-A', Value: 'a\r\nBcc: evil@example.com'}]}),
		'BadRequestException',
		/at 'content.simple.headers.1.member.value' failed to satisfy constraint: Member must satisfy regular expression/,
	],
	[
		'16 headers',
		simple({Headers: Array.from({length: 16}, (_, index) => ({Name: `X-${index}`, Value: 'x'}))}),
		'BadRequestException',
		/Member must have length less than or equal to 15/,
	],
	[
		'an executable attachment',
		simple({Attachments: [{FileName: 'setup.EXE', RawContent: ''}]}),
		'BadRequestException',
		"Illegal filename 'setup.EXE'.",
	],
	[
		'an attachment with invalid base64',
		simple({Attachments: [{FileName: 'a.txt', RawContent: '*'}]}),
		'SerializationException',
		/not in base64/,
	],
	[
		'an unknown disposition',
		simple({Attachments: [{FileName: 'a.txt', RawContent: '', ContentDisposition: 'FORM'}]}),
		'BadRequestException',
		/Value 'FORM' at .* Member must satisfy enum value set: \[ATTACHMENT, INLINE\]/,
	],
	[
		'template data that is not an object',
		{Content: {Template: {TemplateName: 'a', TemplateData: '[1]'}}},
		'BadRequestException',
		'The template data is invalid',
	],
	[
		'a template without a name',
		{Content: {Template: {TemplateData: '{}'}}},
		'BadRequestException',
		'TemplateName, TemplateArn or TemplateContent must be given.',
	],
	[
		'more than 40 MiB',
		simple({Attachments: [{FileName: 'a.bin', RawContent: 'A'.repeat(41 * 1024 * 1024)}]}),
		'BadRequestException',
		'Message length is more than 41943040 bytes long.',
	],
];

function simple(more: object) {
	return {Content: {Simple: {...plainEmail.Content.Simple, ...more}}};
}

test.each(invalidEmails)('SES version 2 rejects %s', async (_title, change, name, message) => {
	const {status, headers, body} = await refusalOf(emailRequest({...plainEmail, ...change}));
	expect({status, name: headers?.['x-amzn-ErrorType'], body}).toEqual({
		status: 400,
		name,
		body: {message: typeof message === 'string' ? message : expect.stringMatching(message)},
	});
});

const invalidActions: ReadonlyArray<readonly [title: string, change: object, code: string, message: string]> = [
	[
		'a missing sender',
		{Source: undefined},
		'ValidationError',
		"1 validation error detected: Value null at 'source' failed to satisfy constraint: Member must not be null",
	],
	[
		'an empty destination',
		{'Destination.ToAddresses.member.1': undefined, Destination: ''},
		'InvalidParameterValue',
		"Missing required header 'To'.",
	],
	[
		'a tag that is not ASCII',
		{'Tags.member.1.Name': 'ä', 'Tags.member.1.Value': 'b'},
		'InvalidParameterValue',
		"Invalid message tag name &lt;ä&gt;: only alphanumeric ASCII characters, '_', and '-' are allowed.",
	],
	[
		'more than 10 MiB',
		{'Message.Body.Text.Data': 'a'.repeat(10 * 1024 * 1024)},
		'InvalidParameterValue',
		'Message length is more than 10485760 bytes long.',
	],
	[
		'a string instead of a list',
		{'Destination.ToAddresses': 'a'},
		'MalformedInput',
		'Unexpected list or structure at Destination.ToAddresses.',
	],
];

test.each(invalidActions)('SES version 1 rejects %s', async (_title, change, code, message) => {
	const parameters = Object.entries({...plainAction, ...change}).filter(([, value]) => value !== undefined);
	const {status, headers, body} = await refusalOf(actionRequest('SendEmail', Object.fromEntries(parameters)));
	expect(status).toBe(400);
	expect(headers?.['Content-Type']).toBe('text/xml');
	expect(body).toMatch(/^<ErrorResponse xmlns="http:\/\/ses.amazonaws.com\/doc\/2010-12-01\/">/);
	expect(body).toContain(`<Type>Sender</Type><Code>${code}</Code><Message>${message}</Message>`);
});

test.each([
	['nobody', "Missing final '@domain'"],
	['', 'Illegal address'],
	['a@inbox.test, b@inbox.test', 'Illegal address'],
	['@inbox.test', 'Missing local name'],
	['a@', 'Missing domain'],
	['a b@inbox.test', 'Local address contains control or whitespace'],
	['ä@inbox.test', 'Local address contains control or whitespace'],
	['a;b@inbox.test', 'Local address contains illegal character'],
	['github:ann', 'Local address contains illegal character'],
	['Shop, Inc. <shop@inbox.test>', "Missing final '@domain'"],
	['.a@inbox.test', 'Local address starts with dot'],
	['a..b@inbox.test', 'Local address contains dot-dot'],
	['a@exämple.com', 'Domain contains control or whitespace'],
	['a@ex_ample.com', 'Domain contains illegal character'],
	['a@b@inbox.test', 'Domain contains illegal character'],
	['a@.test', 'Domain starts with dot'],
	['a@inbox.test.', 'Domain ends with dot'],
	['a@inbox..test', 'Domain contains dot-dot'],
	['Ann <a b@inbox.test>', 'Local address contains control or whitespace'],
])('SES rejects the address %j', async (address, message) => {
	const {body} = await refusalOf(emailRequest({...plainEmail, Destination: {ToAddresses: [address]}}));
	expect(body).toEqual({message});
});

test.each([
	['Ann Example <a@inbox.test>', 'Ann Example', 'a@inbox.test'],
	['a@inbox.test (Ann)', 'Ann', 'a@inbox.test'],
	['"Ann \\"A\\" Example" <a@inbox.test>', 'Ann "A" Example', 'a@inbox.test'],
	['<a@inbox.test>', '', 'a@inbox.test'],
	['Shop: Berlin; Inc <a@inbox.test>', 'Shop: Berlin; Inc', 'a@inbox.test'],
	['"Shop, Inc. (EU) \\"Fast\\"" <a@inbox.test>', 'Shop, Inc. (EU) "Fast"', 'a@inbox.test'],
	['=?UTF-8?Q?a=0D=0AX-Evil:_1?= <a@inbox.test>', 'a X-Evil: 1', 'a@inbox.test'],
	['  a+b@inbox.test ', '', 'a+b@inbox.test'],
	['"a b"@inbox.test', '', '"a b"@inbox.test'],
	['Ünïcode 🎉 <a@inbox.test>', 'Ünïcode 🎉', 'a@inbox.test'],
	['a@[127.0.0.1]', '', 'a@[127.0.0.1]'],
])('SES accepts the address %j', async (text, name, address) => {
	const mail = await readOne(emailRequest({...plainEmail, Destination: {ToAddresses: [text]}}));
	expect(composed(mail).to).toEqual([{name, address}]);
	expect(mail.envelope.to).toEqual([address]);
});

test('addresses of an SES request cannot inject header fields', async () => {
	const {body} = await refusalOf(
		emailRequest({...plainEmail, FromEmailAddress: 'a@example.com\r\nBcc: evil@example.com'}),
	);
	expect(body).toEqual({message: expect.stringMatching(/control or whitespace|Illegal/)});
});

describe('the access key of an SES request', () => {
	const keyOf = (headers: Record<string, string>, query = '') =>
		ses.keyOf({headers, query: new URLSearchParams(query)});

	test.each([
		[
			'a signature',
			{
				authorization:
					'AWS4-HMAC-SHA256 Credential=AKID/20261123/us-east-1/ses/aws4_request, SignedHeaders=host, Signature=0',
			},
			'',
			'AKID',
		],
		[
			'a signature without a region',
			{authorization: 'AWS4-ECDSA-P256-SHA256 Credential=AKID/20261123/ses/aws4_request, Signature=0'},
			'',
			'AKID',
		],
		[
			'a key with slashes',
			{authorization: 'AWS4-HMAC-SHA256 Credential=a/b@c.d:e/20261123/us-east-1/ses/aws4_request,SignedHeaders=host'},
			'',
			'a/b@c.d:e',
		],
		['a signed query', {}, 'X-Amz-Credential=AKID%2F20261123%2Feu-west-1%2Fses%2Faws4_request', 'AKID'],
		['another kind of credential', {authorization: 'Bearer abc'}, '', undefined],
		['a credential without a scope', {authorization: 'AWS4-HMAC-SHA256 Credential=AKID, Signature=0'}, '', undefined],
		['nothing', {}, '', undefined],
	])('is read from %s', (_title, headers, query, key) => {
		expect(keyOf(headers as Record<string, string>, query)).toBe(key);
	});
});

describe('an SES request is read in linear time', () => {
	const length = 1_000_000;

	test.each([
		['open braces', '{{'.repeat(length / 2)],
		['variables', '{{a}}'.repeat(length / 5)],
		['spaces in braces', `{{${' '.repeat(length)}`],
	])('with a template of %s', (_title, Text) => {
		const TemplateData = JSON.stringify({a: 'b'.repeat(1000)});
		const request = emailRequest({...plainEmail, Content: {Template: {TemplateContent: {Text}, TemplateData}}});
		withTimeLimit(() => readQuietly(request));
	});

	test.each([
		['dots', '.'.repeat(length)],
		['deep names', Array.from({length: 9_000}, (_, index) => `${'a.'.repeat(90)}${index}=b`).join('&')],
		['many names', Array.from({length: length / 10}, (_, index) => `a${index}=b`).join('&')],
		['addresses', `Source=a@b.test&Destination.ToAddresses.member.1=${'a@b,'.repeat(length / 4)}`],
		['quotes', `Source=${'"\\'.repeat(length / 2)}`],
	])('with parameters of %s', (_title, form) => {
		const request = formRequest(`Action=SendEmail&${new URLSearchParams(plainAction)}&${form}`);
		withTimeLimit(() => readQuietly(request));
	});
});

function readQuietly(request: Parameters<typeof readOne>[0]): void {
	try {
		void ses.routes.find(({path}) => path === request.path)?.read(request);
	} catch (error) {
		expect(error).toHaveProperty('failure');
	}
}
