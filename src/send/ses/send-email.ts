import {headOf, type RawField, splitHeader, textOfField} from '../../mime/parse/header-section.js';
import type {SentMail} from '../provider.js';
import {type Destination, readAddress, readAddressField, readDestination, recipientsOf} from './addresses.js';
import {SesProblem, tooLong} from './errors.js';
import {
	assertUniqueHeaders,
	decodeBlob,
	makeMail,
	messageIdOf,
	metadataOf,
	newSesId,
	type Reading,
	readAttachments,
	readMessageTags,
	readSesSender,
	warnOfAttachments,
	warnOfIgnoredFields,
} from './mail.js';
import type {SendEmailFields, SesContent, SesTag} from './schemas.js';
import {readTemplateData, readTemplated} from './templated.js';

/** Reads `SendEmail` of version 2, or the equivalent fields of version 1. */
export function readMail(fields: SendEmailFields, reading: Reading): SentMail {
	const {Simple, Raw, Template} = fields.Content;
	if ([Simple, Raw, Template].filter(content => content !== undefined).length !== 1) {
		throw new SesProblem('invalid', 'Exactly one of Simple, Raw and Template must be given as the content.');
	}

	if (Raw !== undefined) {
		return readRaw(decodeBlob(Raw.Data, 'the raw message'), fields, reading);
	}

	const {Headers: headers = [], Attachments: attachments = []} = Simple ?? Template ?? {};
	const parts = {
		...fields,
		destination: readDestination(fields.Destination),
		tags: fields.EmailTags,
		headers,
		attachments: readAttachments(attachments),
	};
	const warned = {...reading, warnings: [...reading.warnings, ...warnOfAttachments(attachments)]};
	if (Template !== undefined) {
		return readTemplated(Template, readTemplateData(Template.TemplateData), parts, warned);
	}

	const {Subject, Body} = Simple ?? {};
	const texts = {subject: Subject?.Data ?? '', text: Body?.Text?.Data, html: Body?.Html?.Data};
	return {
		...makeMail(texts, parts, reading),
		template: undefined,
		warnings: [
			...warned.warnings,
			...warnOfIgnoredFields(fields, reading.protocol),
			...warnOfCharset('Subject', Subject),
			...warnOfCharset('Body.Text', Body?.Text),
			...warnOfCharset('Body.Html', Body?.Html),
		],
	};
}

function warnOfCharset(field: string, content: SesContent | undefined): string[] {
	const {Data, Charset = 'us-ascii'} = content ?? {Data: ''};
	if (/^utf-?8$/i.test(Charset) || !/[^\0-\x7f]/.test(Data)) {
		return [];
	}

	return /^us-ascii$/i.test(Charset)
		? [`"${field}" has non-ASCII characters without a matching "Charset". SES may not send them; tinbox keeps them.`]
		: [`"Charset" of "${field}" is ${Charset}, but tinbox encodes the mail in UTF-8.`];
}

/** Fields of a raw mail that are for SES alone. It sets the first two by itself. */
const takenOut = new Set([
	'message-id',
	'date',
	'bcc',
	'return-path',
	'x-ses-source-arn',
	'x-ses-from-arn',
	'x-ses-return-path-arn',
	'x-ses-configuration-set',
	'x-ses-message-tags',
	'x-ses-list-management-options',
	'x-ses-tenant',
]);

/** A mail that comes as it is, but for what SES does to its header section. */
function readRaw(raw: Buffer, sending: SendEmailFields, reading: Reading): SentMail {
	if (raw.length > reading.maxBytes) {
		throw tooLong(reading.maxBytes);
	}

	const head = headOf(raw);
	const fields = splitHeader(head);
	if (fields.some(({key}) => key === '')) {
		throw new SesProblem('invalid', 'Empty header names are illegal.');
	}

	assertUniqueHeaders(fields.map(({key, line}) => line.slice(0, key.length)));
	const firstValue = (key: string) => valuesOf(fields, key)[0];
	const source = sending.FromEmailAddress;
	const [from] =
		source === undefined ? readAddressField(firstValue('from') ?? '') : [readSesSender(source, reading.region)];
	if (from === undefined) {
		throw new SesProblem('invalid', "Missing required header 'From'.");
	}

	const id = newSesId(reading.now);
	const added = [
		`Message-ID: ${messageIdOf(id, reading.region)}`,
		`Date: ${reading.now.toUTCString().replace('GMT', '+0000')}`,
		...(firstValue('from') === undefined && source !== undefined ? [`From: ${oneLine(source)}`] : []),
	];
	const returnPath = sending.FeedbackForwardingEmailAddress ?? firstValue('return-path');
	const configuration = sending.ConfigurationSetName ?? firstValue('x-ses-configuration-set');
	return {
		envelope: {
			from: returnPath === undefined ? from.address : readAddress(returnPath).address,
			to: recipientsOf(destinationOf(sending, fields)),
		},
		content: {raw: withFields(raw, head, added, fields)},
		tags: readMessageTags(sending.EmailTags.length > 0 ? sending.EmailTags : tagsIn(firstValue('x-ses-message-tags'))),
		metadata: metadataOf({...sending, ConfigurationSetName: configuration}),
		template: undefined,
		warnings: [...reading.warnings, ...warnOfIgnoredFields(sending, reading.protocol), ...warnOfRaw(sending, fields)],
		id,
	};
}

/** Recipients of the request or, if it names none, of the mail's headers. */
function destinationOf({Destination}: SendEmailFields, fields: readonly RawField[]): Destination {
	const asked = readDestination(Destination);
	if (asked.to.length + asked.cc.length + asked.bcc.length > 0) {
		return asked;
	}

	const named = (key: string) => valuesOf(fields, key).flatMap(readAddressField);
	return {to: named('to'), cc: named('cc'), bcc: named('bcc')};
}

function valuesOf(fields: readonly RawField[], key: string): string[] {
	return fields
		.filter(field => field.key === key)
		.map(({line}) => textOfField(line.slice(line.indexOf(':') + 1), bytes => bytes.toString('latin1')));
}

/** `name=value, name=value` */
function tagsIn(field = ''): SesTag[] {
	return field
		.split(/[,;]/)
		.filter(pair => pair.trim() !== '')
		.map(pair => {
			const [name = '', value = ''] = pair.split('=', 2);
			return {Name: name.trim(), Value: value.trim()};
		});
}

/** The mail with other fields first, and without those that nobody else gets to see. */
function withFields(raw: Buffer, head: Buffer, added: readonly string[], fields: readonly RawField[]): Buffer {
	const kept = fields.filter(({key}) => !takenOut.has(key)).map(({line}) => line);
	const newline = raw.indexOf('\n');
	const lineEnd = newline > 0 && raw[newline - 1] !== 0x0d ? '\n' : '\r\n';
	const body = raw.subarray(head.byteOffset - raw.byteOffset + head.length);
	const end = head.at(-1) === 0x0d ? '\r' : '';
	return Buffer.concat([
		Buffer.from([...added, ...kept].join(lineEnd) + end, 'latin1'),
		body.length === 0 ? Buffer.from(lineEnd + lineEnd) : body,
	]);
}

function oneLine(text: string): string {
	return Buffer.from(text.replace(/[\r\n]+/g, ' ')).toString('latin1');
}

function warnOfRaw({ReplyToAddresses}: SendEmailFields, fields: readonly RawField[]): string[] {
	const ignored = fields.some(({key}) => key === 'x-ses-list-management-options')
		? ['"X-SES-LIST-MANAGEMENT-OPTIONS" has no effect: tinbox has no contact lists.']
		: [];
	return ReplyToAddresses.length > 0
		? [...ignored, '"ReplyToAddresses" has no effect for raw mail: its own header names the reply addresses.']
		: ignored;
}
