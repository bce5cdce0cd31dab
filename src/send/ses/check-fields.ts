import type {z} from 'zod';
import {SesProblem} from './problems.js';

/** How many problems an answer names, how many fields warnings name, and how much both show of what somebody sent. */
const maxProblems = 20;
const maxUnknown = 20;
const maxShown = 100;

/** What a schema says of an input, and the names of fields that it does not know. */
export type CheckedFields<Schema extends z.ZodType> = {
	readonly fields: z.output<Schema>;
	readonly unknown: readonly string[];
};

/** The input, as the schema wants it; fields that it does not know are taken out of it. Throws as AWS says which constraint fails. */
export function checkFields<Schema extends z.ZodType>(schema: Schema, input: unknown): CheckedFields<Schema> {
	const result = schema.safeParse(input, {error: constraint});
	if (result.success) {
		return {fields: result.data, unknown: []};
	}

	const wrong = result.error.issues.filter(({code}) => code !== 'unrecognized_keys');
	if (wrong.length > 0) {
		const count = `${wrong.length} validation error${wrong.length === 1 ? '' : 's'} detected`;
		throw new SesProblem(
			'constraint',
			`${count}: ${wrong
				.slice(0, maxProblems)
				.map(({message}) => message)
				.join('; ')}`,
		);
	}

	const unknown = result.error.issues.flatMap(issue =>
		issue.code === 'unrecognized_keys' ? takeOut(input, issue.path, issue.keys) : [],
	);
	return {fields: schema.parse(input), unknown: unknown.slice(0, maxUnknown)};
}

/** The names of the fields that were taken out. */
function takeOut(input: unknown, path: readonly PropertyKey[], keys: readonly string[]): string[] {
	const holder = path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown>)[step], input);
	for (const key of keys) {
		delete (holder as Record<string, unknown>)[key];
	}

	return keys.slice(0, maxUnknown).map(key => [...path, key].join('.').slice(0, maxShown));
}

/** As AWS services say it. */
function constraint(issue: z.core.$ZodRawIssue): string {
	const where = `at '${placeOf(issue.path ?? [])}' failed to satisfy constraint`;
	if (issue.input === undefined || issue.input === null) {
		return `Value null ${where}: Member must not be null`;
	}

	const shown = typeof issue.input === 'string' ? ` '${issue.input.slice(0, maxShown)}'` : '';
	return `Value${shown} ${where}: ${rule(issue)}`;
}

function rule(issue: z.core.$ZodRawIssue): string {
	switch (issue.code) {
		case 'too_small':
			return `Member must have length greater than or equal to ${issue.minimum}`;
		case 'too_big':
			return `Member must have length less than or equal to ${issue.maximum}`;
		case 'invalid_format':
			return `Member must satisfy regular expression pattern: ${issue.pattern ?? ''}`;
		case 'invalid_value':
			return `Member must satisfy enum value set: [${issue.values.join(', ')}]`;
		case 'invalid_type':
			return `Member must be of type ${issue.expected}`;
		default:
			return 'Member must be valid';
	}
}

/** `emailTags.1.member.name` */
function placeOf(path: readonly PropertyKey[]): string {
	const steps = path.map(step =>
		typeof step === 'number' ? `${step + 1}.member` : String(step).replace(/^[A-Z]/, letter => letter.toLowerCase()),
	);
	return steps.join('.').slice(0, maxShown);
}
