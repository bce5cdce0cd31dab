import type {Answer, SentMail} from '../provider.js';
import {readDestination} from './addresses.js';
import {SesProblem, sesProblemAnswer} from './errors.js';
import {
	type MailParts,
	makeMail,
	type Reading,
	readAttachments,
	replaceHeaders,
	replaceTags,
	type SesTexts,
	textBytes,
	warnOfAttachments,
	warnOfIgnoredFields,
} from './mail.js';
import type {SendBulkEmailFields, SesTemplate} from './schemas.js';

/** The mail that is to be made of a template: of one that is known by its name, or of one that comes with the request. */
export function readTemplated(
	{TemplateName, TemplateArn, TemplateContent}: SesTemplate,
	data: Readonly<Record<string, unknown>>,
	parts: MailParts,
	reading: Reading,
): SentMail {
	const id = TemplateName ?? TemplateArn?.slice(TemplateArn.lastIndexOf('/') + 1);
	if (id !== undefined) {
		const mail = makeMail({subject: '', text: undefined, html: undefined}, parts, reading);
		const unused =
			TemplateContent === undefined ? [] : ['"TemplateContent" has no effect together with a template name.'];
		return {...mail, template: {id, data}, warnings: [...warnings(parts, reading), ...unused]};
	}

	if (TemplateContent === undefined) {
		throw new SesProblem('invalid', 'TemplateName, TemplateArn or TemplateContent must be given.');
	}

	const {texts, missing} = fill(TemplateContent, data, reading);
	const unrendered = missing.map(
		name =>
			`"TemplateData" has no value for "${name}": SES would accept the request, fail to render the mail, and never send it.`,
	);
	return {
		...makeMail(texts, parts, reading),
		template: undefined,
		warnings: [...warnings(parts, reading), ...unrendered],
	};
}

function fill(
	{Subject, Text, Html}: NonNullable<SesTemplate['TemplateContent']>,
	data: Readonly<Record<string, unknown>>,
	{maxFilledBytes}: Reading,
): {texts: SesTexts; missing: readonly string[]} {
	const missing = new Set<string>();
	const filled = (text: string) => fillInline(text, data, missing, maxFilledBytes);
	const texts = {
		subject: filled(Subject ?? ''),
		text: Text === undefined ? undefined : filled(Text),
		html: Html === undefined ? undefined : filled(Html),
	};
	return {texts, missing: [...missing].slice(0, 20)};
}

function warnings(parts: MailParts, {warnings, protocol}: Reading): string[] {
	return [...warnings, ...warnOfIgnoredFields(parts, protocol)];
}

/** A variable of a template, or what looks like one. */
const variable = /\{\{\{?([^{}]*)\}?\}\}/g;

/**
 * A template that a request brings along, filled in: SES does no more there than put values in the place of names, and
 * escapes nothing. `missing` gets the names that have no value.
 */
function fillInline(
	template: string,
	data: Readonly<Record<string, unknown>>,
	missing: Set<string>,
	maxBytes: number,
): string {
	let length = template.length;
	return template.replace(variable, (place, inside: string) => {
		const name = inside.trim();
		if (!/^[\w-]+$/.test(name)) {
			throw new SesProblem('invalid', 'Template contains unsupported operations.');
		}

		const value = Object.hasOwn(data, name) ? data[name] : undefined;
		if (value === undefined || value === null) {
			missing.add(name);
			return place;
		}

		const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
		length += text.length;
		if (length > maxBytes) {
			throw tooMuchFilled(maxBytes);
		}

		return text;
	});
}

function tooMuchFilled(maxBytes: number): SesProblem {
	return new SesProblem('invalid', `The rendered templates of the request exceed ${maxBytes} bytes.`);
}

/** The values of a template. */
export function readTemplateData(text: string | undefined): Readonly<Record<string, unknown>> {
	if (text === undefined) {
		return {};
	}

	const data = parsed(text);
	if (typeof data !== 'object' || data === null || Array.isArray(data)) {
		throw new SesProblem('invalid', 'The template data is invalid');
	}

	return data as Readonly<Record<string, unknown>>;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

const maxEntries = 50;

/** A mail for each entry of a bulk request; in the place of one that cannot be, what is wrong with it. */
export function readBulk(fields: SendBulkEmailFields, reading: Reading): Array<SentMail | Answer> {
	const {Template} = fields.DefaultContent;
	if (Template === undefined) {
		throw new SesProblem('invalid', 'The default content must be a template.');
	}

	if (fields.BulkEmailEntries.length === 0 || fields.BulkEmailEntries.length > maxEntries) {
		throw new SesProblem('invalid', `The number of destinations must be from 1 to ${maxEntries}.`);
	}

	const defaults = readTemplateData(Template.TemplateData);
	const attachments = readAttachments(Template.Attachments);
	const warned = {...reading, warnings: [...reading.warnings, ...warnOfAttachments(Template.Attachments)]};
	let bytes = 0;
	const read = ({
		Destination,
		ReplacementTags,
		ReplacementEmailContent,
		ReplacementHeaders,
	}: SendBulkEmailFields['BulkEmailEntries'][number]) => {
		const replacements = ReplacementEmailContent?.ReplacementTemplate?.ReplacementTemplateData;
		const parts = {
			...fields,
			destination: readDestination(Destination),
			tags: replaceTags(fields.DefaultEmailTags, ReplacementTags),
			headers: replaceHeaders(Template.Headers, ReplacementHeaders),
			attachments,
		};
		const mail = readTemplated(Template, {...defaults, ...readTemplateData(replacements)}, parts, warned);
		bytes += 'raw' in mail.content ? 0 : textBytes(mail.content);
		return mail;
	};
	return fields.BulkEmailEntries.map(entry => {
		if (bytes > reading.maxFilledBytes) {
			throw tooMuchFilled(reading.maxFilledBytes);
		}

		try {
			return read(entry);
		} catch (error) {
			if (error instanceof SesProblem) {
				return sesProblemAnswer(error, reading.protocol);
			}

			throw error;
		}
	});
}
