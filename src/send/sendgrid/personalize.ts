import {Unsent} from '../../domain/mail/sending.js';
import {isTakenHeader} from '../mail-fields.js';
import type {ComposedContent, NamedAddress, SentAttachment, SentMail} from '../provider.js';
import type {Personalization, SendgridMail} from './mail.js';

const text = 'text/plain';
const html = 'text/html';
const amp = 'text/x-amp-html';

/** Creates a mail for each personalization. */
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
 * then tags within sections. They throw `Unsent` if the texts of the request need too much work.
 */
export function substituteWith(
	sections: Readonly<Record<string, string>> = {},
	most = maxWork,
): (substitutions?: Readonly<Record<string, string>>) => Substitute {
	let left = most;
	const spend = (work: number) => {
		left -= work;
		if (left < 0) {
			throw new Unsent({type: 'too_large', maxBytes: most});
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
