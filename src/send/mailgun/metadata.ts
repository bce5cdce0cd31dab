import type {SentMail} from '../provider.js';
import type {FormFields} from './form-fields.js';
import type {FillIn} from './recipient-variables.js';
import {readVariables} from './variables.js';

export function tagsOf(form: FormFields): SentMail['tags'] {
	return form.texts('o:tag').map(value => ({name: null, value}));
}

/** The variables of the mail (`v:`, and all at once `h:X-Mailgun-Variables`), as text. */
export function readMetadata(form: FormFields, fillIn: FillIn): Readonly<Record<string, string>> {
	const entries = Object.entries(variablesOf(form, fillIn));
	return Object.fromEntries(
		entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
	);
}

/** Which template the mail is made from, with the variables of the mail and its own. */
export function readTemplate(form: FormFields, fillIn: FillIn): SentMail['template'] {
	const id = form.text('template');
	if (id === undefined) {
		return undefined;
	}

	const own = readVariables('t:variables', form.text('t:variables') ?? '{}');
	return {id, data: {...variablesOf(form, fillIn), ...fillInAll(own, fillIn)}};
}

function variablesOf(form: FormFields, fillIn: FillIn): Readonly<Record<string, unknown>> {
	const [, header] = form.withPrefix('h:').find(([name]) => name.toLowerCase() === 'x-mailgun-variables') ?? [];
	const all = header === undefined ? {} : readVariables('h:X-Mailgun-Variables', header);
	return {
		...fillInAll(all, fillIn),
		...Object.fromEntries(form.withPrefix('v:').map(([name, text]) => [name, fillIn(text)])),
	};
}

/** The variables with all texts within them filled in. */
function fillInAll(variables: Readonly<Record<string, unknown>>, fillIn: FillIn): Readonly<Record<string, unknown>> {
	return JSON.parse(JSON.stringify(variables), (_, value) => (typeof value === 'string' ? fillIn(value) : value));
}
