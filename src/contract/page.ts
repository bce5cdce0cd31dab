/** Page of a list: `page` starts at 1, `limit` is at most 100 (default 20). */
export type Page = {readonly page: number; readonly limit: number};

/** Name of the newest item of a list, in place of its id. */
export const latest = 'latest';

/** Default number of rows of a page. */
export const defaultLimit = 20;

/** Maximum number of rows of a page; higher limits are lowered to it. */
export const maxLimit = 100;

/** Number of rows before the page. */
export function offsetOf({page, limit}: Page): number {
	return (page - 1) * limit;
}
