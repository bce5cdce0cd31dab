/** Code of a system error, such as `ENOENT`; undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
	return isError(error) && 'code' in error ? String(error.code) : undefined;
}

/** Also recognizes errors of another realm, such as errors of Node.js in Jest. */
function isError(value: unknown): value is Error {
	return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

function isAggregate(value: unknown): value is AggregateError {
	return isError(value) && value.name === 'AggregateError';
}

/** Message of a thrown value. */
export function reasonOf(error: unknown): string {
	return isError(error) ? error.message : String(error);
}

const causes: Readonly<Record<string, string>> = {
	ERR_INVALID_URL: 'Invalid URL',
	ERR_INVALID_PROTOCOL: 'not an http or https URL',
	ERR_INVALID_CHAR: 'an API key or token contains an invalid character, such as a line break',
	ECONNRESET: 'the connection was closed before a response arrived',
	EPROTO: 'the server does not speak TLS',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by a trusted CA',
	ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for a different host name',
};

/**
 * Cause of a failed connection or file operation, for people. Uses the wording of the operating system and replaces errors
 * that name internals of Node.js.
 */
export function causeOf(error: unknown): string {
	// A failed connection to several addresses has one error per address and no message.
	const [first = error] = isAggregate(error) ? error.errors : [];
	const code = errorCode(first) ?? '';
	if (code.startsWith('HPE_')) {
		return 'the server does not speak HTTP';
	}

	return causes[code] ?? (code.startsWith('ERR_') ? `Node.js error ${code}` : reasonOf(first));
}

/** File or folder that cannot be trusted. The message is a sentence for people with the cause and the remedy. */
export class UnsafePathError extends Error {
	override readonly name = 'UnsafePathError';
}

/** The data directory cannot be opened. The message is a sentence for people with the cause and the remedy. */
export class DataDirError extends Error {
	override readonly name = 'DataDirError';
}

/** The store cannot be opened. The message is a sentence for people with the cause and the remedy. */
export class StoreError extends Error {
	override readonly name = 'StoreError';
}

/** Unusable certificate. The message is a sentence for people that names the file and the cause. */
export class CertificateError extends Error {
	override readonly name = 'CertificateError';
}
