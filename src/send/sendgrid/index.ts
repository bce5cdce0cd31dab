import {randomBytes} from 'node:crypto';
import type {z} from 'zod';
import {SendError} from '../../domain/mail/sending.js';
import {readJson, validate, warnOfUnknownFields} from '../json.js';
import {isTakenHeader} from '../mail-fields.js';
import {
	basicCredentials,
	type ComposedContent,
	type NamedAddress,
	type Provider,
	type SendRequest,
	type SentAttachment,
	type SentMail,
} from '../provider.js';
import {badRequest, type SendgridError, sendgridProblem, wrongField} from './errors.js';
import {errorsOf, type Personalization, type SendgridMail, sendgridMail} from './mail.js';

/** Maximum size of a mail with its attachments, as SendGrid documents it. */
const maxBytes = 30 * 1024 * 1024;

/** SendGrid's Mail Send API, v3. */
export const sendgrid: Provider = {
	name: 'sendgrid',
	maxBytes,
	routes: [
		{
			method: 'POST',
			path: '/v3/mail/send',
			types: ['application/json'],
			read: readMailSend,
			answer: ([first]) => ({
				status: 202,
				headers: {'X-Message-Id': first && 'id' in first ? first.id : ''},
				body: '',
			}),
		},
	],
	keyOf,
	problem: sendgridProblem,
};

/** API key: a bearer token, or the password of the user `apikey`, as old clients and Twilio's send it. */
function keyOf({headers}: Pick<SendRequest, 'headers'>): string | undefined {
	const {authorization = ''} = headers;
	const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(authorization) ?? [];
	return token ?? basicCredentials(authorization, 'apikey');
}

/** Number of errors that an answer lists. */
const maxErrors = 20;

/** Reads a request: one mail for each personalization. All mails share the id in the answer. */
function readMailSend({body, now}: Pick<SendRequest, 'body' | 'now'>): readonly SentMail[] {
	const {value: mail, unknown} = validate(sendgridMail, readJson(body), describeIssue, issues =>
		badRequest(issues.slice(0, maxErrors).map(issueError)),
	);
	const errors = errorsOf(mail, now);
	if (errors.length > 0) {
		throw badRequest(errors.slice(0, maxErrors));
	}

	const id = randomBytes(16).toString('base64url');
	const unknownNames = unknown.map(path => path.join('.'));
	return personalize(mail, id, [...warnOfUnknownFields(unknownNames, 'SendGrid'), ...warnOfIgnoredFields(mail)]);
}

function describeIssue(issue: z.core.$ZodRawIssue): string {
	return issue.code === 'invalid_type'
		? `Invalid type. Expected: ${typeNames[issue.expected] ?? issue.expected}, given: ${typeName(issue.input)}.`
		: 'Bad Request';
}

/** Names in JSON Schema of types that zod names differently. */
const typeNames: Readonly<Record<string, string>> = {int: 'integer', number: 'integer', record: 'object'};

function typeName(input: unknown): string {
	if (input === null) {
		return 'null';
	}

	if (Array.isArray(input)) {
		return 'array';
	}

	return Number.isInteger(input) ? 'integer' : typeof input;
}

function issueError(issue: z.core.$ZodIssue): SendgridError {
	const keyProblem = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
	return wrongField(issue.path, keyProblem ?? issue.message);
}

/** Fields that have no effect in tinbox, with the reason. */
const ignoredFields: Readonly<Record<string, string>> = {
	asm: 'tinbox does not add unsubscribe links',
	batch_id: 'tinbox does not support canceling batches',
	ip_pool_name: 'tinbox does not relay mail',
	send_at: 'tinbox delivers immediately',
};

const ignoredSettings: Readonly<Record<string, string>> = {
	'mail_settings.footer': 'tinbox does not add a footer',
	'mail_settings.spam_check': 'tinbox does not check for spam',
	'mail_settings.sandbox_mode': 'SendGrid would not have delivered this mail',
	'mail_settings.bypass_list_management': 'tinbox has no unsubscribe list',
	'mail_settings.bypass_spam_management': 'tinbox has no spam report list',
	'mail_settings.bypass_bounce_management': 'tinbox has no bounce list',
	'mail_settings.bypass_unsubscribe_management': 'tinbox has no unsubscribe list',
	'tracking_settings.click_tracking': 'tinbox does not rewrite links',
	'tracking_settings.open_tracking': 'tinbox does not add a tracking pixel',
	'tracking_settings.subscription_tracking': 'tinbox does not add unsubscribe links',
	'tracking_settings.ganalytics': 'tinbox does not rewrite links',
};

/** Warnings about fields of SendGrid that have no effect in tinbox. */
function warnOfIgnoredFields(mail: SendgridMail): readonly string[] {
	const ignored = Object.entries(ignoredFields).filter(([field]) => mail[field as keyof SendgridMail] !== undefined);
	const groups = {mail_settings: mail.mail_settings ?? {}, tracking_settings: mail.tracking_settings ?? {}};
	const enabled = Object.entries(groups).flatMap(([group, settings]) =>
		Object.entries(settings)
			.filter(([, setting]) => setting?.enable)
			.map(([name]) => `${group}.${name}`),
	);
	const isScheduled = mail.send_at === undefined && mail.personalizations?.some(({send_at}) => send_at !== undefined);
	return [
		...ignored.map(([field, reason]) => `"${field}" has no effect: ${reason}.`),
		...(isScheduled ? [`"send_at" has no effect: ${ignoredFields['send_at']}.`] : []),
		...enabled.flatMap(field => {
			const reason = ignoredSettings[field];
			return reason === undefined ? [] : [`"${field}" has no effect: ${reason}.`];
		}),
	];
}

const text = 'text/plain';
const html = 'text/html';
const amp = 'text/x-amp-html';

/** Creates a mail for each personalization. */
function personalize(mail: SendgridMail, id: string, warnings: readonly string[]): readonly SentMail[] {
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
			warnings: [
				...warnings,
				...kept,
				...named.warnings,
				...(!mail.template_id && one.dynamic_template_data !== undefined ? [unusedData] : []),
			],
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
	const {template_id: id} = mail;
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
		template: id ? {id, data: {...one.substitutions, ...one.dynamic_template_data}} : undefined,
	};
}

const unusedData = '"dynamic_template_data" has no effect without "template_id".';

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

/** Additional headers, and values of `Message-ID` and `Date` if they are valid. */
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

/** Replaces substitution tags in a text. */
type Substitute = (text: string) => string;

/** Maximum work for a request, in inserted characters. A comparison counts as several characters. */
const maxWork = 256 * 1024 * 1024;
const comparison = 8;

/** Counts work. Throws if the request exceeds the maximum. */
type Spend = (work: number) => void;

/**
 * Returns functions that replace substitution tags as SendGrid does: tags by their values, then names of sections by sections,
 * then tags within sections. They throw `SendError` if the texts of the request need too much work.
 */
export function substituteWith(
	sections: Readonly<Record<string, string>> = {},
	most = maxWork,
): (substitutions?: Readonly<Record<string, string>>) => Substitute {
	let left = most;
	const spend = (work: number) => {
		left -= work;
		if (left < 0) {
			throw new SendError({type: 'too_large', maxBytes: most});
		}
	};
	const blocks = replacer(sections, spend);
	return (substitutions = {}) => {
		const values = replacer(substitutions, spend);
		return text => values(blocks(values(text)));
	};
}

/** Replaces each tag; the longest one if several match at a place. */
function replacer(replacements: Readonly<Record<string, string>>, spend: Spend): Substitute {
	const tags = Object.keys(replacements)
		.filter(tag => tag !== '')
		.sort((one, other) => (one < other ? -1 : 1));
	if (tags.length === 0) {
		return text => text;
	}

	const begins = new Uint8Array(0x1_00_00);
	for (const tag of tags) {
		begins[tag.charCodeAt(0)] = 1;
	}

	return text => {
		const pieces: string[] = [];
		let done = 0;
		for (let at = 0; at < text.length; ) {
			const tag = begins[text.charCodeAt(at)] === 1 ? longestAt(tags, text, at, spend) : undefined;
			if (tag === undefined) {
				at += 1;
			} else {
				const value = replacements[tag] ?? '';
				spend(value.length);
				pieces.push(text.slice(done, at), value);
				at += tag.length;
				done = at;
			}
		}

		return pieces.join('') + text.slice(done);
	};
}

/** Longest of the sorted tags at a place. Each character narrows the range of candidates, which are adjacent. */
function longestAt(tags: readonly string[], text: string, at: number, spend: Spend): string | undefined {
	let longest: string | undefined;
	let [low, high] = [0, tags.length];
	for (let length = 0; low < high; length++) {
		if (tags[low]?.length === length) {
			longest = tags[low];
			low += 1;
		}

		const code = text.charCodeAt(at + length);
		const codeOf = (index: number) => {
			spend(comparison);
			return tags[index]?.charCodeAt(length) ?? Number.NaN;
		};
		// Fast path: if the first and the last candidate match, all do.
		if (codeOf(low) !== code || codeOf(high - 1) !== code) {
			low = firstPlace(low, high, index => codeOf(index) >= code);
			high = firstPlace(low, high, index => codeOf(index) > code);
		}
	}

	return longest;
}

/** First index for which `holds` is true, by binary search; `to` if there is none. */
function firstPlace(from: number, to: number, holds: (index: number) => boolean): number {
	let [low, high] = [from, to];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (holds(middle)) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}

	return low;
}
