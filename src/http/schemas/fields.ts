import {z} from 'zod';
import {defaultLimit, maxLimit} from '../../contract/page.js';

/** A name as users give it: trimmed, 1 to 100 characters. */
export const nameField = z.string().trim().min(1, 'must not be empty').max(100, 'must be at most 100 characters long');

/** An email address, roughly: one `@` with something on both sides, no spaces, control characters or halves of characters. */
export const emailField = z
	.string()
	.trim()
	.max(254, 'must be at most 254 characters long')
	.regex(/^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u, 'must be an email address');

/** How long something lives, in seconds: ten years at most. */
export const lifetimeField = z
	.number()
	.refine(Number.isInteger, {error: 'must be a whole number', abort: true})
	.min(1)
	.max(10 * 365 * 86_400);

/** A whole number in a query string; above `max` it is lowered to it. */
export function countField(min: number, max: number, fallback: number) {
	return z
		.string()
		.regex(/^\d+$/, `must be a whole number of at least ${min}`)
		.transform(Number)
		.refine(value => value >= min, `must be a whole number of at least ${min}`)
		.transform(value => Math.min(value, max))
		.default(fallback);
}

/** `page` and `limit` of every list. */
export const pageFields = {page: countField(1, 999_999_999, 1), limit: countField(1, maxLimit, defaultLimit)};
