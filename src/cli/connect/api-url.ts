import {baseAddress} from '../../client/exchange.js';
import {usageError} from '../output/exit.js';

/** The address of an API that `source` gives; one without a path gets the version. Throws a usage error for what is none. */
export function apiUrl(text: string, source: string): string {
	const url = URL.canParse(text) ? baseAddress(text) : undefined;
	if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
		throw usageError(`${source} must be the address of an API such as http://127.0.0.1:8025/v1, got "${text}".`);
	}

	return url.origin + url.pathname;
}
