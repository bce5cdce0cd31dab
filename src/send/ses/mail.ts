import {randomUUID} from 'node:crypto';
import path from 'node:path';
import type {ComposedContent, NamedAddress, SendRequest, SentAttachment, SentMail} from '../provider.js';
import {type Destination, readAddress, recipientsOf} from './addresses.js';
import {protocolOf, SesProblem, type SesProtocol, tooLong, unverifiedIdentity} from './errors.js';
import {regionOf} from './protocol.js';
import type {SendEmailFields, SesAttachment, SesHeader, SesSending, SesTag} from './schemas.js';

/** Subject and bodies of a mail. */
export type SesTexts = Pick<ComposedContent, 'subject' | 'text' | 'html'>;

/** Everything in a mail except its texts. */
export type MailParts = SharedFields & {
	readonly destination: Destination;
	readonly tags: readonly SesTag[];
	readonly headers: readonly SesHeader[];
	readonly attachments: readonly SentAttachment[];
};

/** Creates a mail that SES composes. */
export function makeMail(
	texts: SesTexts,
	{destination, tags, headers, attachments, ...sending}: MailParts,
	{now, region, maxBytes}: Reading,
): Omit<SentMail, 'template' | 'warnings'> {
	const {FromEmailAddress, FeedbackForwardingEmailAddress, ReplyToAddresses} = sending;
	if (FromEmailAddress === undefined) {
		throw new SesProblem('invalid', "Missing required header 'From'.");
	}

	const encoded = attachments.reduce((sum, {content}) => sum + Math.ceil(content.length / 3) * 4, 0);
	if (encoded + textBytes(texts) > maxBytes) {
		throw tooLong(maxBytes);
	}

	const from = readSesSender(FromEmailAddress, region);
	const feedback = FeedbackForwardingEmailAddress === undefined ? from : readAddress(FeedbackForwardingEmailAddress);
	const id = newSesId(now);
	return {
		envelope: {from: feedback.address, to: recipientsOf(destination)},
		content: {
			from,
			to: destination.to,
			cc: destination.cc,
			replyTo: ReplyToAddresses.map(readAddress),
			...texts,
			attachments,
			headers: readHeaders(headers),
			messageId: messageIdOf(id, region),
			date: now,
		},
		tags: readMessageTags(tags),
		metadata: metadataOf(sending),
		id,
	};
}

export function textBytes({subject, text = '', html = ''}: SesTexts): number {
	return Buffer.byteLength(subject) + Buffer.byteLength(text) + Buffer.byteLength(html);
}

/** Headers that SES sets. */
const reservedHeaders = new Set([
	'bcc',
	'cc',
	'content-disposition',
	'content-type',
	'date',
	'from',
	'message-id',
	'mime-version',
	'reply-to',
	'return-path',
	'subject',
	'to',
]);

/** Other headers that a mail may have only once. */
const uniqueHeaders = new Set(
	`accept-language acceptlanguage archived-at auto-submitted bounces-to comments content-alternative content-base
	content-class content-description content-duration content-id content-language content-length content-location
	content-md5 content-transfer-encoding delivered-to disposition-notification-options disposition-notification-to
	dkim-signature domainkey-signature errors-to importance in-reply-to keywords list-archive list-help list-id list-owner
	list-post list-subscribe list-unsubscribe list-unsubscribe-post message-context organization original-from
	original-message-id original-recipient original-subject precedence priority references return-receipt-to sender
	solicitation sensitivity thread-index thread-topic user-agent vbr-info`.split(/\s+/),
);

/** Checks the additional headers of a request. */
function readHeaders(headers: readonly SesHeader[]): Array<readonly [name: string, value: string]> {
	const reserved = headers.find(({Name}) => reservedHeaders.has(Name.toLowerCase()));
	if (reserved !== undefined) {
		throw new SesProblem('invalid', `Header '${reserved.Name}' cannot be set by a request.`);
	}

	assertUniqueHeaders(headers.map(({Name}) => Name));
	return headers.map(({Name, Value}) => [Name, Value] as const);
}

/** Throws for a duplicate header that must be unique. */
export function assertUniqueHeaders(names: readonly string[]): void {
	const seen = new Set<string>();
	for (const name of names) {
		const key = name.toLowerCase();
		if (seen.has(key)) {
			throw new SesProblem('invalid', `Duplicate header '${name}'.`);
		}

		if (uniqueHeaders.has(key) || (reservedHeaders.has(key) && !['bcc', 'cc', 'to'].includes(key))) {
			seen.add(key);
		}
	}
}

/** Default headers. Headers of an entry with the same name replace them. */
export function replaceHeaders(defaults: readonly SesHeader[], replacements: readonly SesHeader[]): SesHeader[] {
	const replaced = new Set(replacements.map(({Name}) => Name.toLowerCase()));
	return [...defaults.filter(({Name}) => !replaced.has(Name.toLowerCase())), ...replacements];
}

/** File extensions that SES does not send. */
const refusedExtensions = new Set(
	`ade adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk
	mad maf mag mam maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp
	mst ops pcd pif plg prf prg reg scf scr sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps
	vsmacros vss vst vsw vxd ws wsc wsf wsh xnk`.split(/\s+/),
);

export function readAttachments(attachments: readonly SesAttachment[]): SentAttachment[] {
	return attachments.map(({FileName, RawContent, ContentDisposition, ContentId, ContentType}) => {
		if (refusedExtensions.has(path.extname(FileName).slice(1).toLowerCase())) {
			throw new SesProblem('invalid', `Illegal filename '${FileName}'.`);
		}

		return {
			filename: FileName,
			content: decodeBlob(RawContent, `the attachment '${FileName}'`),
			contentType: ContentType ?? '',
			contentId: ContentId?.replace(/^<|>$/g, '') ?? '',
			disposition: ContentDisposition === 'INLINE' ? 'inline' : 'attachment',
		};
	});
}

/** Warnings about properties of attachments that have no effect in tinbox. */
export function warnOfAttachments(attachments: readonly SesAttachment[]): string[] {
	return attachments.flatMap(({FileName, ContentDescription, ContentTransferEncoding = 'BASE64'}) => [
		...(ContentDescription === undefined
			? []
			: [`"ContentDescription" of the attachment "${FileName}" was ignored: "${ContentDescription}".`]),
		...(ContentTransferEncoding === 'BASE64'
			? []
			: [
					`"ContentTransferEncoding" of the attachment "${FileName}" is ${ContentTransferEncoding}, but tinbox uses BASE64.`,
				]),
	]);
}

/** Decodes Base64. `what` names the value in the error. */
export function decodeBlob(text: string, what: string): Buffer {
	if (/[^A-Za-z\d+/=\s]/.test(text)) {
		throw new SesProblem('malformed', `The content of ${what} is not in base64.`);
	}

	return Buffer.from(text, 'base64');
}

const maxLength = 256;

/** Checks the tags of a mail. */
export function readMessageTags(tags: readonly SesTag[]): Array<{readonly name: string; readonly value: string}> {
	return tags.map(({Name: name, Value: value}) => {
		checkTag('name', name);
		checkTag('value', value);
		return {name, value};
	});
}

/** Default tags. Tags of an entry with the same name replace them. */
export function replaceTags(defaults: readonly SesTag[], replacements: readonly SesTag[]): SesTag[] {
	const replaced = new Set(replacements.map(({Name}) => Name));
	return [...defaults.filter(({Name}) => !replaced.has(Name)), ...replacements];
}

function checkTag(what: 'name' | 'value', text: string): void {
	if (!/^[\w-]+$/.test(text)) {
		throw new SesProblem(
			'invalid',
			`Invalid message tag ${what} <${text.slice(0, maxLength)}>: only alphanumeric ASCII characters, '_', and '-' are allowed.`,
		);
	}

	if (text.length > maxLength) {
		throw new SesProblem('invalid', `Message tag ${what} must not be longer than ${maxLength} characters.`);
	}
}

/** Fields that have no effect in tinbox, with their name in each version. */
const ignoredFields = [
	{
		field: 'FromEmailAddressIdentityArn',
		name: {v1: 'SourceArn', v2: 'FromEmailAddressIdentityArn'},
		reason: 'tinbox does not check sending authorization',
	},
	{
		field: 'FeedbackForwardingEmailAddressIdentityArn',
		name: {v1: 'ReturnPathArn', v2: 'FeedbackForwardingEmailAddressIdentityArn'},
		reason: 'tinbox does not check sending authorization',
	},
	{
		field: 'EndpointId',
		name: {v1: 'EndpointId', v2: 'EndpointId'},
		reason: 'tinbox has no regions',
	},
	{
		field: 'ListManagementOptions',
		name: {v1: 'ListManagementOptions', v2: 'ListManagementOptions'},
		reason: 'tinbox has no contact lists and adds no List-Unsubscribe header',
	},
] as const;

/** Fields that requests for one mail and bulk requests share. */
type SharedFields = SesSending & Partial<Pick<SendEmailFields, 'ListManagementOptions'>>;

/** Warnings about fields that have no effect in tinbox. */
export function warnOfIgnoredFields(fields: SharedFields, protocol: SesProtocol): string[] {
	return ignoredFields
		.filter(({field}) => fields[field] !== undefined)
		.map(({name, reason}) => `"${name[protocol]}" has no effect: ${reason}.`);
}

/** Fields without effect that are stored as metadata. */
export function metadataOf({
	ConfigurationSetName,
	TenantName,
}: Pick<SesSending, 'ConfigurationSetName' | 'TenantName'>): Record<string, string> {
	return {
		...(ConfigurationSetName !== undefined && {ConfigurationSetName}),
		...(TenantName !== undefined && {TenantName}),
	};
}

/** Id in the format of SES: the time and a random part. */
export function newSesId(now: Date): string {
	return `0100${now.getTime().toString(16).padStart(12, '0')}-${randomUUID()}-000000`;
}

/** `Message-ID` header of the mail with this id. */
export function messageIdOf(id: string, region: string): string {
	return `<${id}@${region === 'us-east-1' ? 'email' : region}.amazonses.com>`;
}

/** Sender of a mail. Nodemailer's `verify` expects the reserved domain `invalid` (RFC 6761, section 6.4) to be rejected. */
export function readSesSender(text: string, region: string): NamedAddress {
	const sender = readAddress(text);
	if (/@invalid$/i.test(sender.address)) {
		throw unverifiedIdentity(sender.address, region);
	}

	return sender;
}

/** Context of a request besides its fields. */
export type Reading = {
	readonly protocol: SesProtocol;
	readonly region: string;
	/** Time of the request. */
	readonly now: Date;
	/** Maximum size of a mail. */
	readonly maxBytes: number;
	/** Maximum size of all rendered inline templates together. */
	readonly maxFilledBytes: number;
	/** Warnings that apply to all mails of the request. */
	readonly warnings: readonly string[];
};

/** Maximum size of a mail with its attachments in Base64. */
const maxMailBytes: Readonly<Record<SesProtocol, number>> = {v1: 10 * 1024 * 1024, v2: 40 * 1024 * 1024};

/** Limits of what a small request may render to: small requests are read in the main thread. */
const freeFilledBytes = 8 * 1024 * 1024;
const maxFillings = 50;

/** Creates the context of a request; `unknown` names its unknown fields. */
export function createReading(request: SendRequest, unknown: readonly string[]): Reading {
	const protocol = protocolOf(request);
	return {
		protocol,
		region: regionOf(request),
		now: request.now,
		maxBytes: maxMailBytes[protocol],
		maxFilledBytes: Math.min(freeFilledBytes + maxFillings * request.body.length, 4 * maxMailBytes[protocol]),
		warnings: unknown.map(name => `"${name}" is not an SES field and was ignored.`),
	};
}
