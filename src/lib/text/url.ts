/**
 * The URL that a text is; undefined when it is none. `URL.canParse` of Node.js 20 is not used: after some thousand calls, once
 * it is compiled, it says of URLs with letters such as "ü" that they are none.
 */
export function readUrl(text: string): URL | undefined {
	try {
		return new URL(text);
	} catch {
		return undefined;
	}
}

/** The URL of a database as it may be shown: without its password. */
export function withoutPassword(url: string): string {
	return url.replace(/^([a-z]+:\/\/[^:@/?]*):[^/?]*@/i, '$1@').replace(/(?<=[?&])password=[^&]*&?/g, '');
}
