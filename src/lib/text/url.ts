/**
 * Parses a URL; undefined if it is invalid. `URL.canParse` of Node.js 20 is not used: once optimized, it rejects URLs with
 * letters such as "ü".
 */
export function readUrl(text: string): URL | undefined {
	try {
		return new URL(text);
	} catch {
		return undefined;
	}
}

/** Removes the password from the URL of a database. */
export function withoutPassword(url: string): string {
	return url.replace(/^([a-z]+:\/\/[^:@/?]*):[^/?]*@/i, '$1@').replace(/(?<=[?&])password=[^&]*&?/g, '');
}
