import type {SendProvider} from '../../contract/constants.js';
import {
	filledTooLong,
	maxFilledLength,
	type TemplateData,
	type TemplateForm,
	type TemplatePart,
	TemplateProblem,
} from './template-form.js';

/** The parts of a template, each in the form of the provider. */
export type TemplateTexts = Readonly<Partial<Record<TemplatePart, string>>>;

/** A template and what it is to be filled in with. */
export type Filling = {readonly provider: SendProvider; readonly texts: TemplateTexts; readonly data: TemplateData};

/** The parts filled in, or why they could not be, in a sentence. */
export type Filled = {readonly texts: TemplateTexts} | {readonly problem: string};

/** What is wrong with a part of a template. */
export type PartProblem = {readonly part: TemplatePart; readonly problem: string};

/** The form of a provider, loaded when it is first used. Ours is plain Handlebars. */
async function formOf(provider: SendProvider): Promise<TemplateForm> {
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

/** Fills in all parts. Both are hostile: how long it takes is for the caller to bound. */
export async function fillTemplate({provider, texts, data}: Filling): Promise<Filled> {
	const form = await formOf(provider);
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

/** What is wrong with the first part that cannot be used; undefined when all can. */
export async function partProblem({provider, texts}: Omit<Filling, 'data'>): Promise<PartProblem | undefined> {
	const form = await formOf(provider);
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

function partsOf({subject, text, html}: TemplateTexts) {
	return (
		[
			['subject', subject],
			['text', text],
			['html', html],
		] as const
	).filter((entry): entry is [TemplatePart, string] => entry[1] !== undefined);
}

function attempt(work: () => string): {readonly text: string} | {readonly problem: string} {
	try {
		return {text: work()};
	} catch (error) {
		if (error instanceof TemplateProblem) {
			return {problem: error.message};
		}

		// The stack is at its end, or a text longer than any may be.
		return {
			problem:
				error instanceof RangeError
					? 'It is nested too deeply, or its result is too large.'
					: 'Its data does not match the template.',
		};
	}
}
