import {expect, test} from 'vitest';
import type {SendFailure} from '../../../../src/send/provider.js';
import {ses} from '../../../../src/send/ses/index.js';

/** Status and name of each failure in version 2 and version 1, and its message. */
const failures: ReadonlyArray<
	readonly [failure: SendFailure, v2: readonly [number, string], v1: readonly [number, string], message: string]
> = [
	[
		{type: 'no_key'},
		[403, 'MissingAuthenticationTokenException'],
		[403, 'MissingAuthenticationToken'],
		'Request is missing Authentication Token',
	],
	[
		{type: 'wrong_key'},
		[403, 'UnrecognizedClientException'],
		[403, 'InvalidClientTokenId'],
		'The security token included in the request is invalid.',
	],
	[
		{type: 'unavailable'},
		[503, 'ServiceUnavailableException'],
		[503, 'ServiceUnavailable'],
		'The service is unavailable. Please try again later.',
	],
	[
		{type: 'storage_full'},
		[503, 'ServiceUnavailableException'],
		[503, 'ServiceUnavailable'],
		'The message cannot be stored: the storage is full.',
	],
	[
		{type: 'internal'},
		[500, 'InternalFailure'],
		[500, 'InternalFailure'],
		'The request processing has failed because of an unknown error.',
	],
	[{type: 'not_found_mail'}, [404, 'NotFoundException'], [404, 'NotFound'], 'Message not found.'],
	[
		{type: 'no_route', detail: 'There are two.'},
		[404, 'UnknownOperationException'],
		[404, 'InvalidAction'],
		'There are two.',
	],
	[
		{type: 'media_type', types: ['application/json']},
		[415, 'UnsupportedMediaTypeException'],
		[415, 'UnsupportedMediaType'],
		'Send the body as application/json.',
	],
	[{type: 'malformed', detail: 'No.'}, [400, 'SerializationException'], [400, 'MalformedInput'], 'No.'],
	[
		{type: 'too_large', maxBytes: 10},
		[400, 'BadRequestException'],
		[400, 'InvalidParameterValue'],
		'Message length is more than 10 bytes long.',
	],
	[
		{type: 'rate_limited', retryAfter: 9},
		[429, 'TooManyRequestsException'],
		[400, 'Throttling'],
		'Maximum sending rate exceeded.',
	],
	[
		{type: 'refused', detail: '554 <no>', address: undefined},
		[400, 'MessageRejected'],
		[400, 'MessageRejected'],
		'554 <no>',
	],
	[
		{type: 'unverified_sender', address: 'a@example.com'},
		[400, 'MessageRejected'],
		[400, 'MessageRejected'],
		'Email address is not verified. The following identities failed the check in region EU-WEST-1: a@example.com',
	],
];

const credential = 'AWS4-HMAC-SHA256 Credential=AKID/20261123/eu-west-1/ses/aws4_request, Signature=0';
const signed = {headers: {authorization: credential}, query: new URLSearchParams()};

test.each(failures)(
	'the failure %j has the status, name and message of SES',
	(failure, [status, name], [oldStatus, code], message) => {
		const answer = ses.problem(failure, {path: '/v2/email/outbound-emails', ...signed});
		expect(answer).toMatchObject({
			status,
			headers: {'x-amzn-ErrorType': name, 'x-amzn-RequestId': expect.stringMatching(/^[\da-f-]{36}$/)},
			body: {message},
		});
		const old = ses.problem(failure, {path: '/', ...signed});
		const escaped = message.replace('<', '&lt;').replace('>', '&gt;');
		const type = oldStatus < 500 ? 'Sender' : 'Receiver';
		expect(old.status).toBe(oldStatus);
		expect(old.body).toContain(`<Error><Type>${type}</Type><Code>${code}</Code><Message>${escaped}</Message></Error>`);
		expect(
			[...Object.keys(answer.headers ?? {}), ...Object.keys(old.headers ?? {})].map(name => name.toLowerCase()),
		).not.toContain('retry-after');
	},
);

test('characters that XML does not support are replaced in a response', () => {
	const {body} = ses.problem(
		{type: 'refused', detail: 'a\0b\ud800c&"\ufffe', address: undefined},
		{path: '/', ...signed},
	);
	expect(body).toContain('<Message>a\ufffdb\ufffdc&amp;&quot;\ufffd</Message>');
});
