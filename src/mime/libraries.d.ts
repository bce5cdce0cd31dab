/** What is used here of libraries that bring no types, or not all of them. */

declare module 'libmime' {
	const libmime: {
		/** The type that files with this name have, `application/octet-stream` if it is not known. */
		detectMimeType(filename: string): string;
	};
	export default libmime;
}

declare module 'libmime/lib/charset.js' {
	const library: {
		/** What it does not know is taken for UTF-8. */
		decode(bytes: Buffer, charset: string): string;
	};
	export default library;
}
