import {isTakenHeader} from '../mail-headers.js';
import type {ComposedContent, NamedAddress, SentAttachment, SentMail} from '../provider.js';
import type {Personalization, SendgridMail} from './mail-schema.js';
import {type Substitute, substituteWith} from './substitute.js';

const text = 'text/plain';
const html = 'text/html';
const amp = 'text/x-amp-html';

/** A mail for each personalization. */
export function personalize(mail: SendgridMail, id: string, warnings: readonly string[]): readonly SentMail[] {
	const used = [text, html, amp].map(type => contentOf(mail, type));
	const others = (mail.content ?? []).filter(content => !used.includes(content));
	const attachments = [...others.map(asAttachment), ...(mail.attachments ?? []).map(readAttachment)];
	const kept = others.map(
		({type}) => `"content" of type ${JSON.stringify(type.slice(0, 100))} is added as an attachment.`,
	);
	const substitutes = substituteWith(mail.sections);
	return (mail.personalizations ?? []).map((one, index) => {
		const {headers, ...named} = readHeaders({...mail.headers, ...one.headers});
		return {
			id,
			...mailOf(mail, one, substitutes(one.substitutions), {
				headers,
				attachments,
				messageId: `<${id}@geopod-ismtpd-${index}>`,
				...named.given,
			}),
			warnings: [...warnings, ...kept, ...named.warnings, ...(isUnused(mail, one) ? [unused] : [])],
		};
	});
}

type More = Pick<ComposedContent, 'headers' | 'attachments' | 'messageId'> & {readonly date?: Date};

function mailOf(
	mail: SendgridMail,
	one: Personalization,
	substitute: Substitute,
	more: More,
): Omit<SentMail, 'id' | 'warnings'> {
	const {to = [], cc = [], bcc = []} = one;
	const from = named(one.from ?? mail.from ?? {});
	const textOf = (type: string) => {
		const content = contentOf(mail, type);
		return content && substitute(content.value);
	};
	const copy = mail.mail_settings?.bcc?.enable ? [mail.mail_settings.bcc] : [];
	const recipients = [...to, ...cc, ...bcc, ...copy].map(({email = ''}) => email);
	return {
		envelope: {from: from.address, to: [...new Set(recipients.filter(address => address !== ''))]},
		content: {
			date: undefined,
			...more,
			from,
			to: to.map(named),
			cc: cc.map(named),
			replyTo: (mail.reply_to ? [mail.reply_to] : (mail.reply_to_list ?? [])).map(named),
			subject: substitute(one.subject ?? mail.subject ?? ''),
			text: textOf(text),
			html: textOf(html),
			amp: textOf(amp),
		},
		tags: (mail.categories ?? []).map(value => ({name: null, value})),
		metadata: {...mail.custom_args, ...one.custom_args},
		template: templateOf(mail, one),
	};
}

const unused = '"dynamic_template_data" has no effect without "template_id".';

function isUnused({template_id: id}: SendgridMail, {dynamic_template_data: data}: Personalization): boolean {
	return !id && data !== undefined;
}

function templateOf({template_id: id}: SendgridMail, one: Personalization): SentMail['template'] {
	return id ? {id, data: {...one.substitutions, ...one.dynamic_template_data}} : undefined;
}

function named({email = '', name = ''}: {email?: string | undefined; name?: string | undefined}): NamedAddress {
	return {name, address: email};
}

function contentOf({content = []}: SendgridMail, wanted: string) {
	return content.find(({type}) => type.toLowerCase() === wanted);
}

function asAttachment({type, value}: {type: string; value: string}): SentAttachment {
	return {filename: '', content: Buffer.from(value), contentType: type, contentId: '', disposition: 'inline'};
}

function readAttachment(given: NonNullable<SendgridMail['attachments']>[number]): SentAttachment {
	return {
		filename: given.filename,
		content: Buffer.from(given.content, 'base64'),
		contentType: given.type ?? '',
		contentId: (given.content_id ?? '').replace(/^<|>$/g, ''),
		disposition: given.disposition ?? 'attachment',
	};
}

/** The headers that are added, and what those say that every mail has. */
function readHeaders(all: Readonly<Record<string, string>>) {
	const entries = Object.entries(all);
	const value = (wanted: string) => entries.find(([name]) => name.toLowerCase() === wanted)?.[1];
	const [messageId] = /^<[^<>\s]+>$/.exec(value('message-id')?.trim() ?? '') ?? [];
	const date = new Date(value('date') ?? Number.NaN);
	const hasDate = !Number.isNaN(date.getTime());
	const used = [...(messageId ? ['message-id'] : []), ...(hasDate ? ['date'] : [])];
	const left = entries.map(([name]) => name).filter(name => isTakenHeader(name) && !used.includes(name.toLowerCase()));
	return {
		headers: entries.filter(([name]) => !isTakenHeader(name)),
		given: {...(messageId && {messageId}), ...(hasDate && {date})},
		warnings: left.map(name => `The header ${JSON.stringify(name.slice(0, 100))} was ignored: tinbox sets it.`),
	};
}
