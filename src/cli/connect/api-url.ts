import {withoutLogin} from '../../client/errors.js';
import {baseAddress} from '../../client/exchange.js';
import {readUrl} from '../../lib/text/url.js';
import {usageError} from '../output/exit.js';

/** The address of an API that `source` gives; one without a path gets the version. Throws a usage error for what is none. */
export function apiUrl(text: string, source: string): string {
	const url = readUrl(text) ? baseAddress(text) : undefined;
	const hasMore = url && [url.username, url.password, url.search, url.hash].some(part => part !== '');
	if (!url || hasMore || !/^https?:$/.test(url.protocol)) {
		const shown = withoutLogin(text);
		const right = `the URL of a tinbox API such as http://127.0.0.1:8025/v1${shown === text ? '' : ', without user and password'}`;
		throw usageError(`${source} must be ${right}, got "${shown}".`);
	}

	return url.origin + url.pathname;
}
