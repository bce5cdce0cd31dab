import {get} from './poll-load.js';

/**
 * Reads one page of a list.
 * @param {string} url
 * @param {string} key
 * @param {number} [rows] that it must have
 * @returns {Promise<number>} milliseconds
 */
export async function listPage(url, key, rows = 20) {
	const askedAt = performance.now();
	const {text, answeredAt} = await get(url, key);
	const found = JSON.parse(text).length;
	if (found !== rows) {
		throw new Error(`${url} answered with ${found} rows: ${text.slice(0, 200)}`);
	}

	return answeredAt - askedAt;
}
