import {describe, expect, test} from 'vitest';
import type {Answer, SendRequest} from '../../../../src/send/provider.js';
import {
	actionRequest,
	bulkRequest,
	composed,
	emailRequest,
	plainEmail,
	readAll,
	readOne,
	refusalOf,
	routeOf,
} from './requests.js';

/** Answer to a request whose valid mails were stored. */
async function answerTo(request: SendRequest): Promise<Answer> {
	const mails = await readAll(request);
	const outcomes = mails.map(mail => ('envelope' in mail ? {id: mail.id, messageIds: ['m']} : mail));
	return routeOf(request).answer(outcomes, request);
}

describe('an SES template', () => {
	test('with a name or an ARN is stored with its data', async () => {
		for (const name of [
			{TemplateName: 'welcome'},
			{TemplateArn: 'arn:aws:ses:eu-west-1:123456789012:template/welcome'},
		]) {
			const mail = await readOne(
				emailRequest({...plainEmail, Content: {Template: {...name, TemplateData: '{"code":"123456","n":[1]}'}}}),
			);
			expect(mail.template).toEqual({id: 'welcome', data: {code: '123456', n: [1]}});
			const {subject, text, html} = composed(mail);
			expect({subject, text, html}).toEqual({subject: ''});
		}
	});

	test('of version 1 is stored with its data', async () => {
		const mail = await readOne(
			actionRequest('SendTemplatedEmail', {
				Source: 'app@example.com',
				'Destination.ToAddresses.member.1': 'a@inbox.test',
				Template: 'welcome',
				TemplateData: '{"code":"123456"}',
			}),
		);
		expect(mail.template).toEqual({id: 'welcome', data: {code: '123456'}});
	});

	test('given inline is filled without escaping', async () => {
		const mail = await readOne(
			emailRequest({
				...plainEmail,
				Content: {
					Template: {
						TemplateContent: {Subject: 'Hi {{name}}', Text: '{{ code }} {{missing}}', Html: '<b>{{name}}</b>{{n}}'},
						TemplateData: '{"name":"<Ann>","code":123456,"n":[1]}',
					},
				},
			}),
		);
		expect(composed(mail)).toMatchObject({subject: 'Hi <Ann>', text: '123456 {{missing}}', html: '<b><Ann></b>[1]'});
		expect(mail.template).toBeUndefined();
		expect(mail.warnings).toEqual([expect.stringMatching(/^"TemplateData" has no value for "missing"/)]);
	});

	test.each(['{{#if a}}x{{/if}}', '{{a.b}}', '{{> part}}'])(
		'given inline is rejected with the operation %s',
		async Text => {
			const {body} = await refusalOf(emailRequest({...plainEmail, Content: {Template: {TemplateContent: {Text}}}}));
			expect(body).toEqual({message: 'Template contains unsupported operations.'});
		},
	);
});

const bulk = {
	FromEmailAddress: 'app@example.com',
	DefaultContent: {
		Template: {
			TemplateName: 'welcome',
			TemplateData: '{"name":"friend","code":"0"}',
			Headers: [
				{Name: 'X-A', Value: '1'},
				{Name: 'X-B', Value: '1'},
			],
			Attachments: [{FileName: 'a.txt', RawContent: 'SGk='}],
		},
	},
	DefaultEmailTags: [{Name: 'kind', Value: 'bulk'}],
	BulkEmailEntries: [
		{Destination: {ToAddresses: ['a@inbox.test']}},
		{Destination: {ToAddresses: ['nobody']}},
		{
			Destination: {CcAddresses: ['c@inbox.test']},
			ReplacementEmailContent: {ReplacementTemplate: {ReplacementTemplateData: '{"code":"1"}'}},
			ReplacementTags: [{Name: 'kind', Value: 'other'}],
			ReplacementHeaders: [{Name: 'x-b', Value: '2'}],
		},
		{
			Destination: {ToAddresses: ['d@inbox.test']},
			ReplacementEmailContent: {ReplacementTemplate: {ReplacementTemplateData: 'no JSON'}},
		},
	],
};

describe('an SES bulk request', () => {
	test('has a mail for each entry with its replacements', async () => {
		const [first, , third] = await readAll(bulkRequest(bulk));
		expect(first).toMatchObject({
			envelope: {to: ['a@inbox.test']},
			content: {
				headers: [
					['X-A', '1'],
					['X-B', '1'],
				],
				attachments: [{content: Buffer.from('Hi')}],
			},
			tags: [{name: 'kind', value: 'bulk'}],
			template: {id: 'welcome', data: {name: 'friend', code: '0'}},
		});
		expect(third).toMatchObject({
			envelope: {to: ['c@inbox.test']},
			content: {
				headers: [
					['X-A', '1'],
					['x-b', '2'],
				],
			},
			tags: [{name: 'kind', value: 'other'}],
			template: {id: 'welcome', data: {name: 'friend', code: '1'}},
		});
	});

	test('is answered with a status for each entry in order', async () => {
		const {status, body} = await answerTo(bulkRequest(bulk));
		expect({status, body}).toEqual({
			status: 200,
			body: {
				BulkEmailEntryResults: [
					{Status: 'SUCCESS', MessageId: expect.any(String)},
					{Status: 'INVALID_PARAMETER', Error: "Missing final '@domain'"},
					{Status: 'SUCCESS', MessageId: expect.any(String)},
					{Status: 'INVALID_PARAMETER', Error: 'The template data is invalid'},
				],
			},
		});
	});

	test('of version 1 is answered with a status for each entry', async () => {
		const {headers, body} = await answerTo(
			actionRequest('SendBulkTemplatedEmail', {
				Source: 'app@example.com',
				Template: 'welcome',
				DefaultTemplateData: '{"code":"0"}',
				'Destinations.member.1.Destination.ToAddresses.member.1': 'a@inbox.test',
				'Destinations.member.1.ReplacementTemplateData': '{"code":"1"}',
				'Destinations.member.2.Destination.ToAddresses.member.1': 'nobody',
			}),
		);
		expect(headers?.['Content-Type']).toBe('text/xml');
		expect(body).toMatch(
			/<SendBulkTemplatedEmailResult><Status><member><Status>Success<\/Status><MessageId>[\da-f-]+<\/MessageId><\/member><member><Status>InvalidParameterValue<\/Status><Error>Missing final '@domain'<\/Error><\/member><\/Status><\/SendBulkTemplatedEmailResult><ResponseMetadata><RequestId>/,
		);
	});

	test.each([
		['no entries', {BulkEmailEntries: []}, /^The number of destinations/],
		[
			'51 entries',
			{BulkEmailEntries: Array.from({length: 51}, () => bulk.BulkEmailEntries[0])},
			/^The number of destinations/,
		],
		['no template', {DefaultContent: {}}, /^The default content must be a template/],
	])('is rejected with %s', async (_title, change, message) => {
		const {status, headers, body} = await refusalOf(bulkRequest({...bulk, ...change}));
		expect(status).toBe(400);
		expect(headers?.['x-amzn-ErrorType']).toBe('BadRequestException');
		expect(body).toEqual({message: expect.stringMatching(message)});
	});

	test('is rejected if its mails exceed the maximum total size', async () => {
		const large = {
			...bulk,
			DefaultContent: {Template: {TemplateContent: {Text: 'a'.repeat(30 * 1024 * 1024)}}},
			BulkEmailEntries: Array.from({length: 50}, () => bulk.BulkEmailEntries[0]),
		};
		const {body} = await refusalOf(bulkRequest(large));
		expect(body).toEqual({message: 'The rendered templates of the request exceed 167772160 bytes.'});
	});

	test('is rejected if its small template expands too much', async () => {
		const template = {
			TemplateContent: {Text: '{{a}}'.repeat(500)},
			TemplateData: JSON.stringify({a: 'a'.repeat(10_000)}),
		};
		const requests = [
			bulkRequest({
				...bulk,
				DefaultContent: {Template: template},
				BulkEmailEntries: Array.from({length: 50}, () => bulk.BulkEmailEntries[0]),
			}),
			emailRequest({
				...plainEmail,
				Content: {Template: {...template, TemplateData: JSON.stringify({a: 'a'.repeat(20_000)})}},
			}),
		];
		for (const request of requests) {
			expect((await refusalOf(request)).body).toEqual({
				message: expect.stringMatching(/^The rendered templates of the request/),
			});
		}
	});
});
