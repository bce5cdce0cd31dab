/** A page of a list, counted from 1. */
export type Page = {readonly page: number; readonly limit: number};

/** Names the newest of a list, in place of its id. */
export const latest = 'latest';

/** Rows of a page, unless asked for otherwise. */
export const defaultLimit = 20;

/** Rows of a page at most: a higher limit is lowered to it. */
export const maxLimit = 100;

/** How many rows come before the page. */
export function offsetOf({page, limit}: Page): number {
	return (page - 1) * limit;
}
