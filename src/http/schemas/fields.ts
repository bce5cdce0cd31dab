import {z} from 'zod';
import {defaultLimit, maxLimit, maxWait} from '../../contract/constants.js';

/** Name of an inbox, user, key or team: trimmed, 1 to 100 characters. The pattern states in the API document that blanks alone are invalid. */
export const nameField = z
	.string()
	.trim()
	.regex(/\S/, 'must not be empty')
	.max(100, 'must be at most 100 characters long');

/** An email address, roughly: one `@` with something on both sides, no spaces, control characters or halves of characters. Its pattern is one that all languages read. */
export const emailField = z
	.string()
	.trim()
	.max(254, 'must be at most 254 characters long')
	.regex(/^[^\s@\x00-\x1f\x7f-\x9f]+@[^\s@\x00-\x1f\x7f-\x9f]+$/, 'must be an email address')
	.refine(isWhole, 'must be an email address');

/** Whether a text has no halves of characters. */
export function isWhole(text: string): boolean {
	return !/\p{Cs}/u.test(text);
}

/** Whole number in JSON; `unit` follows the bounds in error messages. */
export function wholeNumber(min: number, max: number, unit = '') {
	// What JavaScript cannot count exactly is out of bounds, too, which zod says in its own terms.
	const bounds: Readonly<Record<string, string>> = {
		too_small: `must be at least ${min}${unit}`,
		too_big: `must be at most ${max}${unit}`,
	};
	return z
		.int({abort: true, error: ({code}) => bounds[code]})
		.min(min)
		.max(max);
}

/** How long something lives, in seconds: ten years at most. */
export const lifetimeField = wholeNumber(1, 10 * 365 * 86_400, ' s');

/** Whole number in a query string; values above `max` are lowered to it. */
export function countField(min: number, max: number, fallback: number) {
	return z
		.string()
		.regex(/^\d+$/, `must be a whole number of at least ${min}`)
		.transform(text => Math.min(Number(text), max))
		.pipe(z.int().min(min, `must be a whole number of at least ${min}`))
		.default(fallback);
}

/** `page` and `limit` of every list. */
export const pageFields = {
	page: countField(1, 999_999_999, 1).describe('Page number, starting at 1 (default 1).'),
	limit: countField(1, maxLimit, defaultLimit).describe(
		`Maximum number of rows (default ${defaultLimit}). Values above ${maxLimit} are lowered to ${maxLimit}.`,
	),
};

/** Seconds that a request is held open. */
export const waitField = countField(0, maxWait, 0).describe(
	`Seconds to hold the request open (default 0). Values above ${maxWait} are lowered to ${maxWait}.`,
);
