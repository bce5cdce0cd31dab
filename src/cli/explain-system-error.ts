const sentences: Readonly<Record<string, (path: string) => string>> = {
	ENOENT: path => `There is no such file or folder: ${path}`,
	EACCES: path => `This user may not access ${path}`,
};

/** What the system refused, as a sentence; in the words of Node.js where there is none. */
export function explainSystemError(error: Error): string {
	const {code = '', path, message}: NodeJS.ErrnoException = error;
	const sentence = path === undefined ? undefined : sentences[code]?.(path);
	return sentence ?? `${message}.`;
}
