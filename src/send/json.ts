import {z} from 'zod';
import {SendError} from '../domain/mail/sending.js';
import {NotJson, parseJson} from '../lib/text/json.js';

/** Maximum number of commas and opening brackets outside of strings, which is about the number of values. Validating many takes long. */
const maxValues = 200_000;

type JsonOptions = {
	/** True if numbers in lists do not count, as they are the bytes of files. */
	readonly hasByteLists?: boolean;
};

/** Parses the body of a request. Throws `SendError` with the failure `malformed`. */
export function readJson(body: Buffer, {hasByteLists = false}: JsonOptions = {}): unknown {
	if (hasTooManyValues(body, hasByteLists)) {
		throw malformed(`The body has more than ${maxValues} commas and brackets. Send fewer values.`);
	}

	try {
		return parseJson(body);
	} catch (error) {
		throw error instanceof NotJson ? malformed(`The body ${error.message}.`) : error;
	}
}

function malformed(detail: string): SendError {
	return new SendError({type: 'malformed', detail});
}

const [quote, backslash, comma, bracket, brace, space, zero = 0, nine = 0] = Buffer.from('"\\,[{ 09');

/** Counts values. Strings, which are most of the body, are skipped by native searches. */
function hasTooManyValues(body: Buffer, hasByteLists: boolean): boolean {
	let count = 0;
	for (let at = 0; at < body.length && count <= maxValues; at += 1) {
		const byte = body[at];
		if (byte === quote) {
			at = endOfString(body, at + 1);
		} else if (byte === bracket || byte === brace || (byte === comma && !(hasByteLists && isBeforeDigit(body, at)))) {
			count += 1;
		}
	}

	return count > maxValues;
}

/** True if a number follows the comma at `at`, which happens only in lists. */
function isBeforeDigit(body: Buffer, at: number): boolean {
	const next = body[body[at + 1] === space ? at + 2 : at + 1] ?? 0;
	return next >= zero && next <= nine;
}

/** Index of the quote that ends a string. */
function endOfString(body: Buffer, start: number): number {
	let from = start;
	for (;;) {
		const at = body.indexOf('"', from);
		if (at === -1) {
			return body.length;
		}

		let first = at;
		while (first > from && body[first - 1] === backslash) {
			first -= 1;
		}

		if ((at - first) % 2 === 0) {
			return at;
		}

		from = at + 1;
	}
}

/** Number of unknown fields that a warning names, and characters that it shows of each name. */
const maxNamed = 20;
const maxNameLength = 100;

const expectedTypes = {
	array: 'must be an array',
	object: 'must be an object',
	record: 'must be an object',
	string: 'must be a string',
} as const;

/** Optional field of a request. `null` counts as missing. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
	return schema
		.nullish()
		.transform(value => value ?? undefined)
		.optional();
}

/** One string or an array of strings; empty if missing. */
export const stringList = z
	.unknown()
	.optional()
	.transform((value, check): readonly string[] => {
		const items: readonly unknown[] = [value ?? []].flat();
		const wrong = items.findIndex(item => typeof item !== 'string');
		if (wrong !== -1) {
			check.addIssue({code: 'custom', path: Array.isArray(value) ? [wrong] : [], message: expectedTypes.string});
			return z.NEVER;
		}

		return items as readonly string[];
	});

/**
 * Optional array of objects; empty if missing. Only the first item that is no object is reported: a body may have millions of
 * numbers in a list.
 */
export function objectList<Schema extends z.ZodType>(schema: Schema) {
	return z.preprocess(
		(value, check) => {
			const wrong = Array.isArray(value) ? value.findIndex(item => typeof item !== 'object') : -1;
			if (wrong !== -1) {
				check.addIssue({code: 'custom', path: [wrong], message: expectedTypes.object});
			}

			return value;
		},
		z
			.array(schema)
			.nullish()
			.transform(items => items ?? []),
	);
}

export type ValidInput<Value> = {
	readonly value: Value;
	/** Paths of the fields that the schema does not have. */
	readonly unknown: ReadonlyArray<readonly PropertyKey[]>;
};

/**
 * Validates a request body against a schema of strict objects. Unknown fields are no error: they are removed from `input` and
 * returned by path. `describe` words the issues. Throws what `refuse` returns for them.
 */
export function validate<Schema extends z.ZodType>(
	schema: Schema,
	input: unknown,
	describe: z.core.$ZodErrorMap,
	refuse: (issues: readonly [z.core.$ZodIssue, ...z.core.$ZodIssue[]]) => Error,
): ValidInput<z.output<Schema>> {
	const result = schema.safeParse(input, {error: describe});
	if (result.success) {
		return {value: result.data, unknown: []};
	}

	const [first, ...others] = result.error.issues.filter(({code}) => code !== 'unrecognized_keys');
	if (first) {
		throw refuse([first, ...others]);
	}

	const unknown = result.error.issues.flatMap(issue =>
		issue.code === 'unrecognized_keys' ? removeFields(input, issue.path, issue.keys) : [],
	);
	return {value: schema.parse(input), unknown};
}

function removeFields(input: unknown, path: readonly PropertyKey[], keys: readonly string[]) {
	const holder = path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown>)[step], input);
	for (const key of keys) {
		delete (holder as Record<string, unknown>)[key];
	}

	return keys.map(key => [...path, key]);
}

/** Description of a value of the wrong type, such as `must be a string`. */
export function describeType(issue: z.core.$ZodRawIssue): string {
	const expected = issue.code === 'invalid_type' ? issue.expected : '';
	return Object.hasOwn(expectedTypes, expected) ? expectedTypes[expected as keyof typeof expectedTypes] : 'is invalid';
}

/** Names of unknown fields such as `attachments[0].color`, outer fields first. */
export function fieldNames(paths: ValidInput<unknown>['unknown']): readonly string[] {
	return paths.toSorted((one, other) => one.length - other.length).map(fieldPath);
}

/** Path of a field, such as `attachments[0].filename`. */
export function fieldPath(path: readonly PropertyKey[]): string {
	const steps = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
	return steps.join('').replace(/^\./, '');
}

/** Warning that names the unknown fields of a request; empty if there are none. */
export function warnOfUnknownFields(names: readonly string[], provider = ''): readonly string[] {
	if (names.length === 0) {
		return [];
	}

	const named = names.slice(0, maxNamed).map(name => JSON.stringify(name.slice(0, maxNameLength)));
	const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
	return [`Unknown ${provider === '' ? '' : `${provider} `}fields were ignored: ${named.join(', ')}${more}.`];
}
