import {randomUUID} from 'node:crypto';
import {z} from 'zod';
import {
	describeType,
	fieldNames,
	fieldPath,
	objectList,
	optional,
	readJson,
	stringList,
	validate,
	warnOfUnknownFields,
} from '../json.js';
import {isHeader, isTakenHeader, readNamedAddress} from '../mail-fields.js';
import {
	type FoundMail,
	type MailOutcome,
	type NamedAddress,
	type Provider,
	readOrReject,
	type SendRequest,
	type SendRoute,
	type SentAttachment,
	type SentMail,
	type ShowRoute,
} from '../provider.js';
import {refuseField, refuseRequest, resendProblem} from './errors.js';

/** Maximum number of mails in a batch. */
const maxBatch = 100;

const types = ['application/json'];

const single: SendRoute = {
	method: 'POST',
	path: '/emails',
	types,
	read(request) {
		checkIdempotencyKey(request);
		return [readResendEmail(readJson(request.body, {hasByteLists: true}), {now: request.now, inBatch: false})];
	},
	answer: ([outcome]) => ({status: 200, body: {id: outcome && 'id' in outcome ? outcome.id : undefined}}),
};

const batch: SendRoute = {
	method: 'POST',
	path: '/emails/batch',
	types,
	read(request) {
		checkIdempotencyKey(request);
		const emails = readJson(request.body, {hasByteLists: true});
		if (!Array.isArray(emails) || emails.length === 0 || emails.length > maxBatch) {
			throw refuseRequest(`The body must be an array of 1 to ${maxBatch} emails.`);
		}

		return emails.map(email => {
			const read = () => readResendEmail(email, {now: request.now, inBatch: true});
			return isPermissive(request) ? readOrReject(read) : read();
		});
	},
	answer(outcomes, request) {
		const data = outcomes.flatMap(outcome => ('id' in outcome ? [{id: outcome.id}] : []));
		return {status: 200, body: isPermissive(request) ? {data, errors: outcomes.flatMap(errorsOf)} : {data}};
	},
};

/** `GET /emails/:id`. */
const showResendEmail: ShowRoute = {
	path: '/emails/:id',
	idOf({params: {id = ''}}) {
		if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) {
			throw refuseRequest('The `id` must be a valid UUID.', 'invalid_parameter');
		}

		return id.toLowerCase();
	},
	show: mail => ({status: 200, body: emailBody(mail)}),
};

export const resend: Provider = {
	name: 'resend',
	maxBytes: 40 * 1024 * 1024,
	routes: [single, batch],
	shows: [showResendEmail],
	keyOf: ({headers}) => /^bearer +(\S+) *$/i.exec(headers['authorization'] ?? '')?.[1],
	idempotencyKeyOf: ({headers}) => headers['idempotency-key'],
	problem: resendProblem,
};

function checkIdempotencyKey({headers}: SendRequest): void {
	const key = headers['idempotency-key'];
	if (key !== undefined && (key === '' || key.length > 256)) {
		throw refuseRequest('The key must be between 1-256 chars.', 'invalid_idempotency_key', 400);
	}
}

/** True in permissive mode: invalid mails do not prevent the others of a batch from being sent. */
function isPermissive({headers}: SendRequest): boolean {
	return headers['x-batch-validation'] === 'permissive';
}

function errorsOf(outcome: MailOutcome, index: number) {
	return 'failure' in outcome
		? [{index, message: (resendProblem(outcome.failure).body as {message: string}).message}]
		: [];
}

function emailBody({id, messageId, createdAt, from, to, cc, bcc, replyTo, subject, html, text, tags}: FoundMail) {
	return {
		object: 'email',
		id,
		message_id: messageId,
		to,
		from,
		created_at: createdAt,
		subject,
		html,
		text,
		bcc,
		cc,
		reply_to: replyTo,
		last_event: 'delivered',
		scheduled_at: null,
		tags,
	};
}

/** Maximum number of recipients in each of `to`, `cc` and `bcc`. */
const maxRecipients = 50;

const maxTags = 75;

/** Sender of a mail whose template may name one: tinbox does not know it, so this is the test address of Resend. */
const templateSender: NamedAddress = {name: '', address: 'onboarding@resend.dev'};

const text = optional(z.string());
const record = optional(z.record(z.string(), z.unknown()));

const attachmentSchema = z.strictObject({
	// `false`: the attachment has no name.
	filename: z.preprocess(value => (value === false ? '' : value), text),
	content_type: text,
	content_id: text,
	inline_content_id: text,
	content: optional(z.unknown()),
	path: text,
});

const emailSchema = z.strictObject({
	to: z.preprocess(value => (value === '' ? [] : value), stringList),
	text,
	html: text,
	subject: text,
	from: text,
	cc: stringList,
	bcc: stringList,
	reply_to: stringList,
	template: optional(z.strictObject({id: text, variables: record})),
	attachments: objectList(attachmentSchema),
	headers: record,
	tags: objectList(z.strictObject({name: text, value: text})),
	scheduled_at: text,
	topic_id: optional(z.unknown()),
});

type Email = z.output<typeof emailSchema>;
type Attachment = z.output<typeof attachmentSchema>;

/** Reads the body of `POST /emails`, or one element of `POST /emails/batch`. Throws `SendError`. */
function readResendEmail(body: unknown, {now, inBatch}: {readonly now: Date; readonly inBatch: boolean}): SentMail {
	const {value: email, unknown} = validate(emailSchema, body, describeType, ([{path, message}]) =>
		refuseField(fieldPath(path), message),
	);
	const template = readTemplate(email);
	const {to, from, ...content} = readRequiredFields(email);
	const [cc, bcc, replyTo] = [
		readMailboxes('cc', email.cc),
		readMailboxes('bcc', email.bcc),
		readMailboxes('reply_to', email.reply_to),
	];
	const {attachments, warnings: attachmentWarnings} = readAttachments(email.attachments);
	const {headers, warnings: headerWarnings} = readHeaders(email.headers);
	const tags = readTags(email.tags);
	const ignored = warnOfIgnoredFields(email, now);
	const id = randomUUID();
	return {
		envelope: {from: from.address, to: [...new Set([...to, ...cc, ...bcc].map(({address}) => address))]},
		content: {
			from,
			to,
			cc,
			replyTo,
			...content,
			attachments,
			headers,
			messageId: `<${id}@resend.dev>`,
			date: now,
		},
		tags,
		metadata: {},
		template,
		warnings: [
			...(email.from
				? []
				: [`"from" is missing and tinbox does not know the sender of the template. Using ${from.address}.`]),
			...attachmentWarnings,
			...(inBatch && attachments.length > 0 ? ['"attachments": Resend does not accept attachments in a batch.'] : []),
			...headerWarnings,
			...ignored,
			...warnOfUnknownFields(fieldNames(unknown)),
		],
		id,
	};
}

/** Checks the required fields in the order in which Resend does. */
function readRequiredFields(email: Email) {
	const {text = '', html = '', subject = ''} = email;
	const hasTemplate = email.template !== undefined;
	if (email.to.length === 0) {
		throw missingField('to');
	}

	if (hasTemplate && (text || html)) {
		throw refuseRequest('The `template` field cannot be used with `html` or `text`.');
	}

	if (!(hasTemplate || text || html)) {
		throw refuseRequest('Missing `html` or `text` field.');
	}

	if (subject === '' && !hasTemplate) {
		throw missingField('subject');
	}

	if (/[\r\n]/.test(subject)) {
		throw refuseRequest('The `\\n` is not allowed in the `subject` field.');
	}

	return {
		to: readMailboxes('to', email.to),
		from: readSender(email.from, hasTemplate),
		subject,
		text: text || undefined,
		html: html || undefined,
	};
}

function readSender(text = '', hasTemplate: boolean): NamedAddress {
	if (text === '' && !hasTemplate) {
		throw missingField('from');
	}

	const from = text === '' ? templateSender : readNamedAddress(text);
	if (!from) {
		throw refuseRequest(wrongAddress('from'), 'invalid_from_address');
	}

	return from;
}

function readMailboxes(field: string, texts: readonly string[]): readonly NamedAddress[] {
	if (texts.length > maxRecipients) {
		throw refuseRequest(`The \`${field}\` field has ${texts.length} recipients. The maximum is ${maxRecipients}.`);
	}

	return texts.map(text => {
		const mailbox = readNamedAddress(text);
		if (!mailbox) {
			throw refuseRequest(wrongAddress(field));
		}

		return mailbox;
	});
}

function wrongAddress(field: string): string {
	return `Invalid \`${field}\` field. The email address needs to follow the \`email@example.com\` or \`Name <email@example.com>\` format.`;
}

function readTemplate({template}: Email): SentMail['template'] {
	if (!template) {
		return undefined;
	}

	const {id = '', variables = {}} = template;
	if (id === '') {
		throw missingField('template.id');
	}

	const wrong = Object.entries(variables).find(([, value]) => typeof value !== 'string' && typeof value !== 'number');
	if (wrong) {
		throw refuseField(`template.variables.${wrong[0]}`, 'must be a string or a number');
	}

	return {id, data: variables};
}

function readHeaders(fields: Email['headers'] = {}) {
	const headers: [name: string, value: string][] = [];
	const warnings: string[] = [];
	for (const [name, value] of Object.entries(fields)) {
		if (typeof value !== 'string' || !isHeader(name, value)) {
			throw refuseField(`headers.${name.slice(0, 100)}`, 'must be a valid header with a string value on one line');
		}

		if (isTakenHeader(name)) {
			warnings.push(`"headers.${name}" was ignored: tinbox sets this header.`);
		} else {
			headers.push([name, value]);
		}
	}

	return {headers, warnings};
}

function readTags(given: Email['tags']): SentMail['tags'] {
	const tags = given.map(({name = '', value = ''}) => ({name, value}));
	if (tags.length > maxTags) {
		throw refuseRequest(`The \`tags\` field has ${tags.length} tags. The maximum is ${maxTags}.`);
	}

	if (tags.some(({name}) => name === '')) {
		throw missingField('tags.name');
	}

	for (const text of tags.flatMap(({name, value}) => [name, value])) {
		if (!/^[\w-]*$/.test(text)) {
			throw refuseRequest('Tags should only contain ASCII letters, numbers, underscores, or dashes.');
		}

		if (text.length > 256) {
			throw refuseRequest('Tags should have no more than 256 characters.');
		}
	}

	return tags;
}

/** Warnings about fields of Resend that have no effect in tinbox. */
function warnOfIgnoredFields({scheduled_at: scheduledAt, topic_id: topicId}: Email, now: Date): readonly string[] {
	if (scheduledAt !== undefined && Date.parse(scheduledAt) <= now.getTime()) {
		throw refuseRequest('The `scheduled_at` field must be a future date');
	}

	return [
		...(scheduledAt === undefined
			? []
			: [`"scheduled_at" is ${JSON.stringify(scheduledAt.slice(0, 100))}, but tinbox delivers immediately.`]),
		...(topicId === undefined ? [] : ['"topic_id" has no effect: tinbox has no topic subscriptions.']),
	];
}

function missingField(field: string) {
	return refuseRequest(`Missing \`${field}\` field.`, 'missing_required_field');
}

/** File extensions that Resend does not send. */
const refusedExtensions: ReadonlySet<string> = new Set(
	`adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf mag
	mam maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp mst ops pcd pif
	plg prf prg reg scf scr sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps vsmacros vss vst vsw vxd
	ws wsc wsf wsh xnk`.split(/\s+/),
);

/** Reads the attachments. Attachments that Resend would download from `path` are omitted with a warning. */
function readAttachments(given: readonly Attachment[]) {
	const attachments: SentAttachment[] = [];
	const warnings: string[] = [];
	for (const [index, attachment] of given.entries()) {
		const field = `attachments[${index}]`;
		const content = readContent(attachment, field, warnings);
		const properties = readProperties(attachment, field);
		if (content) {
			attachments.push({...properties, content});
		}
	}

	return {attachments, warnings};
}

function readProperties(attachment: Attachment, field: string): Omit<SentAttachment, 'content'> {
	const {filename = '', content_type: contentType = '', inline_content_id: inlineId = ''} = attachment;
	const contentId = attachment.content_id ?? inlineId;
	for (const [name, text] of Object.entries({filename, content_type: contentType, content_id: contentId})) {
		if (/\p{Cc}/u.test(text)) {
			throw refuseField(`${field}.${name}`, 'must be on one line');
		}
	}

	if (refusedExtensions.has(/\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '')) {
		throw refuseRequest(`Attachments of this type are not supported: ${filename.slice(-100)}`, 'invalid_attachment');
	}

	return {filename, contentType, contentId, disposition: contentId === '' ? 'attachment' : 'inline'};
}

/** Bytes of an attachment; undefined if Resend would download them. */
function readContent({content, path}: Attachment, field: string, warnings: string[]): Buffer | undefined {
	if (content === undefined && path === undefined) {
		throw refuseRequest('Attachment must have either a `content` or `path`.', 'invalid_attachment');
	}

	if (content === undefined) {
		warnings.push(`"${field}.path" was ignored: tinbox does not download files, so this one is not attached.`);
		return undefined;
	}

	if (typeof content !== 'string') {
		return readBytes(content, `${field}.content`);
	}

	if (/[^A-Za-z\d+/=_\s-]/.test(content)) {
		warnings.push(`"${field}.content" is not valid Base64. Only the part that could be decoded is attached.`);
	}

	return Buffer.from(content, 'base64');
}

/** Reads a list of bytes, or the JSON form of a Node.js `Buffer`. */
function readBytes(content: unknown, field: string): Buffer {
	const bytes: unknown = typeof content === 'object' && content !== null && 'data' in content ? content.data : content;
	if (!Array.isArray(bytes) || !bytes.every(byte => Number.isInteger(byte) && byte >= 0 && byte <= 255)) {
		throw refuseField(field, 'must be Base64 or a list of bytes');
	}

	return Buffer.from(bytes);
}
