import {ApiError} from './errors.js';

/**
 * A path of the API: each value becomes one segment, whatever it holds. An empty value would name the collection
 * instead of a thing in it, so it is not found before it is asked for.
 */
export function path(texts: TemplateStringsArray, ...values: readonly string[]): string {
	if (values.includes('')) {
		throw new ApiError({status: 404, code: 'not_found', detail: 'An empty id names nothing.'});
	}

	return String.raw({raw: texts}, ...values.map(encodeURIComponent));
}
