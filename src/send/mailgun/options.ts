import {Unsent} from '../../domain/mail/sending.js';
import {readJson, warnOfUnknownFields} from '../json.js';
import {isHeader, isTakenHeader, readNamedAddress, splitAddresses} from '../mail-fields.js';
import type {ComposedContent, NamedAddress, SentMail} from '../provider.js';
import {mailgunError} from './errors.js';
import type {FormFields} from './form.js';

/** Maximum size of all options with their names. */
const maxBytes = 16 * 1024;

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
export function checkOptions(form: FormFields): void {
	const texts = optionPrefixes.flatMap(prefix => form.withPrefix(prefix));
	const bytes = texts.reduce((sum, [name, text]) => sum + Buffer.byteLength(name) + 2 + Buffer.byteLength(text), 0);
	if (bytes > maxBytes) {
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
export function warnOfIgnoredOptions(form: FormFields, known: readonly string[]): readonly string[] {
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
export function readAddedHeaders(form: FormFields, fillIn: FillIn): AddedHeaders {
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

export function tagsOf(form: FormFields): SentMail['tags'] {
	return form.texts('o:tag').map(value => ({name: null, value}));
}

/** Variables of the mail (`v:…` and `h:X-Mailgun-Variables`) as strings. */
export function readMetadata(form: FormFields, fillIn: FillIn): Readonly<Record<string, string>> {
	const entries = Object.entries(variablesOf(form, fillIn));
	return Object.fromEntries(
		entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
	);
}

/** Template with the variables of the template and the mail. */
export function readTemplate(form: FormFields, fillIn: FillIn): SentMail['template'] {
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
export type FillIn = (text: string) => string;

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
export function readRecipientVariables(json: string | undefined): ((recipient: NamedAddress) => FillIn) | undefined {
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
		throw error instanceof Unsent ? notJson(field) : error;
	}
}

function notJson(field: string) {
	return mailgunError(`'${field}' parameter is not a valid JSON`);
}
