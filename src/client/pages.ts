export type Page = {readonly page: number; readonly limit: number};

/** The most rows that one page holds. */
const longestPage = 100;

/** The first `count` rows of a list that comes in pages; `Infinity` is all of them. */
export async function takeRows<T>(
	fetchPage: (page: Page) => Promise<readonly T[]>,
	count: number,
): Promise<readonly T[]> {
	const limit = Math.min(longestPage, count);
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
