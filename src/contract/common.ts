import {z} from 'zod';
import {defaultLimit, maxLimit, maxWait} from './constants.js';

/** Read-only form of a value. */
export type ReadonlyDeep<T> = T extends readonly (infer Item)[]
	? readonly ReadonlyDeep<Item>[]
	: T extends object
		? {readonly [Field in keyof T]: ReadonlyDeep<T[Field]>}
		: T;

/** JSON that a schema describes, as a response contains it. */
export type Body<Schema extends z.ZodType> = {
	readonly [Field in keyof z.output<Schema>]: ReadonlyDeep<z.output<Schema>[Field]>;
};

/** JSON that a schema accepts, as a client sends it. */
export type Input<Schema extends z.ZodType> = {
	readonly [Field in keyof z.input<Schema>]: ReadonlyDeep<z.input<Schema>[Field]>;
};

/** Query parameters that a schema accepts, as values before they are encoded; all are optional. */
export type Query<Schema extends z.ZodType> = {
	readonly [Field in keyof z.output<Schema>]?: ReadonlyDeep<z.output<Schema>[Field]> | undefined;
};

/** JSON object in a response. `id` names it in the OpenAPI document. */
export function responseObject<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
	return z.object(shape).meta({id});
}

/** JSON object in a request, which must not have other fields. `id` names it in the OpenAPI document. */
export function requestObject<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
	return z.strictObject(shape).meta({id});
}

export const nullableText = z.string().nullable();

/** Time (ISO 8601, UTC). */
export const timeField = z.iso.datetime();

/** Count or size. */
export const amountField = z.int().min(0);

export const portField = z.int().min(0).max(65_535);

/** Host and port of a listener. */
export const hostPortField = z.object({host: z.string(), port: portField});

/** SMTP or HTTP client of a connection. */
export const clientField = z
	.object({
		host: z.string().describe('Address of the client.'),
		helo: nullableText.describe('Name that the client gave in HELO or EHLO; null before it gave one.'),
	})
	.describe('Client of the connection.');

/** `page` and `limit` of a response, as they were applied. */
export const pageFields = {
	page: z.int().min(1).describe('Page number, starting at 1.'),
	limit: z.int().min(1).describe('Maximum number of rows on a page, as applied.'),
};

export const totalField = amountField.describe('Number of rows on all pages.');

/**
 * Name of an inbox, user, key or team: trimmed, 1 to 100 characters. The pattern tells readers of the OpenAPI document that a name of
 * spaces is invalid.
 */
export const nameField = z
	.string()
	.trim()
	.regex(/\S/, 'must not be empty')
	.max(100, 'must be at most 100 characters long');

/**
 * Email address, checked roughly: one `@` with something on both sides, without spaces, control characters and lone surrogates. The
 * pattern is valid in the regular expressions of all languages with client generators.
 */
export const emailField = z
	.string()
	.trim()
	.max(254, 'must be at most 254 characters long')
	.regex(/^[^\s@\x00-\x1f\x7f-\x9f]+@[^\s@\x00-\x1f\x7f-\x9f]+$/, 'must be an email address')
	.refine(isWellFormed, 'must be an email address');

/** True if a text has no lone surrogates. */
export function isWellFormed(text: string): boolean {
	return !/\p{Cs}/u.test(text);
}

/** Whole number in JSON; `unit` follows the bounds in error messages. */
export function wholeNumber(min: number, max: number, unit = '') {
	// zod has its own message for integers that JavaScript cannot represent: replace it, too.
	const messages: Readonly<Record<string, string>> = {
		too_small: `must be at least ${min}${unit}`,
		too_big: `must be at most ${max}${unit}`,
	};
	return z
		.int({abort: true, error: ({code}) => messages[code]})
		.min(min)
		.max(max);
}

/** Lifetime in seconds, at most ten years. */
export const lifetimeField = wholeNumber(1, 10 * 365 * 86_400, ' s');

/** Whole number in a query string; values above `max` are lowered to it. */
export function countParameter(min: number, max: number, fallback: number) {
	return z
		.string()
		.regex(/^\d+$/, `must be a whole number of at least ${min}`)
		.transform(text => Math.min(Number(text), max))
		.pipe(z.int().min(min, `must be a whole number of at least ${min}`))
		.default(fallback);
}

/** Query parameters `page` and `limit` of a list. */
export const pageParameters = {
	page: countParameter(1, 999_999_999, 1).describe('Page number, starting at 1 (default 1).'),
	limit: countParameter(1, maxLimit, defaultLimit).describe(
		`Maximum number of rows (default ${defaultLimit}). Values above ${maxLimit} are lowered to ${maxLimit}.`,
	),
};

/** Query parameter `wait` of a long poll, in seconds. */
export const waitParameter = countParameter(0, maxWait, 0).describe(
	`Seconds to hold the request open (default 0). Values above ${maxWait} are lowered to ${maxWait}.`,
);

/** Confirmation in a response that has no other content. */
export const doneSchema = responseObject('Done', {message: z.string().describe('Confirmation for people.')});

export type DoneBody = Body<typeof doneSchema>;

/** Body of every error: `application/problem+json` (RFC 9457). */
export const problemSchema = responseObject('Problem', {
	title: z.string().describe('Reason phrase of the status.'),
	status: z.int().min(400).max(599).describe('HTTP status.'),
	detail: z.string().describe('Description of the error and what to do, for people.'),
	code: z.string().describe('Error code for programs; it never changes.'),
	errors: z
		.array(
			responseObject('WrongField', {
				field: z.string().describe('Name of the field; empty for the whole body.'),
				message: z.string().describe('Problem with the field, as a predicate: `must be a string`.'),
			}),
		)
		.describe('Invalid fields; only with the code `invalid_input`.')
		.optional(),
});

export type ProblemBody = Body<typeof problemSchema>;
