import {Unsent} from '../../domain/mail/sending.js';
import {readJson} from '../json.js';
import {isHeader, isTakenHeader, readNamedAddress, splitAddresses} from '../mail-fields.js';
import type {ComposedContent, NamedAddress, SentMail} from '../provider.js';
import {mailgunError} from './errors.js';
import type {FormFields} from './form.js';

/** Of all options with their names. */
const maxBytes = 16 * 1024;

const optionPrefixes = ['o:', 'h:', 'v:', 't:'];

/** How many unknown fields are named, and how much is shown of a name. */
const maxNamed = 20;
const maxNameLength = 100;

/** What Mailgun does for these options, and nobody here. */
const undone: Readonly<Record<string, string>> = {
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

/** Throws for options that Mailgun does not take. */
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

/** Says which options ask for something that is not done here, and which fields nobody knows besides those that are named. */
export function undoneOptions(form: FormFields, known: readonly string[]): readonly string[] {
	const asked = Object.entries(undone).filter(([name]) => !/^(no|false)?$/i.test(form.text(name) ?? ''));
	const unknown = form.names.filter(
		name => !known.includes(name) && !Object.hasOwn(undone, name) && !/^[hv]:./.test(name),
	);
	const named = unknown.slice(0, maxNamed).map(name => JSON.stringify(name.slice(0, maxNameLength)));
	const more = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : '';
	const isUnused = form.text('t:variables') !== undefined && form.text('template') === undefined;
	return [
		...(isUnused ? ['"t:variables" has no effect without "template".'] : []),
		...asked.map(([name, meaning]) => `"${name}" has no effect: ${meaning}.`),
		...(named.length > 0 ? [`Unknown Mailgun fields were ignored: ${named.join(', ')}${more}.`] : []),
	];
}

/** What the headers of a request say of a mail. */
type Added = Pick<ComposedContent, 'headers' | 'replyTo' | 'date'> & {
	readonly messageId: string | undefined;
	readonly warnings: readonly string[];
};

/** Of Mailgun itself: variables, which are no header of the mail. */
const variablesHeader = 'x-mailgun-variables';

/** The headers that a request adds by `h:`, and what they say in the place of fields of their own. */
export function readAddedHeaders(form: FormFields, fillIn: FillIn): Added {
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

/** The variables of the mail (`v:`, and all at once `h:X-Mailgun-Variables`), as text. */
export function readMetadata(form: FormFields, fillIn: FillIn): Readonly<Record<string, string>> {
	const entries = Object.entries(variablesOf(form, fillIn));
	return Object.fromEntries(
		entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
	);
}

/** Which template the mail is made from, with the variables of the mail and its own. */
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

/** The variables with all texts within them filled in. */
function fillInAll(variables: Readonly<Record<string, unknown>>, fillIn: FillIn): Readonly<Record<string, unknown>> {
	return JSON.parse(JSON.stringify(variables), (_, value) => (typeof value === 'string' ? fillIn(value) : value));
}

/** Puts the variables of one recipient in. */
export type FillIn = (text: string) => string;

/** What stands for the recipient itself. */
const ownVariables = {
	recipient: ({address}: NamedAddress) => address,
	recipient_email: ({address}: NamedAddress) => address,
	recipient_name: ({name}: NamedAddress) => name,
} as const;

/**
 * How a text reads for each recipient (`%recipient.name%`); undefined where there are no recipient variables: then one mail
 * goes to all of them. What has no value stays as it is. Throws where they are no JSON.
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
					return ownVariables[own as keyof typeof ownVariables]?.(recipient) ?? tag;
				}

				const value = own === 'recipient' ? variables?.get(name) : undefined;
				return value === undefined ? tag : asText(value);
			});
	};
}

function asText(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The variables in a field, as JSON says them. Throws where it says none. */
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
