import {maxLimit, type Page} from '../contract/constants.js';

/** Reads pages until there are `count` rows, or all rows for `Infinity`. */
export async function takeRows<T>(
	fetchPage: (page: Page) => Promise<readonly T[]>,
	count: number,
): Promise<readonly T[]> {
	const limit = Math.min(maxLimit, count);
	const rows: T[] = [];
	for (let page = 1; rows.length < count; page++) {
		const found = await fetchPage({page, limit});
		rows.push(...found);
		if (found.length < limit) {
			break;
		}
	}

	return rows.slice(0, count);
}
