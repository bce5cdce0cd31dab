import {SesProblem} from './problems.js';

/** A variable of a template, or what looks like one. */
const variable = /\{\{\{?([^{}]*)\}?\}\}/g;

/**
 * A template that a request brings along, filled in: SES does no more there than put values in the place of names, and
 * escapes nothing. `missing` gets the names that have no value.
 */
export function fillInline(
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

export function tooMuchFilled(maxBytes: number): SesProblem {
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
