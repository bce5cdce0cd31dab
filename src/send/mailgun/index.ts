import {isUtf8} from 'node:buffer';
import {randomBytes} from 'node:crypto';
import {decodeByNode} from '../../mime/parse/charsets.js';
import {decodeWords} from '../../mime/parse/encoded-words.js';
import {headOf, splitHeader, textOfField} from '../../mime/parse/header-section.js';
import {readNamedAddress, splitAddresses} from '../mail-fields.js';
import {
	type Answer,
	basicCredentials,
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
import {
	checkOptions,
	type FillIn,
	readAddedHeaders,
	readMetadata,
	readRecipientVariables,
	readTemplate,
	tagsOf,
	warnOfIgnoredOptions,
} from './options.js';

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
			template: undefined,
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
