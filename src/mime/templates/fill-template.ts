import type {SendProvider} from '../../contract/constants.js';
import type {ComposedContent} from '../../domain/mail/sending.js';
import {composeMail} from '../compose/compose.js';
import {
	filledTooLong,
	maxFilledLength,
	type TemplateData,
	type TemplateForm,
	type TemplatePart,
	TemplateProblem,
} from './template-form.js';

/** Parts of a template in the syntax of the provider, or the rendered parts. */
export type TemplateTexts = Readonly<Partial<Record<TemplatePart, string>>>;

/** Template with its data. */
export type Filling = {readonly provider: SendProvider; readonly texts: TemplateTexts; readonly data: TemplateData};

/** Rendered parts, or a sentence about the problem. */
export type Filled = {readonly texts: TemplateTexts} | {readonly problem: string};

/** Template of a mail, with the content that the request gives. */
export type TemplateMail = Filling & {
	readonly content: ComposedContent;
	/** True if the subject of the request overrides the subject of the template. */
	readonly keepsSubject: boolean;
};

/** Source of a mail, or a sentence about the problem of its template. */
export type ComposedTemplate<Bytes extends Uint8Array = Buffer> = {readonly source: Bytes} | {readonly problem: string};

/** Problem of a part of a template. */
export type PartProblem = {readonly part: TemplatePart; readonly problem: string};

/** Template engine of a provider, loaded on first use. tinbox uses plain Handlebars. */
async function loadEngine(provider: SendProvider): Promise<TemplateForm> {
	if (provider === 'postmark') {
		return (await import('./mustachio.js')).mustachio;
	}

	if (provider === 'resend') {
		return (await import('./triple-braces.js')).tripleBraces;
	}

	const {handlebarsForm, sendgridHelpers, mailgunHelpers} = await import('./handlebars.js');
	if (provider === 'ses') {
		const missing = (name: string) => `Attribute '${name}' is not present in the rendering data.`;
		return handlebarsForm({helpers: {}, escapes: false, missing});
	}

	const helpers = {sendgrid: sendgridHelpers, mailgun: mailgunHelpers, tinbox: {}}[provider];
	return handlebarsForm({helpers, escapes: true});
}

/**
 * Maximum length of a value. Escaping a longer one allocates more memory at once than the thread can have, which would end the
 * process.
 */
const maxValueLength = 1024 * 1024;

function hasLongValue(data: TemplateData): boolean {
	// A set visits what is added during the iteration, and each object once, also in data with a cycle.
	const values = new Set<unknown>([data]);
	for (const value of values) {
		if (typeof value === 'string' && value.length > maxValueLength) {
			return true;
		}

		if (typeof value === 'object' && value !== null) {
			for (const each of Object.values(value)) {
				values.add(each);
			}
		}
	}

	return false;
}

/** Renders all parts. Templates and data are hostile: the caller must limit the time. */
export async function fillTemplate({provider, texts, data}: Filling): Promise<Filled> {
	if (hasLongValue(data)) {
		return {problem: `The data has a value of more than ${maxValueLength} characters.`};
	}

	const form = await loadEngine(provider);
	const filled: [part: string, text: string][] = [];
	for (const [part, text] of partsOf(texts)) {
		const result = attempt(() => form.fill(text, data, part));
		if ('problem' in result) {
			return result;
		}

		if (result.text.length > maxFilledLength) {
			return {problem: filledTooLong};
		}

		filled.push([part, result.text]);
	}

	return {texts: Object.fromEntries(filled)};
}

/** Renders a template and composes the mail. The caller must limit the time. */
export async function composeFromTemplate({
	content,
	keepsSubject,
	...filling
}: TemplateMail): Promise<ComposedTemplate<Uint8Array>> {
	const filled = await fillTemplate(filling);
	if ('problem' in filled) {
		return filled;
	}

	const {text = content.text, html = content.html, subject: given = content.subject} = filled.texts;
	const subject = keepsSubject ? content.subject : given.replaceAll(/\s+/g, ' ').trim();
	return {source: await composeMail({...content, subject, text, html})};
}

/** Problem of the first invalid part; undefined if all are valid. */
export async function partProblem({provider, texts}: Omit<Filling, 'data'>): Promise<PartProblem | undefined> {
	const form = await loadEngine(provider);
	for (const [part, text] of partsOf(texts)) {
		const result = attempt(() => {
			form.check(text);
			return '';
		});
		if ('problem' in result) {
			return {part, problem: result.problem};
		}
	}

	return undefined;
}

function partsOf(texts: TemplateTexts): ReadonlyArray<readonly [TemplatePart, string]> {
	return (['subject', 'text', 'html'] as const).flatMap(part => {
		const text = texts[part];
		return text === undefined ? [] : [[part, text] as const];
	});
}

function attempt(work: () => string): {readonly text: string} | {readonly problem: string} {
	try {
		return {text: work()};
	} catch (error) {
		if (error instanceof TemplateProblem) {
			return {problem: error.message};
		}

		// A stack overflow, or a string that exceeds the maximum of JavaScript.
		return {
			problem:
				error instanceof RangeError
					? 'It is nested too deeply, or its result is too large.'
					: 'Its data does not match the template.',
		};
	}
}
