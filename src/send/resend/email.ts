import {randomUUID} from 'node:crypto';
import {Fields, WrongField} from '../fields.js';
import {isHeader, isTakenHeader, readNamedAddress} from '../mail-fields.js';
import {type NamedAddress, SendError, type SentAttachment, type SentMail} from '../provider.js';
import {resendError} from './errors.js';

/** Recipients in each of `to`, `cc` and `bcc`. */
const maxRecipients = 50;

const maxTags = 75;

/** What a mail of a template comes from that names no sender, as its template at Resend may: Resend's own for tests. */
const templateSender: NamedAddress = {name: '', address: 'onboarding@resend.dev'};

type ResendOptions = {readonly now: Date; readonly inBatch: boolean};

/** The mail that the body of `POST /emails` asks for, or one of `POST /emails/batch`. Throws `SendError`. */
export function readResendEmail(body: unknown, options: ResendOptions): SentMail {
	try {
		return readFields(new Fields(body), options);
	} catch (error) {
		if (error instanceof WrongField) {
			const field = error.field === '' ? 'The body' : `Invalid \`${error.field}\` field. It`;
			throw new SendError(resendError(422, 'validation_error', `${field} ${error.problem}.`));
		}

		throw error;
	}
}

function readFields(fields: Fields, {now, inBatch}: ResendOptions): SentMail {
	const template = readTemplate(fields);
	const {to, from, subject, text, html} = readRequired(fields, template !== undefined);
	const [cc, bcc, replyTo] = [readList(fields, 'cc'), readList(fields, 'bcc'), readList(fields, 'reply_to')];
	const {attachments, warnings: ofAttachments} = readResendAttachments(fields.objects('attachments'));
	const {headers, warnings: ofHeaders} = readHeaders(fields);
	const tags = readTags(fields);
	const undone = warningsOfUndone(fields, now);
	const id = randomUUID();
	return {
		envelope: {from: from.address, to: [...new Set([...to, ...cc, ...bcc].map(({address}) => address))]},
		content: {
			from,
			to,
			cc,
			replyTo,
			subject,
			text,
			html,
			amp: undefined,
			attachments,
			headers,
			messageId: `<${id}@resend.dev>`,
			date: now,
		},
		tags,
		metadata: {},
		template,
		warnings: [
			...(fields.value('from')
				? []
				: [`"from" is missing and tinbox does not know the sender of the template. Using ${from.address}.`]),
			...ofAttachments,
			...(inBatch && attachments.length > 0 ? ['"attachments": Resend does not accept attachments in a batch.'] : []),
			...ofHeaders,
			...undone,
			...fields.warnings(),
		],
		id,
	};
}

/** What has to be there, looked at in Resend's order. */
function readRequired(fields: Fields, hasTemplate: boolean) {
	if (fields.texts('to').length === 0 || fields.value('to') === '') {
		throw missing('to');
	}

	const [text, html] = [fields.text('text'), fields.text('html')];
	if (hasTemplate && (text || html)) {
		throw invalid('The `template` field cannot be used with `html` or `text`.');
	}

	if (!(hasTemplate || text || html)) {
		throw invalid('Missing `html` or `text` field.');
	}

	const subject = fields.text('subject') ?? '';
	if (subject === '' && !hasTemplate) {
		throw missing('subject');
	}

	if (/[\r\n]/.test(subject)) {
		throw invalid('The `\\n` is not allowed in the `subject` field.');
	}

	return {
		to: readList(fields, 'to'),
		from: readSender(fields, hasTemplate),
		subject,
		text: text || undefined,
		html: html || undefined,
	};
}

function readSender(fields: Fields, hasTemplate: boolean): NamedAddress {
	const text = fields.text('from') ?? '';
	if (text === '' && !hasTemplate) {
		throw missing('from');
	}

	const from = text === '' ? templateSender : readNamedAddress(text);
	if (!from) {
		throw new SendError(resendError(422, 'invalid_from_address', wrongAddress('from')));
	}

	return from;
}

function readList(fields: Fields, name: string): readonly NamedAddress[] {
	const texts = fields.texts(name);
	if (texts.length > maxRecipients) {
		throw invalid(`The \`${name}\` field has ${texts.length} recipients. The maximum is ${maxRecipients}.`);
	}

	return texts.map(text => {
		const mailbox = readNamedAddress(text);
		if (!mailbox) {
			throw invalid(wrongAddress(name));
		}

		return mailbox;
	});
}

function wrongAddress(field: string): string {
	return `Invalid \`${field}\` field. The email address needs to follow the \`email@example.com\` or \`Name <email@example.com>\` format.`;
}

function readTemplate(fields: Fields): SentMail['template'] {
	const template = fields.object('template');
	if (!template) {
		return undefined;
	}

	const id = template.text('id') ?? '';
	if (id === '') {
		throw missing('template.id');
	}

	const variables = template.object('variables')?.entries() ?? [];
	const wrong = variables.find(([, value]) => typeof value !== 'string' && typeof value !== 'number');
	if (wrong) {
		throw new WrongField(`template.variables.${wrong[0]}`, 'must be a string or a number');
	}

	return {id, data: Object.fromEntries(variables)};
}

function readHeaders(fields: Fields) {
	const headers: [name: string, value: string][] = [];
	const warnings: string[] = [];
	for (const [name, value] of fields.object('headers')?.entries() ?? []) {
		if (typeof value !== 'string' || !isHeader(name, value)) {
			throw new WrongField(`headers.${name.slice(0, 100)}`, 'must be a valid header with a string value on one line');
		}

		if (isTakenHeader(name)) {
			warnings.push(`"headers.${name}" was ignored: tinbox sets this header.`);
		} else {
			headers.push([name, value]);
		}
	}

	return {headers, warnings};
}

function readTags(fields: Fields): SentMail['tags'] {
	const tags = fields.objects('tags').map(tag => ({name: tag.text('name') ?? '', value: tag.text('value') ?? ''}));
	if (tags.length > maxTags) {
		throw invalid(`The \`tags\` field has ${tags.length} tags. The maximum is ${maxTags}.`);
	}

	if (tags.some(({name}) => name === '')) {
		throw missing('tags.name');
	}

	for (const text of tags.flatMap(({name, value}) => [name, value])) {
		if (!/^[\w-]*$/.test(text)) {
			throw invalid('Tags should only contain ASCII letters, numbers, underscores, or dashes.');
		}

		if (text.length > 256) {
			throw invalid('Tags should have no more than 256 characters.');
		}
	}

	return tags;
}

/** Fields that Resend knows and that change nothing here. */
function warningsOfUndone(fields: Fields, now: Date): readonly string[] {
	const scheduledAt = fields.text('scheduled_at');
	if (scheduledAt !== undefined && Date.parse(scheduledAt) <= now.getTime()) {
		throw invalid('The `scheduled_at` field must be a future date');
	}

	return [
		...(scheduledAt === undefined
			? []
			: [`"scheduled_at" is ${JSON.stringify(scheduledAt.slice(0, 100))}, but tinbox delivers immediately.`]),
		...(fields.value('topic_id') === undefined ? [] : ['"topic_id" has no effect: tinbox has no topic subscriptions.']),
	];
}

function missing(field: string): SendError {
	return new SendError(resendError(422, 'missing_required_field', `Missing \`${field}\` field.`));
}

function invalid(message: string): SendError {
	return new SendError(resendError(422, 'validation_error', message));
}

/** Endings of files that Resend does not send. */
const refusedEndings: ReadonlySet<string> = new Set(
	`adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf mag
	mam maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp mst ops pcd pif
	plg prf prg reg scf scr sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps vsmacros vss vst vsw vxd
	ws wsc wsf wsh xnk`.split(/\s+/),
);

type Read = {readonly attachments: readonly SentAttachment[]; readonly warnings: readonly string[]};

/** The attachments of a mail. Those that Resend would fetch from an address are left out, with a warning. Throws `SendError`. */
function readResendAttachments(given: readonly Fields[]): Read {
	const attachments: SentAttachment[] = [];
	const warnings: string[] = [];
	for (const fields of given) {
		const content = readContent(fields, warnings);
		const attachment = {...readHead(fields), content};
		if (content) {
			attachments.push({...attachment, content});
		}
	}

	return {attachments, warnings};
}

function readHead(fields: Fields) {
	const given = fields.value('filename');
	const filename = given === false ? '' : (fields.text('filename') ?? '');
	const contentType = fields.text('content_type') ?? '';
	const contentId = fields.text('content_id') ?? fields.text('inline_content_id') ?? '';
	for (const [name, text] of Object.entries({filename, content_type: contentType, content_id: contentId})) {
		if (/\p{Cc}/u.test(text)) {
			throw new WrongField(fields.pathOf(name), 'must be on one line');
		}
	}

	if (refusedEndings.has(/\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '')) {
		throw invalidAttachment(`Attachments of this type are not supported: ${filename.slice(-100)}`);
	}

	return {
		filename,
		contentType,
		contentId,
		disposition: contentId === '' ? ('attachment' as const) : ('inline' as const),
	};
}

/** Undefined where it is to be fetched from somewhere. */
function readContent(fields: Fields, warnings: string[]): Buffer | undefined {
	const content = fields.value('content');
	const path = fields.text('path');
	if (content === undefined && path === undefined) {
		throw invalidAttachment('Attachment must have either a `content` or `path`.');
	}

	if (content === undefined) {
		warnings.push(
			`"${fields.pathOf('path')}" was ignored: tinbox does not download files, so this one is not attached.`,
		);
		return undefined;
	}

	if (typeof content !== 'string') {
		return readBytes(content, fields.pathOf('content'));
	}

	if (/[^A-Za-z\d+/=_\s-]/.test(content)) {
		warnings.push(
			`"${fields.pathOf('content')}" is not valid Base64. Only the part that could be decoded is attached.`,
		);
	}

	return Buffer.from(content, 'base64');
}

/** A list of bytes, or what JSON makes of a `Buffer` of Node. */
function readBytes(content: unknown, field: string): Buffer {
	const bytes: unknown = typeof content === 'object' && content !== null && 'data' in content ? content.data : content;
	if (!Array.isArray(bytes) || !bytes.every(byte => Number.isInteger(byte) && byte >= 0 && byte <= 255)) {
		throw new WrongField(field, 'must be Base64 or a list of bytes');
	}

	return Buffer.from(bytes);
}

function invalidAttachment(message: string): SendError {
	return new SendError(resendError(422, 'invalid_attachment', message));
}
