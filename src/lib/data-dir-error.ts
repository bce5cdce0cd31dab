/** The data directory cannot be opened. The message says why and what to do, in whole sentences for a person. */
export class DataDirError extends Error {
	override readonly name = 'DataDirError';
}
