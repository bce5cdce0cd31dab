/** What is used here of libraries that bring no types, or not all of them. */

declare module 'libmime' {
	const libmime: {
		/** Decodes the encoded words of a text (RFC 2047); throws when it does not know their character set. */
		decodeWords(text: string): string;
	};
	export default libmime;
}

declare module 'html-to-text' {
	export function convert(html: string, options?: Readonly<Record<string, unknown>>): string;
}
