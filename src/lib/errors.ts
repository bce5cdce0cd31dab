/** The code of a system error, such as `ENOENT`; undefined for any other. */
export function errorCode(error: unknown): string | undefined {
	return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** The message of whatever was thrown. */
export function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** The data directory cannot be opened. The message says why and what to do, in whole sentences for a person. */
export class DataDirError extends Error {
	override readonly name = 'DataDirError';
}
