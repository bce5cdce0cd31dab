import {isUtf8} from 'node:buffer';
import {randomBytes} from 'node:crypto';
import {SendError} from '../../domain/mail/sending.js';
import {decodeByNode} from '../../mime/parse/charsets.js';
import {decodeWords} from '../../mime/parse/encoded-words.js';
import {headOf, splitHeader, textOfField} from '../../mime/parse/header-section.js';
import {readJson, warnOfUnknownFields} from '../json.js';
import {isHeader, isTakenHeader, readNamedAddress, splitAddresses} from '../mail-fields.js';
import {
	type Answer,
	basicCredentials,
	type ComposedContent,
	type MailOutcome,
	type NamedAddress,
	type Provider,
	type SendRequest,
	type SendRoute,
	type SentAttachment,
	type SentMail,
} from '../provider.js';
import {mailgunError, mailgunProblem} from './errors.js';
import {type FormFields, multipartType, readForm, urlEncodedType} from './form.js';

/** Maximum size of a request. */
const maxBytes = 52_400_000;

/** Mailgun's Messages API, v3. */
export const mailgun: Provider = {
	name: 'mailgun',
	maxBytes,
	routes: [
		{...route('/v3/:domain/messages'), types: [multipartType, urlEncodedType], read: readMailgunMessages},
		{...route('/v3/:domain/messages.mime'), types: [multipartType], read: readMime},
	],
	keyOf: ({headers}) => basicCredentials(headers['authorization'] ?? '', 'api'),
	problem: mailgunProblem,
};

function route(path: string): Pick<SendRoute, 'method' | 'path' | 'answer'> {
	return {method: 'POST', path, answer};
}

function answer([first]: readonly MailOutcome[]): Answer {
	return {status: 200, body: {id: first && 'id' in first ? first.id : '', message: 'Queued. Thank you.'}};
}

const contentFields = ['text', 'html', 'amp-html', 'template'];

const messageFields = [
	...contentFields,
	'from',
	'to',
	'cc',
	'bcc',
	'subject',
	'attachment',
	'inline',
	'recipient-variables',
	'o:tag',
	't:variables',
];

/** Mail without its recipients. */
type Draft = {
	readonly form: FormFields;
	readonly id: string;
	readonly from: NamedAddress;
	readonly attachments: readonly SentAttachment[];
	readonly warnings: readonly string[];
};

/** Reads a request with the parts of a message: one mail to all recipients or, with recipient variables, one to each. */
function readMailgunMessages(request: SendRequest): readonly SentMail[] {
	const form = readForm(request);
	const id = newMailgunId(request);
	const [from, ...otherSenders] = mailboxesIn(form, 'from');
	if (!from) {
		throw mailgunError('from parameter is missing');
	}

	const recipients = readRecipients(form);
	checkContents(form);
	checkOptions(form);
	const forms = ['attachment', 'inline'].filter(field => form.text(field) !== undefined);
	const draft: Draft = {
		form,
		id,
		from,
		attachments: [...filesIn(form, 'attachment'), ...filesIn(form, 'inline')],
		warnings: [
			...warnOfIgnoredOptions(form, messageFields),
			...forms.map(field => `"${field}" was ignored: it is a text, not a file.`),
			...(otherSenders.length > 0 ? ['"from" has several senders. The first one is used.'] : []),
		],
	};
	const variablesOf = readRecipientVariables(form.text('recipient-variables'));
	return variablesOf
		? recipients.to.map(recipient => mailTo(draft, {...recipients, to: [recipient]}, variablesOf(recipient)))
		: [mailTo(draft, recipients, text => text)];
}

function checkContents(form: FormFields): void {
	if (contentFields.every(field => form.text(field) === undefined)) {
		throw mailgunError("Need at least one of 'text' or 'html' parameters specified");
	}

	if (form.text('html') !== undefined && form.text('template') !== undefined) {
		throw mailgunError("Only one parameters 'html' or 'template' is allowed");
	}
}

function mailTo({form, id, from, attachments, warnings}: Draft, {to, cc, bcc}: Recipients, fillIn: FillIn): SentMail {
	const text = (field: string) => {
		const given = form.text(field);
		return given === undefined ? undefined : fillIn(given);
	};
	const {messageId = id, warnings: ofHeaders, ...added} = readAddedHeaders(form, fillIn);
	return {
		id: messageId,
		envelope: {from: from.address, to: [...to, ...cc, ...bcc].map(({address}) => address)},
		content: {
			from,
			to,
			cc,
			subject: text('subject') ?? '',
			text: text('text'),
			html: text('html'),
			amp: text('amp-html'),
			attachments,
			messageId,
			...added,
		},
		tags: tagsOf(form),
		metadata: readMetadata(form, fillIn),
		template: readTemplate(form, fillIn),
		warnings: [...warnings, ...ofHeaders],
	};
}

/** Files of a field. The HTML refers to inline files by their names. */
function filesIn(form: FormFields, field: 'attachment' | 'inline'): readonly SentAttachment[] {
	return form.files(field).map(({filename, value, contentType}) => ({
		filename,
		content: value,
		// Default of clients that do not know the type.
		contentType: contentType === 'application/octet-stream' ? '' : contentType,
		contentId: field === 'inline' ? filename : '',
		disposition: field,
	}));
}

const mimeFields = ['to', 'message', 'recipient-variables', 'o:tag'];

/** Reads a request with a MIME message, which is sent unchanged except for a missing `Message-ID`. */
function readMime(request: SendRequest): readonly SentMail[] {
	const form = readForm(request);
	const newId = newMailgunId(request);
	const {to} = readRecipients(form);
	const [message] = form.files('message');
	if (!message) {
		throw mailgunError(
			form.names.includes('message') ? "'message' parameter is not a file" : 'message parameter is missing',
		);
	}

	checkOptions(form);
	const variablesOf = readRecipientVariables(form.text('recipient-variables'));
	const warnings = warnOfIgnoredOptions(form, mimeFields);
	const encoding = isUtf8(message.value) ? 'utf8' : 'latin1';
	const from = fieldOf(message.value, 'from') ?? '';
	const ownId = fieldOf(message.value, 'message-id')?.trim();
	const mails = variablesOf ? to.map(one => [one]) : [to];
	return mails.map(recipients => {
		const fillIn = (variablesOf && recipients[0] && variablesOf(recipients[0])) ?? (text => text);
		const added = readAddedHeaders(form, fillIn);
		const head = [...(ownId ? [] : [['Message-Id', newId] as const]), ...added.headers];
		return {
			id: ownId ?? newId,
			envelope: {
				from: (readNamedAddress(from) ?? {address: ''}).address,
				to: recipients.map(({address}) => address),
			},
			content: {
				raw: Buffer.concat([
					Buffer.from(head.map(([name, value]) => `${name}: ${value}\r\n`).join('')),
					variablesOf ? Buffer.from(fillIn(message.value.toString(encoding)), encoding) : message.value,
				]),
			},
			tags: tagsOf(form),
			metadata: readMetadata(form, fillIn),
			warnings: [...warnings, ...added.warnings],
		};
	});
}

/** Decoded value of the first header with this name. */
function fieldOf(mail: Buffer, key: string): string | undefined {
	const field = splitHeader(headOf(mail)).find(one => one.key === key);
	return field && textOfField(field.line.slice(field.line.indexOf(':') + 1), bytes => bytes.toString('latin1'));
}

const maxRecipients = 1000;

/** Unique recipients of a request. */
type Recipients = Readonly<Record<'to' | 'cc' | 'bcc', readonly NamedAddress[]>>;

/** Reads the recipients. Throws if there are none or too many. */
function readRecipients(form: FormFields): Recipients {
	const seen = new Set<string>();
	const [to = [], cc = [], bcc = []] = ['to', 'cc', 'bcc'].map(field =>
		mailboxesIn(form, field).filter(({address}) => {
			const isNew = !seen.has(address.toLowerCase());
			seen.add(address.toLowerCase());
			return isNew;
		}),
	);
	if (to.length === 0) {
		throw mailgunError('to parameter is missing');
	}

	if (seen.size > maxRecipients) {
		throw mailgunError(`Too many recipients; max is ${maxRecipients}`);
	}

	return {to, cc, bcc};
}

/** Reads the mailboxes in a field. Throws for invalid ones. */
function mailboxesIn(form: FormFields, field: string): readonly NamedAddress[] {
	return form
		.texts(field)
		.flatMap(splitAddresses)
		.map(text => {
			const mailbox = readNamedAddress(text);
			if (!mailbox) {
				throw mailgunError(`${field} parameter is not a valid address. please check documentation`);
			}

			// Some clients encode names as in a header.
			return {...mailbox, name: decodeWords(mailbox.name, decodeByNode)};
		});
}

/** Message-ID in the format of Mailgun, with the time and the domain of the request. Throws for an invalid domain. */
function newMailgunId({params, now}: Pick<SendRequest, 'params' | 'now'>): string {
	const {domain = ''} = params;
	if (!/^[\p{L}\p{N}._-]{1,255}$/u.test(domain)) {
		throw mailgunError(`Domain not found: ${domain.slice(0, 255)}`, 404);
	}

	const time = now.toISOString().replace(/\D/g, '').slice(0, 14);
	return `<${time}.${randomBytes(8).toString('hex')}@${domain}>`;
}

/** Maximum size of all options with their names. */
const maxOptionBytes = 16 * 1024;

const optionPrefixes = ['o:', 'h:', 'v:', 't:'];

/** Characters that an error shows of a name. */
const maxNameLength = 100;

/** Options that have no effect in tinbox, with the reason. */
const ignoredOptions: Readonly<Record<string, string>> = {
	'o:archive-to': 'tinbox does not relay mail',
	'o:deliver-within': 'tinbox delivers immediately',
	'o:deliverytime': 'tinbox delivers immediately',
	'o:deliverytime-optimize-period': 'tinbox delivers immediately',
	'o:dkim': 'tinbox does not sign mail',
	'o:require-tls': 'tinbox does not relay mail',
	'o:secondary-dkim': 'tinbox does not sign mail',
	'o:secondary-dkim-public': 'tinbox does not sign mail',
	'o:sending-ip': 'tinbox does not relay mail',
	'o:sending-ip-pool': 'tinbox does not relay mail',
	'o:skip-verification': 'tinbox does not relay mail',
	'o:suppress-headers': 'tinbox does not add the headers of Mailgun',
	'o:testmode': 'Mailgun would not have delivered this mail',
	'o:time-zone-localize': 'tinbox delivers immediately',
	'o:tracking': 'tinbox does not rewrite links or add a tracking pixel',
	'o:tracking-clicks': 'tinbox does not rewrite links',
	'o:tracking-opens': 'tinbox does not add a tracking pixel',
	'o:tracking-pixel-location-top': 'tinbox does not add a tracking pixel',
	't:text': 'tinbox does not generate text from the template',
	't:version': 'templates in tinbox have one version',
};

/** Throws for options that Mailgun rejects. */
function checkOptions(form: FormFields): void {
	const texts = optionPrefixes.flatMap(prefix => form.withPrefix(prefix));
	const bytes = texts.reduce((sum, [name, text]) => sum + Buffer.byteLength(name) + 2 + Buffer.byteLength(text), 0);
	if (bytes > maxOptionBytes) {
		throw mailgunError('Send options (parameters starting with o:, h:, or v:) are limited to 16 kB total');
	}

	const wrong = form.withPrefix('h:').find(([name]) => !isHeader(name, ''));
	if (wrong) {
		throw mailgunError(`Header name must be pure ASCII: ${wrong[0].slice(0, maxNameLength)}`);
	}

	const time = form.text('o:deliverytime');
	if (time !== undefined && !/^\d+$/.test(time) && Number.isNaN(Date.parse(time))) {
		throw mailgunError(`${time.slice(0, maxNameLength)} is not an RFC-2822 compliant date`);
	}
}

/** Warnings about options without effect and about unknown fields, which are all but `known`. */
function warnOfIgnoredOptions(form: FormFields, known: readonly string[]): readonly string[] {
	const asked = Object.entries(ignoredOptions).filter(([name]) => !/^(no|false)?$/i.test(form.text(name) ?? ''));
	const unknown = form.names.filter(
		name => !known.includes(name) && !Object.hasOwn(ignoredOptions, name) && !/^[hv]:./.test(name),
	);
	const isUnused = form.text('t:variables') !== undefined && form.text('template') === undefined;
	return [
		...(isUnused ? ['"t:variables" has no effect without "template".'] : []),
		...asked.map(([name, meaning]) => `"${name}" has no effect: ${meaning}.`),
		...warnOfUnknownFields(unknown, 'Mailgun'),
	];
}

/** Additional headers, and headers that replace other fields. */
type AddedHeaders = Pick<ComposedContent, 'headers' | 'replyTo' | 'date'> & {
	readonly messageId: string | undefined;
	readonly warnings: readonly string[];
};

/** Header with variables, which is not part of the mail. */
const variablesHeader = 'x-mailgun-variables';

/** Reads the headers in the options `h:…`. */
function readAddedHeaders(form: FormFields, fillIn: FillIn): AddedHeaders {
	const all = form.withPrefix('h:').map(([name, text]) => ({name, key: name.toLowerCase(), value: fillIn(text)}));
	const valueOfHeader = (key: string) => all.find(header => header.key === key)?.value.trim();
	const replyTo = splitAddresses(valueOfHeader('reply-to') ?? '').map(readNamedAddress);
	const [messageId] = /^<[^<>\s]+>$/.exec(valueOfHeader('message-id') ?? '') ?? [];
	const date = new Date(valueOfHeader('date') ?? Number.NaN);
	const isDate = !Number.isNaN(date.getTime());
	const isUsed = (key: string) =>
		(key === 'reply-to' && replyTo.every(isThere)) || (key === 'message-id' && messageId) || (key === 'date' && isDate);
	const others = all.filter(({key}) => key !== variablesHeader && !isUsed(key));
	const isAdded = ({name, value}: {name: string; value: string}) => !isTakenHeader(name) && isHeader(name, value);
	return {
		headers: others.filter(isAdded).map(({name, value}) => [name, value] as const),
		replyTo: replyTo.filter(isThere),
		messageId,
		date: isDate ? date : undefined,
		warnings: others
			.filter(header => !isAdded(header))
			.map(({name}) => `"h:${name.slice(0, 100)}" was ignored: it is not a valid header, or tinbox sets it.`),
	};
}

function isThere(mailbox: NamedAddress | undefined): mailbox is NamedAddress {
	return mailbox !== undefined;
}

function tagsOf(form: FormFields): SentMail['tags'] {
	return form.texts('o:tag').map(value => ({name: null, value}));
}

/** Variables of the mail (`v:…` and `h:X-Mailgun-Variables`) as strings. */
function readMetadata(form: FormFields, fillIn: FillIn): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(variablesOf(form, fillIn)).map(([name, value]) => [name, asText(value)]));
}

/** Template with the variables of the template and the mail. */
function readTemplate(form: FormFields, fillIn: FillIn): SentMail['template'] {
	const id = form.text('template');
	if (id === undefined) {
		return undefined;
	}

	const own = readVariables('t:variables', form.text('t:variables') ?? '{}');
	return {id, data: {...variablesOf(form, fillIn), ...fillInAll(own, fillIn)}};
}

function variablesOf(form: FormFields, fillIn: FillIn): Readonly<Record<string, unknown>> {
	const [, header] = form.withPrefix('h:').find(([name]) => name.toLowerCase() === 'x-mailgun-variables') ?? [];
	const all = header === undefined ? {} : readVariables('h:X-Mailgun-Variables', header);
	return {
		...fillInAll(all, fillIn),
		...Object.fromEntries(form.withPrefix('v:').map(([name, text]) => [name, fillIn(text)])),
	};
}

/** Replaces recipient variables in all strings of the variables. */
function fillInAll(variables: Readonly<Record<string, unknown>>, fillIn: FillIn): Readonly<Record<string, unknown>> {
	return JSON.parse(JSON.stringify(variables), (_, value) => (typeof value === 'string' ? fillIn(value) : value));
}

/** Replaces recipient variables in a text. */
type FillIn = (text: string) => string;

/** Variables that Mailgun defines for each recipient. */
const builtInVariables = {
	recipient: ({address}: NamedAddress) => address,
	recipient_email: ({address}: NamedAddress) => address,
	recipient_name: ({name}: NamedAddress) => name,
} as const;

/**
 * Parses the recipient variables (`%recipient.name%`) and returns their replacement for each recipient; undefined if there are
 * none. Variables without a value are kept. Throws for invalid JSON.
 */
function readRecipientVariables(json: string | undefined): ((recipient: NamedAddress) => FillIn) | undefined {
	if (json === undefined) {
		return undefined;
	}

	const all = new Map(
		Object.entries(readVariables('recipient-variables', json)).map(([address, variables]) => [
			address.toLowerCase(),
			new Map(Object.entries(variables ?? {})),
		]),
	);
	return recipient => {
		const variables = all.get(recipient.address.toLowerCase());
		return text =>
			text.replace(/%(recipient(?:_\w{1,10})?)(?:\.([^%\r\n]{1,200}))?%/g, (tag, own: string, name?: string) => {
				if (name === undefined) {
					return builtInVariables[own as keyof typeof builtInVariables]?.(recipient) ?? tag;
				}

				const value = own === 'recipient' ? variables?.get(name) : undefined;
				return value === undefined ? tag : asText(value);
			});
	};
}

function asText(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses variables in JSON. Throws unless the JSON is an object. */
function readVariables(field: string, json: string): Readonly<Record<string, unknown>> {
	const value = parse(field, json);
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw notJson(field);
	}

	return {...value};
}

function parse(field: string, json: string): unknown {
	try {
		return readJson(Buffer.from(json));
	} catch (error) {
		throw error instanceof SendError ? notJson(field) : error;
	}
}

function notJson(field: string) {
	return mailgunError(`'${field}' parameter is not a valid JSON`);
}
