import {randomUUID} from 'node:crypto';
import path from 'node:path';
import type {ComposedContent, NamedAddress, SendRequest, SentAttachment, SentMail} from '../provider.js';
import {type Destination, readAddress, recipientsOf} from './addresses.js';
import {protocolOf, SesProblem, type SesProtocol, tooLong, unverifiedIdentity} from './errors.js';
import {regionOf} from './protocol.js';
import type {SendEmailFields, SesAttachment, SesHeader, SesSending, SesTag} from './schemas.js';

/** What a mail says. */
export type SesTexts = Pick<ComposedContent, 'subject' | 'text' | 'html'>;

/** Whom a mail is from and for, and what goes along with its texts. */
export type MailParts = AskedSending & {
	readonly destination: Destination;
	readonly tags: readonly SesTag[];
	readonly headers: readonly SesHeader[];
	readonly attachments: readonly SentAttachment[];
};

/** A mail that SES makes of texts. */
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
			amp: undefined,
			attachments,
			headers: readOwnHeaders(headers),
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

/** Those that SES sets by itself. */
const ownNames = new Set([
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

/** Those that a mail may have once, besides the ones above. */
const singleNames = new Set(
	`accept-language acceptlanguage archived-at auto-submitted bounces-to comments content-alternative content-base
	content-class content-description content-duration content-id content-language content-length content-location
	content-md5 content-transfer-encoding delivered-to disposition-notification-options disposition-notification-to
	dkim-signature domainkey-signature errors-to importance in-reply-to keywords list-archive list-help list-id list-owner
	list-post list-subscribe list-unsubscribe list-unsubscribe-post message-context organization original-from
	original-message-id original-recipient original-subject precedence priority references return-receipt-to sender
	solicitation sensitivity thread-index thread-topic user-agent vbr-info`.split(/\s+/),
);

/** The header fields of a request that has SES make the mail. */
function readOwnHeaders(headers: readonly SesHeader[]): Array<readonly [name: string, value: string]> {
	const own = headers.find(({Name}) => ownNames.has(Name.toLowerCase()));
	if (own !== undefined) {
		throw new SesProblem('invalid', `Header '${own.Name}' cannot be set by a request.`);
	}

	checkOnce(headers.map(({Name}) => Name));
	return headers.map(({Name, Value}) => [Name, Value] as const);
}

/** Throws for a field that a mail has twice and may not. */
export function checkOnce(names: readonly string[]): void {
	const seen = new Set<string>();
	for (const name of names) {
		const key = name.toLowerCase();
		if (seen.has(key)) {
			throw new SesProblem('invalid', `Duplicate header '${name}'.`);
		}

		if (singleNames.has(key) || (ownNames.has(key) && !['bcc', 'cc', 'to'].includes(key))) {
			seen.add(key);
		}
	}
}

/** The default headers with those of an entry, which come in the place of others with their name. */
export function replaceHeaders(defaults: readonly SesHeader[], replacements: readonly SesHeader[]): SesHeader[] {
	const replaced = new Set(replacements.map(({Name}) => Name.toLowerCase()));
	return [...defaults.filter(({Name}) => !replaced.has(Name.toLowerCase())), ...replacements];
}

/** What programs take for something to run. */
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

/** Sentences about what is not done of attachments as it is asked for. */
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

/** The bytes of a text in base64, as JSON and forms have them. */
export function decodeBlob(text: string, what: string): Buffer {
	if (/[^A-Za-z\d+/=\s]/.test(text)) {
		throw new SesProblem('malformed', `The content of ${what} is not in base64.`);
	}

	return Buffer.from(text, 'base64');
}

const maxLength = 256;

/** The tags of a mail. */
export function readMessageTags(tags: readonly SesTag[]): Array<{readonly name: string; readonly value: string}> {
	return tags.map(({Name: name, Value: value}) => {
		checkTag('name', name);
		checkTag('value', value);
		return {name, value};
	});
}

/** The default tags with those of an entry, which come in the place of others with their name. */
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

/** What SES does that is not done here. */
const notDone = [
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

/** What requests have in common, for one mail or for many. */
type AskedSending = SesSending & Partial<Pick<SendEmailFields, 'ListManagementOptions'>>;

/** Sentences about what a request asks for and is not done. */
export function warnOfSending(fields: AskedSending, protocol: SesProtocol): string[] {
	return notDone
		.filter(({field}) => fields[field] !== undefined)
		.map(({name, reason}) => `"${name[protocol]}" has no effect: ${reason}.`);
}

/** What is kept of a request though nothing follows from it. */
export function metadataOf({
	ConfigurationSetName,
	TenantName,
}: Pick<SesSending, 'ConfigurationSetName' | 'TenantName'>): Record<string, string> {
	return {
		...(ConfigurationSetName !== undefined && {ConfigurationSetName}),
		...(TenantName !== undefined && {TenantName}),
	};
}

/** An id as SES gives them: the time, and something that nothing else has. */
export function newSesId(now: Date): string {
	return `0100${now.getTime().toString(16).padStart(12, '0')}-${randomUUID()}-000000`;
}

/** The field Message-ID of the mail with this id. */
export function messageIdOf(id: string, region: string): string {
	return `<${id}@${region === 'us-east-1' ? 'email' : region}.amazonses.com>`;
}

/** Whom a mail is from. Nobody can have the domain by which Nodemailer's `verify` asks (RFC 6761, section 6.4). */
export function readSesSender(text: string, region: string): NamedAddress {
	const sender = readAddress(text);
	if (/@invalid$/i.test(sender.address)) {
		throw unverifiedIdentity(sender.address, region);
	}

	return sender;
}

/** What is known of a request besides its fields. */
export type Reading = {
	readonly protocol: SesProtocol;
	readonly region: string;
	/** When it came. */
	readonly now: Date;
	/** Bytes of a mail at most. */
	readonly maxBytes: number;
	/** Bytes that templates which come with the request may become, all mails together. */
	readonly maxFilledBytes: number;
	/** Sentences about what is not understood or not done of it, whichever mail. */
	readonly warnings: readonly string[];
};

/** Bytes of a mail, its attachments in base64. */
const maxMailBytes: Readonly<Record<SesProtocol, number>> = {v1: 10 * 1024 * 1024, v2: 40 * 1024 * 1024};

/** A small request is not to become much mail: it is read where others wait. */
const freeFilledBytes = 8 * 1024 * 1024;
const maxFillings = 50;

/** What to know for reading a request with fields that are not known. */
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
