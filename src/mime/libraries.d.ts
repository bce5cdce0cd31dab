/** Declarations for libraries without complete types. */

declare module 'libmime' {
	const libmime: {
		/** The type that files with this name have, `application/octet-stream` if it is not known. */
		detectMimeType(filename: string): string;
	};
	export default libmime;
}

declare module 'libmime/lib/charset.js' {
	const library: {
		/** Decodes a character set; unknown ones are read as UTF-8. */
		decode(bytes: Buffer, charset: string): string;
	};
	export default library;
}
