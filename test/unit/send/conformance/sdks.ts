import {
	SESClient,
	SendRawEmailCommand,
	SendTemplatedEmailCommand,
	SendEmailCommand as SesSendEmail,
} from '@aws-sdk/client-ses';
import {SESv2Client, SendEmailCommand} from '@aws-sdk/client-sesv2';
import sendgrid from '@sendgrid/mail';
import Mailgun from 'mailgun.js';
import {createTransport} from 'nodemailer';
import {ServerClient} from 'postmark';
import {Resend} from 'resend';
import type {SendProvider} from '../../../../src/contract/constants.js';
import type {Person, RequestedMail} from './requested-mails.js';
import {type Limit, limits} from './sdk-limits.js';

/** URL and key for an SDK. */
export type Account = {
	/** URL of the provider, which ends with its name. */
	readonly url: string;
	readonly key: string;
};

/** An official SDK, used as documented. */
export type Sdk = {
	readonly name: string;
	readonly provider: SendProvider;
	readonly limits: readonly Limit[];
	/** Rejects with the error that the SDK throws or returns. */
	send(mail: RequestedMail, account: Account): Promise<unknown>;
};

/** The types of the package lack the class and its client. */
const {MailService} = sendgrid as unknown as {
	readonly MailService: new () => typeof sendgrid & {
		readonly client: {setApiKey(key: string): void; setDefaultRequest(name: string, value: string): void};
	};
};

export const sdks: readonly Sdk[] = [
	{
		name: 'resend',
		provider: 'resend',
		limits: limits.resend,
		async send(mail, {url, key}) {
			const {template, tags} = mail;
			const {error, data} = await new Resend(key, {baseUrl: url}).emails.send({
				from: mailbox(mail.from),
				to: mail.to.map(mailbox),
				cc: mail.cc.map(mailbox),
				bcc: [...mail.bcc],
				replyTo: mail.replyTo.map(mailbox),
				subject: mail.subject,
				headers: mail.headers,
				tags: tags.map(({name, value}) => ({name: name ?? '', value})),
				attachments: mail.files.map(({filename, content, contentType, contentId}) => ({
					filename,
					content,
					contentType,
					...(contentId !== null && {contentId}),
				})),
				...(template
					? {template: {id: template.id, variables: template.data as Record<string, string | number>}}
					: {text: mail.text ?? undefined, html: mail.html ?? undefined}),
			} as Parameters<Resend['emails']['send']>[0]);
			if (error) {
				throw error;
			}

			return data;
		},
	},
	{
		name: '@aws-sdk/client-sesv2',
		provider: 'ses',
		limits: limits.sesv2,
		async send(mail, account) {
			const {template} = mail;
			const parts = {
				Headers: Object.entries(mail.headers).map(([Name, Value]) => ({Name, Value: inAscii(Value)})),
				Attachments: mail.files.map(({filename, contentType, content, contentId}) => ({
					FileName: filename,
					ContentType: contentType,
					RawContent: Buffer.from(content, 'base64'),
					ContentTransferEncoding: 'BASE64' as const,
					ContentDisposition: contentId === null ? ('ATTACHMENT' as const) : ('INLINE' as const),
					...(contentId !== null && {ContentId: contentId}),
				})),
			};
			return new SESv2Client(awsSettings(account)).send(
				new SendEmailCommand({
					FromEmailAddress: asciiMailbox(mail.from),
					Destination: destinationOf(mail),
					ReplyToAddresses: mail.replyTo.map(asciiMailbox),
					EmailTags: mail.tags.map(({name, value}) => ({Name: name ?? '', Value: value})),
					Content: template
						? {Template: {TemplateName: template.id, TemplateData: JSON.stringify(template.data), ...parts}}
						: {Simple: {Subject: utf8(mail.subject), Body: awsBody(mail), ...parts}},
				}),
			);
		},
	},
	{
		name: '@aws-sdk/client-ses',
		provider: 'ses',
		limits: limits.ses,
		async send(mail, account) {
			const client = new SESClient(awsSettings(account));
			const Tags = mail.tags.map(({name, value}) => ({Name: name ?? '', Value: value}));
			const head = {
				Source: asciiMailbox(mail.from),
				Destination: destinationOf(mail),
				ReplyToAddresses: mail.replyTo.map(asciiMailbox),
				Tags,
			};
			if (mail.template) {
				const {id, data} = mail.template;
				return client.send(new SendTemplatedEmailCommand({...head, Template: id, TemplateData: JSON.stringify(data)}));
			}

			if (mail.files.length === 0 && Object.keys(mail.headers).length === 0) {
				const message = {Subject: utf8(mail.subject), Body: awsBody(mail)};
				return client.send(new SesSendEmail({...head, Message: message}));
			}

			const Destinations = [...mail.to, ...mail.cc].map(({address}) => address).concat(mail.bcc);
			const RawMessage = {Data: await sourceOf(mail)};
			return client.send(new SendRawEmailCommand({Source: mail.from.address, Destinations, RawMessage, Tags}));
		},
	},
	{
		name: '@sendgrid/mail',
		provider: 'sendgrid',
		limits: limits.sendgrid,
		async send(mail, {url, key}) {
			const service = new MailService();
			const {client} = service;
			withoutWarning(() => client.setApiKey(key));
			client.setDefaultRequest('baseUrl', url);
			const {template} = mail;
			const [response] = await service.send({
				from: sendgridMailbox(mail.from),
				to: mail.to.map(sendgridMailbox),
				cc: mail.cc.map(sendgridMailbox),
				bcc: [...mail.bcc],
				...(mail.replyTo.length > 0 && {
					replyToList: mail.replyTo.map(({name, address}) => ({email: address, ...(name !== '' && {name})})),
				}),
				subject: mail.subject,
				headers: {...mail.headers},
				categories: mail.tags.map(({value}) => value),
				customArgs: {...mail.metadata},
				attachments: mail.files.map(({filename, content, contentType, contentId}) => ({
					filename,
					content,
					type: contentType,
					disposition: contentId === null ? 'attachment' : 'inline',
					...(contentId !== null && {content_id: contentId}),
				})),
				...(template
					? {templateId: template.id, dynamicTemplateData: {...template.data}}
					: {...(mail.text !== null && {text: mail.text}), ...(mail.html !== null && {html: mail.html})}),
			} as Parameters<typeof sendgrid.send>[0]);
			return response;
		},
	},
	{
		name: 'postmark',
		provider: 'postmark',
		limits: limits.postmark,
		async send(mail, {url, key}) {
			const client = new ServerClient(key, {useHttps: false, requestHost: url.replace('http://', '')});
			const {template} = mail;
			const head = {
				From: mailbox(mail.from),
				To: mail.to.map(mailbox).join(', '),
				...(mail.cc.length > 0 && {Cc: mail.cc.map(mailbox).join(', ')}),
				...(mail.bcc.length > 0 && {Bcc: mail.bcc.join(', ')}),
				...(mail.replyTo.length > 0 && {ReplyTo: mail.replyTo.map(mailbox).join(', ')}),
				...(mail.tags[0] && {Tag: mail.tags[0].value}),
				Metadata: {...mail.metadata},
				Headers: Object.entries(mail.headers).map(([Name, Value]) => ({Name, Value})),
				Attachments: mail.files.map(({filename, content, contentType, contentId}) => ({
					Name: filename,
					Content: content,
					ContentType: contentType,
					ContentID: contentId === null ? null : `cid:${contentId}`,
				})),
			};
			return template
				? client.sendEmailWithTemplate({...head, TemplateAlias: template.id, TemplateModel: {...template.data}})
				: client.sendEmail({
						...head,
						Subject: mail.subject,
						...(mail.text !== null && {TextBody: mail.text}),
						...(mail.html !== null && {HtmlBody: mail.html}),
					});
		},
	},
	{
		name: 'mailgun.js',
		provider: 'mailgun',
		limits: limits.mailgun,
		async send(mail, {url, key}) {
			const {template} = mail;
			const named = (prefix: string, values: Readonly<Record<string, string>>) =>
				Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
			const files = (isInline: boolean) =>
				mail.files
					.filter(({contentId}) => isInline === (contentId !== null))
					.map(({filename, content, contentType}) => ({filename, contentType, data: Buffer.from(content, 'base64')}));
			return new Mailgun(FormData).client({username: 'api', key, url}).messages.create('shop.example', {
				from: mailbox(mail.from),
				to: mail.to.map(mailbox),
				cc: mail.cc.map(mailbox),
				bcc: [...mail.bcc],
				subject: mail.subject,
				attachment: files(false),
				inline: files(true),
				...(mail.replyTo.length > 0 && {'h:Reply-To': mail.replyTo.map(mailbox).join(', ')}),
				...named('h:', mail.headers),
				...named('v:', mail.metadata),
				'o:tag': mail.tags.map(({value}) => value),
				...(mail.text !== null && {text: mail.text}),
				...(mail.html !== null && {html: mail.html}),
				...(template && {template: template.id, 't:variables': JSON.stringify(template.data)}),
			} as Parameters<ReturnType<Mailgun['client']>['messages']['create']>[1]);
		},
	},
];

/** Formats a mailbox with its name in quotes. */
function mailbox({name, address}: Person): string {
	return name === '' ? address : `${JSON.stringify(name)} <${address}>`;
}

/** Formats a mailbox for SES, which requires encoded words for non-ASCII names. */
function asciiMailbox({name, address}: Person): string {
	return /^[ -~]*$/.test(name) ? mailbox({name, address}) : `${inAscii(name)} <${address}>`;
}

/** Converts non-ASCII text to encoded words (RFC 2047). */
function inAscii(text: string): string {
	if (/^[ -~]*$/.test(text)) {
		return text;
	}

	const pieces = text.match(/.{1,10}/gu) ?? [];
	return pieces.map(piece => `=?UTF-8?B?${Buffer.from(piece).toString('base64')}?=`).join(' ');
}

function sendgridMailbox({name, address}: Person) {
	return name === '' ? address : {email: address, name};
}

function awsSettings({url, key}: Account) {
	const credentials = {accessKeyId: key, secretAccessKey: 'not-looked-at'};
	return {endpoint: url, region: 'eu-west-1', credentials, maxAttempts: 1};
}

function destinationOf({to, cc, bcc}: RequestedMail) {
	return {ToAddresses: to.map(asciiMailbox), CcAddresses: cc.map(asciiMailbox), BccAddresses: [...bcc]};
}

function utf8(Data: string) {
	return {Data, Charset: 'UTF-8'};
}

function awsBody({text, html}: RequestedMail) {
	return {...(text !== null && {Text: utf8(text)}), ...(html !== null && {Html: utf8(html)})};
}

/** Source of a mail that the application composes. */
async function sourceOf(mail: RequestedMail): Promise<Buffer> {
	const {message} = await createTransport({streamTransport: true, buffer: true}).sendMail({
		from: mail.from,
		to: [...mail.to],
		cc: [...mail.cc],
		replyTo: [...mail.replyTo],
		subject: mail.subject,
		...(mail.text !== null && {text: mail.text}),
		...(mail.html !== null && {html: mail.html}),
		headers: {...mail.headers},
		attachments: mail.files.map(({filename, contentType, content, contentId}) => ({
			filename,
			contentType,
			content: Buffer.from(content, 'base64'),
			...(contentId !== null && {cid: contentId, contentDisposition: 'inline' as const}),
		})),
	});
	return message as Buffer;
}

/** Suppresses the console warning of SendGrid about keys in another format. */
function withoutWarning(work: () => void): void {
	const {warn} = console;
	console.warn = () => {};
	work();
	console.warn = warn;
}
