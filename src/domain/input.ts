import type {z} from 'zod';
import {AppError, type FieldError} from './errors.js';

/** What came over the wire, where a field is there or is not: none is `undefined`. */
export type Given<Schema extends z.ZodType> = {
	[Field in keyof z.output<Schema>]: Exclude<z.output<Schema>[Field], undefined>;
};

/** How many wrong fields an answer names, and how much it shows of a name: both are what somebody sent. */
const maxErrors = 20;
const maxNameLength = 100;

/** How a field is called that is this deep in the input. */
type NameOf = (path: readonly PropertyKey[]) => string;

/** The input, as the schema wants it. Throws `invalid_input` naming each wrong field. */
export function checkInput<Schema extends z.ZodType>(
	schema: Schema,
	input: unknown,
	nameOf: NameOf = path => path.join('.'),
): Given<Schema> {
	const result = schema.safeParse(input, {error: describe});
	if (result.success) {
		return result.data as Given<Schema>;
	}

	const wrong = result.error.issues.slice(0, maxErrors + 1).flatMap(issue => fieldErrors(issue, nameOf));
	const errors = wrong.slice(0, maxErrors);
	const detail = errors.map(({field, message}) => (field === '' ? `The body ${message}` : `"${field}" ${message}`));
	const rest = wrong.length > maxErrors ? '; and more fields are invalid' : '';
	throw new AppError('invalid_input', `${detail.join('; ')}${rest}.`, {errors});
}

function fieldErrors(issue: z.core.$ZodIssue, nameOf: NameOf): readonly FieldError[] {
	const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, maxErrors + 1) : undefined;
	const fields = unknown?.map(key => [...issue.path, key]) ?? [issue.path];
	return fields.map(field => ({field: nameOf(field).slice(0, maxNameLength), message: issue.message}));
}

const kinds: Readonly<Record<string, string>> = {
	string: 'a string',
	int: 'a whole number',
	number: 'a number',
	boolean: 'true or false',
	array: 'an array',
	object: 'a JSON object',
};

/** What is wrong, in words that follow the name of the field. Sentences of the schemas themselves come before these. */
function describe(issue: z.core.$ZodRawIssue): string {
	switch (issue.code) {
		case 'invalid_type':
			return describeType(issue.expected, issue.input);
		case 'invalid_value':
			return `must be ${issue.values.map(value => JSON.stringify(value)).join(' or ')}`;
		case 'too_small':
			return `must be at least ${issue.minimum}`;
		case 'too_big':
			return `must be at most ${issue.maximum}`;
		case 'unrecognized_keys':
			return 'is unknown';
		default:
			return 'is not valid';
	}
}

function describeType(expected: string, input: unknown): string {
	if (input === undefined) {
		return 'is required';
	}

	// Only a query has an array where a string belongs.
	return expected === 'string' && Array.isArray(input)
		? 'must be a single string'
		: `must be ${kinds[expected] ?? expected}`;
}
