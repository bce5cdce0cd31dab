/** What is used here of libraries that bring no types, or not all of them. */

declare module 'libmime' {
	const libmime: {
		decodeWord(charset: string, encoding: 'B' | 'Q', text: string): string;
		/** The type that files with this name have, `application/octet-stream` if it is not known. */
		detectMimeType(filename: string): string;
	};
	export default libmime;
}
