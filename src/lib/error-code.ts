/** The code of an error of the system, such as `ENOENT`; undefined for any other. */
export function errorCode(error: unknown): string | undefined {
	return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
