import type {z} from 'zod';
import {AppError, type FieldError} from './errors.js';

/** Parsed input. An absent field is absent, never `undefined`. */
export type ParsedInput<Schema extends z.ZodType> = {
	[Field in keyof z.output<Schema>]: Exclude<z.output<Schema>[Field], undefined>;
};

/** Limits of an error message, because field names come from the client. */
const maxErrors = 20;
const maxNameLength = 100;

/** Formats the path of a field. */
type FormatPath = (path: readonly PropertyKey[]) => string;

/** Validates input against a schema. Throws `invalid_input` naming each invalid field. */
export function checkInput<Schema extends z.ZodType>(
	schema: Schema,
	input: unknown,
	formatPath: FormatPath = path => path.join('.'),
): ParsedInput<Schema> {
	const result = schema.safeParse(input, {error: describe});
	if (result.success) {
		return result.data as ParsedInput<Schema>;
	}

	const invalid = result.error.issues.slice(0, maxErrors + 1).flatMap(issue => fieldErrors(issue, formatPath));
	const errors = invalid.slice(0, maxErrors);
	const detail = errors.map(({field, message}) => (field === '' ? `The body ${message}` : `"${field}" ${message}`));
	const rest = invalid.length > maxErrors ? '; and more fields are invalid' : '';
	throw new AppError('invalid_input', `${detail.join('; ')}${rest}.`, {errors});
}

function fieldErrors(issue: z.core.$ZodIssue, formatPath: FormatPath): readonly FieldError[] {
	const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, maxErrors + 1) : undefined;
	const fields = unknown?.map(key => [...issue.path, key]) ?? [issue.path];
	return fields.map(field => ({field: formatPath(field).slice(0, maxNameLength), message: issue.message}));
}

const typeNames: Readonly<Record<string, string>> = {
	string: 'a string',
	int: 'a whole number',
	number: 'a number',
	boolean: 'true or false',
	array: 'an array',
	object: 'a JSON object',
};

/** Describes an issue in words that follow the name of the field. Messages in the schema itself take precedence. */
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

	// Arrays in place of strings occur only in queries.
	return expected === 'string' && Array.isArray(input)
		? 'must be a single string'
		: `must be ${typeNames[expected] ?? expected}`;
}
