import type {SentMail} from '../provider.js';
import {fillInline} from './inline-template.js';
import {type MailParts, makeMail, type SesTexts} from './make-mail.js';
import {SesProblem} from './problems.js';
import type {Reading} from './reading.js';
import type {SesTemplate} from './schemas.js';
import {warnOfSending} from './sending.js';

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
	return [...warnings, ...warnOfSending(parts, protocol)];
}
