import {headOf, type RawField, splitHeader, textOfField} from '../../mime/parse/header-section.js';
import {type ReadMails, readOrReject, type SentMail} from '../provider.js';
import {type Destination, readAddress, readAddressField, readDestination, recipientsOf} from './addresses.js';
import {SesProblem, tooLong} from './errors.js';
import {
	assertUniqueHeaders,
	decodeBlob,
	type MailParts,
	makeMail,
	messageIdOf,
	metadataOf,
	newSesId,
	type Reading,
	readAttachments,
	readMessageTags,
	readSesSender,
	replaceHeaders,
	replaceTags,
	type SesTexts,
	textBytes,
	warnOfAttachments,
	warnOfIgnoredFields,
} from './mail.js';
import type {SendBulkEmailFields, SendEmailFields, SesContent, SesTag, SesTemplate} from './schemas.js';

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

/** Header fields that SES removes from a raw mail. It sets the first two itself. */
const removedFields = new Set([
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

/** Reads a raw mail, which is sent unchanged except for header fields that SES adds and removes. */
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

/** Mail with the added fields first, without the removed ones. */
function withFields(raw: Buffer, head: Buffer, added: readonly string[], fields: readonly RawField[]): Buffer {
	const kept = fields.filter(({key}) => !removedFields.has(key)).map(({line}) => line);
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

/** Creates the mail of a template, which the request names or contains. */
function readTemplated(
	{TemplateName, TemplateArn, TemplateContent}: SesTemplate,
	data: Readonly<Record<string, unknown>>,
	parts: MailParts,
	reading: Reading,
): SentMail {
	const id = TemplateName ?? TemplateArn?.slice(TemplateArn.lastIndexOf('/') + 1);
	if (id !== undefined) {
		const mail = makeMail({subject: ''}, parts, reading);
		const unused =
			TemplateContent === undefined ? [] : ['"TemplateContent" has no effect together with a template name.'];
		return {...mail, template: {id, data}, warnings: [...warnings(parts, reading), ...unused]};
	}

	if (TemplateContent === undefined) {
		throw new SesProblem('invalid', 'TemplateName, TemplateArn or TemplateContent must be given.');
	}

	const {texts, missing} = fill(TemplateContent, data, reading);
	const unrendered = missing.map(
		name =>
			`"TemplateData" has no value for "${name}": SES would accept the request, fail to render the mail, and never send it.`,
	);
	return {
		...makeMail(texts, parts, reading),
		warnings: [...warnings(parts, reading), ...unrendered],
	};
}

function fill(
	{Subject, Text, Html}: NonNullable<SesTemplate['TemplateContent']>,
	data: Readonly<Record<string, unknown>>,
	{maxFilledBytes}: Reading,
): {texts: SesTexts; missing: readonly string[]} {
	const missing = new Set<string>();
	const filled = (text: string) => fillInline(text, data, missing, maxFilledBytes);
	const texts = {
		subject: filled(Subject ?? ''),
		text: Text === undefined ? undefined : filled(Text),
		html: Html === undefined ? undefined : filled(Html),
	};
	return {texts, missing: [...missing].slice(0, 20)};
}

function warnings(parts: MailParts, {warnings, protocol}: Reading): string[] {
	return [...warnings, ...warnOfIgnoredFields(parts, protocol)];
}

/** Variable of a template, perhaps with an invalid name. */
const variable = /\{\{\{?([^{}]*)\}?\}\}/g;

/**
 * Renders a template in a request: SES only replaces names by values there, and escapes nothing. Adds the names without a value to
 * `missing`.
 */
function fillInline(
	template: string,
	data: Readonly<Record<string, unknown>>,
	missing: Set<string>,
	maxBytes: number,
): string {
	let length = template.length;
	return template.replace(variable, (place, inside: string) => {
		const name = inside.trim();
		if (!/^[\w-]+$/.test(name)) {
			throw new SesProblem('invalid', 'Template contains unsupported operations.');
		}

		const value = Object.hasOwn(data, name) ? data[name] : undefined;
		if (value === undefined || value === null) {
			missing.add(name);
			return place;
		}

		const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
		length += text.length;
		if (length > maxBytes) {
			throw tooMuchFilled(maxBytes);
		}

		return text;
	});
}

function tooMuchFilled(maxBytes: number): SesProblem {
	return new SesProblem('invalid', `The rendered templates of the request exceed ${maxBytes} bytes.`);
}

/** Parses the data of a template. */
function readTemplateData(text: string | undefined): Readonly<Record<string, unknown>> {
	if (text === undefined) {
		return {};
	}

	const data = parsed(text);
	if (typeof data !== 'object' || data === null || Array.isArray(data)) {
		throw new SesProblem('invalid', 'The template data is invalid');
	}

	return data as Readonly<Record<string, unknown>>;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

const maxEntries = 50;

/** Reads a mail from each entry of a bulk request. */
export function readBulk(fields: SendBulkEmailFields, reading: Reading): ReadMails {
	const {Template} = fields.DefaultContent;
	if (Template === undefined) {
		throw new SesProblem('invalid', 'The default content must be a template.');
	}

	if (fields.BulkEmailEntries.length === 0 || fields.BulkEmailEntries.length > maxEntries) {
		throw new SesProblem('invalid', `The number of destinations must be from 1 to ${maxEntries}.`);
	}

	const defaults = readTemplateData(Template.TemplateData);
	const attachments = readAttachments(Template.Attachments);
	const warned = {...reading, warnings: [...reading.warnings, ...warnOfAttachments(Template.Attachments)]};
	let bytes = 0;
	const read = ({
		Destination,
		ReplacementTags,
		ReplacementEmailContent,
		ReplacementHeaders,
	}: SendBulkEmailFields['BulkEmailEntries'][number]) => {
		const replacements = ReplacementEmailContent?.ReplacementTemplate?.ReplacementTemplateData;
		const parts = {
			...fields,
			destination: readDestination(Destination),
			tags: replaceTags(fields.DefaultEmailTags, ReplacementTags),
			headers: replaceHeaders(Template.Headers, ReplacementHeaders),
			attachments,
		};
		const mail = readTemplated(Template, {...defaults, ...readTemplateData(replacements)}, parts, warned);
		bytes += 'raw' in mail.content ? 0 : textBytes(mail.content);
		return mail;
	};
	return fields.BulkEmailEntries.map(entry => {
		if (bytes > reading.maxFilledBytes) {
			throw tooMuchFilled(reading.maxFilledBytes);
		}

		return readOrReject(() => read(entry));
	});
}
